// What a measured program is called where nobody names the workload.
//
//   workload_name({"python3", "-u", "train.py"});             // "train.py"
//   workload_name({"ridgewatt", "fake-run", "zoo:lenet5"});   // "lenet5"
#pragma once

#include <string>
#include <vector>

namespace ridgewatt::measure {

// The program that is meant: behind interpreters and starters (python3, bash, env, nice, timeout)
// the script or program that they run, of `python -m` the module, of `ridgewatt fake-run` the
// model; else the first word as it is.
std::string workload_name(const std::vector<std::string>& command);

}  // namespace ridgewatt::measure
