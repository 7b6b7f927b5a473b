// Child processes: starts a program, exchanges data with it, limits it, and ends it together with
// everything that it started.
//
//   const ChildResult said = run_child({.words = {"squeue", "--json"}}, {.time_s = 60});
//   ChildProcess child({.words = {"tegrastats"}, .output = pipe.write_end.get()});
//   child.end(2);  // SIGTERM, and SIGKILL two seconds later
//
// Programs are started by posix_spawn, which is safe in a process with threads. fork_process() is
// for children that run our own code (keepers of modes and of the terminal, loader workers,
// simulated users), and for a measured command, whose user and death signal are set between fork
// and exec.
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

enum class ChildGroup {
  kOurs,     // Ctrl+C reaches both
  kOwn,      // Ctrl+C reaches only us; the child ends with everything that it started
  kSession,  // the child outlives us and the terminal
};

struct ChildStart {
  std::vector<std::string> words;  // the program, found along PATH, and its arguments
  // Our descriptors that become the child's standard input, output and error. -1: /dev/null for
  // the input, our own for the others.
  int input = -1, output = -1, errors = -1;
  ChildGroup group = ChildGroup::kOurs;
  std::vector<std::string> without = {};  // environment variables to leave out
  std::vector<std::string> with = {};     // environment variables to add, NAME=VALUE
  // If set, the child gets only its three standard descriptors and these, as 3, 4, ..; its working
  // directory is "/".
  std::optional<std::vector<int>> sealed = {};
};

// A running program. The destructor ends it and waits for it, unless it was released.
class ChildProcess {
 public:
  ChildProcess() = default;
  // The child starts with default signal handlers. NotFoundError: no such program. IoError: it
  // cannot be started.
  explicit ChildProcess(const ChildStart& start);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(); }

  pid_t id() const { return id_; }
  bool running() const { return id_ > 0; }  // not waited for yet
  // Sends a signal to the child, or to its group if it has its own.
  void signal(int number) const;
  // Waits; returns the status of waitpid. Kills what is left of the child's own group.
  int wait();
  // The same, for at most `seconds`; nothing if the child still runs.
  std::optional<int> wait_within(double seconds);
  // Sends SIGTERM if there is patience, then SIGKILL; waits.
  void end(double patience_s = 0);
  // Lets the child run on; returns its process number.
  pid_t release();

 private:
  int reap();

  pid_t id_ = -1;
  bool own_group_ = false;
};

struct ChildTalk {
  std::string_view input = {};  // written to the child's standard input
  double time_s = std::numeric_limits<double>::infinity();
  std::size_t output_bytes = std::size_t{64} << 20;
  std::size_t errors_bytes = std::size_t{64} << 10;  // older ones are dropped
  std::function<bool()> wanted = {};                 // asked every 20 ms; false ends the program
};

enum class ChildEnd { kExited, kSignaled, kTooLate, kTooLarge, kUnwanted };

struct ChildResult {
  ChildEnd end = ChildEnd::kExited;
  int status = 0;  // exit status, or the signal
  std::string output = {}, errors = {};
};

// Starts a program, writes the input to it and reads until it has closed both outputs. Ends a
// program that takes too long, prints too much or is no longer wanted. `start` must not set input,
// output or errors.
ChildResult run_child(ChildStart start, const ChildTalk& talk = {});

// waitpid() that is not interrupted by signals; returns the status.
int wait_for_process(pid_t process);
// fork(). IoError "cannot start WHAT".
pid_t fork_process(const std::string& what);

}  // namespace ridgewatt
