// The program that is tuned in place on a real board: a command that is started, a process that
// runs already, or this process, with the board's mode control and power sensors.
//
//   control.apply(first_mode);               // its guardian is started before any thread
//   LiveProgram program(sysfs, control, command, batch);
//   InPlaceProfiler profiler(program, options, device.provenance());
//
// A command gets a process group of its own. SIGINT, SIGTERM and SIGHUP that reach us are sent on
// to it, then wait() throws InterruptedError. When we are killed (SIGKILL), it goes on, and the
// guardian of the mode brings the first one back.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

// A signal asked us to end. Whoever catches it restores what is to be restored and ends by it.
class InterruptedError : public Error {
 public:
  explicit InterruptedError(int signal) : Error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }
  int exit_status() const override { return 128 + signal_; }

 private:
  int signal_;
};

class LiveProgram final : public TunedProgram {
 public:
  // Starts the command, in which {batch} becomes the batch. Throws what measure_command throws of
  // it; IoError where the machine has no power sensor. All must outlive this; one at a time in a
  // process.
  LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
              std::vector<std::string> command, int batch);
  // A process that runs already and marks into a file: RIDGEWATT_MARK_FD in its environment names a
  // descriptor that is one. NotFoundError (no such process), UsageError (it marks nowhere, or into
  // what another reader has), PermissionError.
  LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control, pid_t process);
  // After a signal waits for the program's end. Else it goes on, unless end() was called.
  ~LiveProgram() override;

  double now_s() const override;
  bool wait(double at_most_s, std::vector<TimedMark>& marks,
            std::vector<TimedPower>& power) override;
  void set(const PowerMode& mode) override;
  Surroundings surroundings() override;
  bool tells_means() const override;

  pid_t process() const;
  // Asks the program and its children to end (SIGTERM), and waits; after ten seconds kills them. A
  // process that was not started here is left alone.
  void end();
  // The exit status, or 128 + signal, once wait() said that it has ended; 0 where we ended it, and
  // of a process that was not started here.
  int status() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

class BoardWatch;

// What this process marks of itself, from any thread.
class CallerMarks {
 public:
  void mark(TimedMark::Kind kind, const std::string& name = "");
  // Nothing more will come.
  void end();
  // As TunedProgram::wait.
  bool wait(double at_most_s, std::vector<TimedMark>& marks);

 private:
  static constexpr std::size_t kMost = 1 << 20;
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<TimedMark> marks_;
  bool ended_ = false;
};

// This process as the program that is tuned, by a thread of its own. No signal is handled here, and
// nothing is ended.
class CallerProgram final : public TunedProgram {
 public:
  // IoError where the machine has no power sensor. All must outlive this.
  CallerProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control, CallerMarks& marks);
  ~CallerProgram() override;

  double now_s() const override;
  bool wait(double at_most_s, std::vector<TimedMark>& marks,
            std::vector<TimedPower>& power) override;
  void set(const PowerMode& mode) override;
  Surroundings surroundings() override;
  bool tells_means() const override;

 private:
  platform::JetsonModeControl& control_;
  CallerMarks& marks_;
  std::unique_ptr<BoardWatch> board_;
};

}  // namespace ridgewatt::measure
