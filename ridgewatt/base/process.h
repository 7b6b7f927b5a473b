// Child processes: starts a program, exchanges data with it, limits its time and output, and ends
// it together with all processes that it started.
//
//   const ChildResult said = run_child({.words = {"squeue", "--json"}}, {.time_s = 60});
//   ChildProcess child({.words = {"tegrastats"}, .output = pipe.write_end.get()});
//   child.end(2);  // SIGTERM, then SIGKILL after two seconds
//
// Programs are started by posix_spawn(), which is safe in a process with threads. fork_process() is
// for children that run code of this program, such as data loaders and simulated users. It also
// starts measured commands, because their user and death signal are set between fork and exec.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

// The process group of a child.
enum class ChildGroup {
  kOurs,  // ours: Ctrl+C reaches both
  kOwn,   // its own: Ctrl+C reaches only us, and the child ends with all processes that it started
  kSession,  // its own session: the child outlives us and the terminal
};

struct ChildStart {
  std::vector<std::string> words;  // the program, searched in PATH, and its arguments
  // Our descriptors for the child's standard input, output and error. -1: /dev/null for the input,
  // our own descriptor for the others.
  int input = -1, output = -1, errors = -1;
  ChildGroup group = ChildGroup::kOurs;
  std::vector<std::string> without = {};  // environment variables to remove
  std::vector<std::string> with = {};     // environment variables to add, as NAME=VALUE
  // If set, the child has only its standard descriptors and these descriptors, numbered from 3, and
  // its working directory is "/". Otherwise it inherits all descriptors without O_CLOEXEC.
  std::optional<std::vector<int>> sealed = {};
};

// A running program. The destructor ends it and waits for it, unless release() was called.
class ChildProcess {
 public:
  ChildProcess() = default;
  // Starts the child with default signal handlers. Throws NotFoundError if the program does not
  // exist, and IoError if it cannot be started.
  explicit ChildProcess(const ChildStart& start);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(); }

  pid_t id() const { return id_; }
  bool running() const { return id_ > 0; }  // false after it was waited for or released
  // Sends a signal to the child, or to its process group if the child has its own group.
  void signal(int number) const;
  // Waits for the child and returns its status as waitpid() does. Kills remaining processes of the
  // child's own group.
  int wait();
  // Waits like wait(), but at most `seconds`. Returns nullopt if the child is still running.
  std::optional<int> wait_within(double seconds);
  // Sends SIGTERM if `patience_s` > 0 and waits that long, then sends SIGKILL and waits.
  void end(double patience_s = 0);
  // Gives up ownership of the child, which continues to run. Returns its process id.
  pid_t release();

 private:
  int reap();

  pid_t id_ = -1;
  bool own_group_ = false;
};

// Input and limits of run_child().
struct ChildTalk {
  std::string_view input = {};  // text for the child's standard input
  // Maximum time.
  double time_s = std::numeric_limits<double>::infinity();
  // Maximum size of the standard output.
  std::size_t output_bytes = std::size_t{64} << 20;
  std::size_t errors_bytes = std::size_t{64} << 10;  // size of the kept end of the standard error
  std::function<bool()> wanted = {};  // called every 20 ms: false ends the program; may be empty
};

// How a child ended: by itself, by a signal, or because it exceeded `time_s` or `output_bytes`, or
// because `wanted` returned false.
enum class ChildEnd { kExited, kSignaled, kTooLate, kTooLarge, kUnwanted };

struct ChildResult {
  ChildEnd end = ChildEnd::kExited;
  int status = 0;  // exit status or signal number
  std::string output = {}, errors = {};
};

// Starts a program, writes the input to it and reads both of its outputs until they are closed.
// Ends the program if it exceeds a limit or `wanted` returns false. `start` must not set input,
// output or errors.
ChildResult run_child(ChildStart start, const ChildTalk& talk = {});

// Returns the status as waitpid() does; continues after interruptions by signals.
int wait_for_process(pid_t process);
// Calls fork(). Throws IoError "cannot start WHAT".
pid_t fork_process(const std::string& what);

}  // namespace ridgewatt
