// Adds the roofline of a board and the energy to measured layers.
#pragma once

#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// Sets the mode, the ceilings and LayerRoof of each layer. Does nothing without a device.
void add_roofs(const LayersQuestion& question, LayersAnswer& answer);
// Sets the energy of each layer: mean power of the power file x time of the layer or, without a
// file, from the twin.
void add_energy(const LayersQuestion& question, LayersAnswer& answer);

}  // namespace ridgewatt::answer
