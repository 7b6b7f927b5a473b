// The program to tune in place on a real board, with the board's mode control and power sensors: a
// command to start, a process that already runs, or the current process.
//
//   control.apply(first_mode);               // starts its guardian process before any thread
//   LiveProgram program(sysfs, control, command, batch);
//   InPlaceProfiler profiler(program, options, device.provenance());
//
// A command gets its own process group. SIGINT, SIGTERM and SIGHUP are forwarded to it, then wait()
// throws InterruptedError. If this process is killed (SIGKILL), the command continues, and the
// guardian of the power mode restores the original mode.
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

// This process received a signal to end. Whoever catches the error restores what was changed and
// exits with exit_status().
class InterruptedError : public Error {
 public:
  explicit InterruptedError(int signal)
      : Error("the measurement was interrupted"), signal_(signal) {}
  int signal() const { return signal_; }
  int exit_status() const override { return 128 + signal_; }

 private:
  int signal_;
};

class LiveProgram final : public TunedProgram {
 public:
  // Starts the command, with {batch} replaced by the batch. Throws the errors of measure_command()
  // for a command, and IoError if the machine has no power sensor. The arguments must outlive this
  // object. Only one LiveProgram may exist in a process at a time.
  LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
              std::vector<std::string> command, int batch);
  // Attaches to a running process that writes its marks into a file: RIDGEWATT_MARK_FD in its
  // environment is the number of a descriptor of a regular file. Throws NotFoundError (no such
  // process), PermissionError, and UsageError (no such descriptor, or another program reads it).
  LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control, pid_t process);
  // If a signal arrived, waits for the program to end. Otherwise the program continues, unless
  // end() was called.
  ~LiveProgram() override;

  double now_s() const override;
  bool wait(double at_most_s, std::vector<TimedMark>& marks,
            std::vector<TimedPower>& power) override;
  void set(const PowerMode& mode) override;
  Surroundings surroundings() override;
  bool tells_means() const override;
  std::size_t malformed_marks() const override;

  pid_t process() const;
  // Sends SIGTERM to the program and its children and waits; after ten seconds, sends SIGKILL. A
  // process that was not started here is left alone.
  void end();
  // The exit status, or 128 + signal, after wait() returned false. 0 if end() ended the program, or
  // for a process that was not started here.
  int status() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

class BoardWatch;

// Marks that this process sets, from any thread; CallerProgram reads them.
class CallerMarks {
 public:
  void mark(TimedMark::Kind kind, const std::string& name = "");
  // No mark will follow.
  void end();
  // Like TunedProgram::wait.
  bool wait(double at_most_s, std::vector<TimedMark>& marks);

 private:
  static constexpr std::size_t kMost = 1 << 20;
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<TimedMark> marks_;
  bool ended_ = false;
};

// The current process as the program to tune; the profiler runs on another thread. Handles no
// signals and ends no program.
class CallerProgram final : public TunedProgram {
 public:
  // Throws IoError if the machine has no power sensor. The arguments must outlive this object.
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
