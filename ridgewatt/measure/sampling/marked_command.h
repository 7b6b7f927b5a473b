// A program as a child process that marks its minibatches and phases on a descriptor (marks.h).
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/pipeline/process_io.h"

namespace ridgewatt::measure {

struct CommandRun {
  int status = 0;      // exit status, or 128 + signal; 0 when we ended it
  bool ended = false;  // by us
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;
  double user_s = 0;  // CPU time
  double system_s = 0;
  double peak_memory_bytes = 0;
  std::vector<TimedMark> marks;
  ProgramWords words;
  std::size_t malformed_marks = 0;
  std::optional<pipeline::ProcessIo> io;
};

// Runs the command to its end, as the user who called sudo when we run under sudo; what it prints
// goes to our standard error, and it ends when we do. `watch` is called at least ten times per
// second with the marks so far; when it says false the command and its children are asked to end
// (SIGTERM) and, after ten seconds, killed. So they are when it or the watch of this thread
// (base/progress.h) throws, before that goes on. What it prints goes to the descriptor `output`
// where one is given; with `errors` its standard error, too. Throws UsageError on an empty command,
// NotFoundError when it cannot be started.
CommandRun run_marked_command(const std::vector<std::string>& command,
                              const std::function<bool(const std::vector<TimedMark>&)>& watch,
                              int output = -1, int errors = -1);

// How the command is bound to us.
enum class CommandTie {
  kEndsWithUs,  // killed when we end, however that is
  // In a process group of its own; when we end it goes on, and its marks are taken in and dropped
  // by a small process that is left behind, so that writing them neither fails nor blocks.
  kOutlivesUs
};

struct StartedCommand {
  pid_t process = -1;
  OwnedFd marks;  // to read them from
  OwnedFd life;   // kOutlivesUs: its end tells the small process that we are gone
};

// Throws as run_marked_command.
StartedCommand start_marked_command(const std::vector<std::string>& command, CommandTie tie,
                                    int output = -1, int errors = -1);

// Sends a signal to a process and all below it.
void signal_tree(pid_t process, int number);

}  // namespace ridgewatt::measure
