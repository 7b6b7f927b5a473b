// The name of this board in the engine that runs the present task.
#pragma once

#include <string>

namespace ridgewatt::campaign {

// The node in Slurm, the host that GNU parallel reached by ssh, otherwise the name of this machine.
std::string engine_host();

}  // namespace ridgewatt::campaign
