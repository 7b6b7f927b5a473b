// `govern --phase-mode`: sets a mode for each phase that a running program marks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/govern/phases.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::cli {

struct GovernPhases {
  std::vector<std::string> modes;  // "prefill=MAXN", "decode=cores=4,gpu=612"
  double least_times = govern::PhaseOptions{}.least_times;
  bool given() const { return !modes.empty(); }
};

void add_phase_options(CLI::App& command, GovernPhases& phases);

// Governs a command or, if `process` is set, a running process. Restores the original mode of the
// board in every case.
void govern_phases(const Context& context, const GovernPhases& phases, const DeviceOptions& device,
                   const std::vector<std::string>& command, std::optional<pid_t> process,
                   platform::JetsonModeControl::Options control_options);

}  // namespace ridgewatt::cli
