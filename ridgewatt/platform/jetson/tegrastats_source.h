// Power from NVIDIA's `tegrastats`, ten times per second: the fallback on a Jetson whose files
// cannot be read, for example in a container.
#pragma once

#include <memory>

#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {

// Starts `tegrastats`. The destructor of the source ends it. Returns null if the program is not in
// PATH. Throws NotSupportedError if it prints no rail within three seconds. A rail keeps its last
// value until the next line, for at most one second.
std::unique_ptr<PowerSource> open_tegrastats();

}  // namespace ridgewatt::platform
