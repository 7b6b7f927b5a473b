// Runs a program as a child process that marks its minibatches and phases on a descriptor
// (marks.h).
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
  int status = 0;      // exit status, or 128 + signal; 0 if this program ended it
  bool ended = false;  // ended because `watch` returned false
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

// Runs the command until it ends, as the original user if this program runs under sudo. `watch` is
// called at least ten times per second with the marks so far. If it returns false, the command and
// its children get SIGTERM and, after ten seconds, SIGKILL. If `watch` or check_work()
// (base/progress.h) throws, the command is ended in the same way before the exception propagates.
// If this program ends, the command is killed. Its output goes to the descriptor `output` and its
// standard error to `errors`; -1 means standard error of this program. Throws UsageError for an
// empty command, NotFoundError if it cannot be started.
CommandRun run_marked_command(const std::vector<std::string>& command,
                              const std::function<bool(const std::vector<TimedMark>&)>& watch,
                              int output = -1, int errors = -1);

// What happens to the command when this program ends.
enum class CommandTie {
  kEndsWithUs,  // killed when this program ends, in whatever way
  // The command has its own process group and continues. A small process remains that reads and
  // drops its marks, so that writing them neither fails nor blocks.
  kOutlivesUs
};

struct StartedCommand {
  pid_t process = -1;
  OwnedFd marks;  // for reading the marks
  OwnedFd life;   // for kOutlivesUs: closing it tells the small process that this program has ended
};

// Throws the errors of run_marked_command().
StartedCommand start_marked_command(const std::vector<std::string>& command, CommandTie tie,
                                    int output = -1, int errors = -1);

// Sends a signal to a process and all its descendants.
void signal_tree(pid_t process, int number);

}  // namespace ridgewatt::measure
