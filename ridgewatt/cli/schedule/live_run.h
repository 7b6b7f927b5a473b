// What `schedule run --replan` adds to `schedule run`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/schedule/live.h"
#include "ridgewatt/schedule/live_programs.h"

namespace ridgewatt::cli {

struct LiveRunOptions {
  bool replan = false;
  std::string programs;
  bool no_restart = false;
  double mode_change_ms = 200, headroom = 0.15, speed = 1;

  bool wanted() const { return replan || !programs.empty(); }
  void add_to(CLI::App& command);
  // UsageError for what has no effect without --replan or --programs.
  void check(const CLI::App& command) const;
};

// What is served, from the file of programs or from the options of a single one.
struct LiveQuestion {
  std::vector<schedule::LiveProgram> programs;
  std::vector<Sweep> inference, training;
  std::vector<std::string> training_names;           // where --programs names them
  std::vector<schedule::LiveProgramEntry> commands;  // those with a command
};
LiveQuestion live_question(const Context& context, const LiveRunOptions& options,
                           const answer::ScheduleRequest& schedule);

}  // namespace ridgewatt::cli
