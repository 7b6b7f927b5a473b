// Placeholders in the command line of a measured program.
//
//   std::vector<std::string> command = {"infer", "--threads", "{threads}", "--batch", "{batch}"};
//   fill_in(command, kBatchPlace, 8);  // now "--batch", "8"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

inline constexpr std::string_view kBatchPlace = "{batch}";
// The CPU cores of the power mode, which is the number of threads that the program should use.
inline constexpr std::string_view kThreadsPlace = "{threads}";

// Whether an argument contains `place`.
bool has_place(const std::vector<std::string>& command, std::string_view place);
// Replaces every `place` in every argument by `value`.
void fill_in(std::vector<std::string>& command, std::string_view place, int value);
// Returns whether threads take the place of power modes: the command contains `{threads}`, and the
// machine is not a Jetson. The cores of a mode are then threads; no setting changes.
bool threads_replace_modes(const std::vector<std::string>& command, const platform::Sysfs& sysfs);
// The online CPUs of the machine, at least 1.
int online_cpus(const platform::Sysfs& sysfs);

}  // namespace ridgewatt::measure
