// Power as NVIDIA's `tegrastats` prints it, ten times per second: the fallback on a Jetson whose
// own files cannot be read, for example in a container.
#pragma once

#include <memory>

#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {

// Starts `tegrastats`, which ends with the source. Nothing when PATH has no such program; throws
// NotSupportedError when it prints no rail within three seconds. A rail keeps its last value until
// the next line; after a second without one it has none.
std::unique_ptr<PowerSource> open_tegrastats();

}  // namespace ridgewatt::platform
