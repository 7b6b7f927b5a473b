#include "ridgewatt/schedule/program_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/thread.h"

namespace ridgewatt::schedule {
namespace {

constexpr auto kKeeperTick = std::chrono::milliseconds(2);

// Standard output goes to standard error: the schedule prints its summary on the other.
pid_t start(const KeptProgram& program, const std::string& socket_path) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("RIDGEWATT_SOCKET=") || text.starts_with("RIDGEWATT_KIND=") ||
        text.starts_with("RIDGEWATT_NAME=")) {
      continue;
    }
    environment.emplace_back(text);
  }
  environment.push_back("RIDGEWATT_SOCKET=" + socket_path);
  environment.push_back(fmt::format("RIDGEWATT_KIND={}", name_of(program.kind)));
  environment.push_back("RIDGEWATT_NAME=" + program.name);
  std::vector<char*> words, variables;
  for (const auto& word : program.command) words.push_back(const_cast<char*>(word.c_str()));
  for (auto& variable : environment) variables.push_back(variable.data());
  words.push_back(nullptr);
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  // A process group of its own: Ctrl+C is for the controller, which ends its workers in order.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, words[0], &actions, &attributes, words.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) {
    throw NotFoundError("no such program", program.command[0], "is it installed?");
  }
  if (error != 0) throw_errno(error, "cannot start", program.command[0]);
  return child;
}

}  // namespace

class ProgramKeeper::Keeper {
 public:
  Keeper(std::vector<KeptProgram> programs, KeeperOptions options) : options_(std::move(options)) {
    for (auto& program : programs) {
      if (program.command.empty() || program.command[0].empty()) {
        throw UsageError("the program has no command", program.name);
      }
      children_.push_back({std::move(program)});
    }
    try {
      for (auto& child : children_) launch(child);
      thread_ = quiet_thread([this] { keep(); });
    } catch (...) {
      end_all();
      throw;
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    end_all();
  }

  std::size_t restarts() const {
    const std::lock_guard lock(mutex_);
    return restarts_;
  }
  pid_t process(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    for (const auto& child : children_) {
      if (child.program.name == name) return child.process;
    }
    return -1;
  }

 private:
  struct Child {
    KeptProgram program;
    pid_t process = -1;
    double started_s = 0;
    double start_at_s = 0;  // of the next start
    int failures = 0;
    bool given_up = false;
  };

  void say(const std::string& text) const {
    if (options_.on_event) options_.on_event(text);
  }

  void launch(Child& child) {
    child.started_s = monotonic_s();
    child.process = start(child.program, options_.socket_path);
  }

  static std::string how_ended(int status) {
    return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                               : fmt::format("status {}", WEXITSTATUS(status));
  }

  // Takes note of a child that ended, and ends what it started and left behind, which would still
  // be the program's worker; false while it runs.
  static bool reap(Child& child, int& status) {
    if (child.process <= 0) return false;
    siginfo_t info{};
    const auto id = static_cast<id_t>(child.process);
    // Not waited for yet, so that its number is no other group's.
    const int failed = ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed == 0 ? info.si_pid == 0 : errno == EINTR) return false;
    if (failed == 0) ::kill(-child.process, SIGKILL);
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    child.process = -1;
    return true;
  }

  void look_after(Child& child) {
    int status = 0;
    if (reap(child, status)) {
      const double now = monotonic_s();
      const bool healthy = now - child.started_s >= options_.healthy_s;
      child.failures = healthy ? 0 : child.failures + 1;
      child.start_at_s = now;
      if (!healthy) child.start_at_s += options_.first_wait_s * (1 << (child.failures - 1));
      child.given_up = !options_.restart || child.failures >= options_.most_failures;
      say(fmt::format("program {} ended with {}{}", child.program.name, how_ended(status),
                      child.given_up ? ": not started again" : ""));
    }
    if (child.process > 0 || child.given_up || monotonic_s() < child.start_at_s) return;
    try {
      launch(child);
      ++restarts_;
      say(fmt::format("program {} started again, process {}", child.program.name, child.process));
    } catch (const Error& error) {
      child.given_up = true;
      say(fmt::format("program {} cannot be started again: {}", child.program.name, error.what()));
    }
  }

  void keep() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      for (auto& child : children_) look_after(child);
      changed_.wait_for(lock, kKeeperTick, [&] { return stopping_; });
    }
  }

  bool wait_for_all(double seconds) {
    const Stopwatch watch;
    while (true) {
      bool running = false;
      for (auto& child : children_) {
        int status = 0;
        if (child.process > 0 && !reap(child, status)) running = true;
      }
      if (!running) return true;
      if (watch.s() >= seconds) return false;
      std::this_thread::sleep_for(kKeeperTick);
    }
  }

  // They hear `bye` and end; who does not is told, and then made to.
  void end_all() {
    for (const int signal : {0, SIGTERM, SIGKILL}) {
      for (const auto& child : children_) {
        if (child.process > 0 && signal != 0) ::kill(-child.process, signal);
      }
      if (wait_for_all(options_.patience_s)) return;
    }
  }

  KeeperOptions options_;
  std::vector<Child> children_;
  std::size_t restarts_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

ProgramKeeper::ProgramKeeper(std::vector<KeptProgram> programs, KeeperOptions options)
    : keeper_(std::make_unique<Keeper>(std::move(programs), std::move(options))) {}
ProgramKeeper::~ProgramKeeper() {
  keeper_->stop();
}
void ProgramKeeper::stop() {
  keeper_->stop();
}
std::size_t ProgramKeeper::restarts() const {
  return keeper_->restarts();
}
pid_t ProgramKeeper::process(const std::string& name) const {
  return keeper_->process(name);
}

}  // namespace ridgewatt::schedule
