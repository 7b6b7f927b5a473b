// The name of this board in the executor that runs the current task.
#pragma once

#include <string>

namespace ridgewatt::campaign {

// Returns the Slurm node, the ssh host of GNU parallel, or the name of this machine.
std::string engine_host();

}  // namespace ridgewatt::campaign
