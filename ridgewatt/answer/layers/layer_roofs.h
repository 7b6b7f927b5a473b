// The roofs of a board over measured layers, and what the layers spend.
#pragma once

#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// Sets mode, ceilings and each layer's roof; nothing without a device.
void add_roofs(const LayersQuestion& question, LayersAnswer& answer);
// Energy of each layer: of the power file its mean power times the layer's time; else by the twin.
void add_energy(const LayersQuestion& question, LayersAnswer& answer);

}  // namespace ridgewatt::answer
