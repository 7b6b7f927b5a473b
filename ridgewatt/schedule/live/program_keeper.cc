#include "ridgewatt/schedule/program_keeper.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/thread.h"

namespace ridgewatt::schedule {
namespace {

constexpr auto kKeeperTick = std::chrono::milliseconds(2);

// Standard output is redirected to standard error, because the schedule prints its summary on
// standard output. The own process group keeps Ctrl+C away from the workers, which the controller
// ends in order, and includes the processes that a worker leaves behind.
ChildProcess start(const KeptProgram& program, const std::string& socket_path) {
  return ChildProcess({.words = program.command,
                       .output = STDERR_FILENO,
                       .group = ChildGroup::kOwn,
                       .without = {"RIDGEWATT_SOCKET", "RIDGEWATT_KIND", "RIDGEWATT_NAME"},
                       .with = {"RIDGEWATT_SOCKET=" + socket_path,
                                fmt::format("RIDGEWATT_KIND={}", name_of(program.kind)),
                                "RIDGEWATT_NAME=" + program.name}});
}

}  // namespace

class ProgramKeeper::Keeper {
 public:
  Keeper(std::vector<KeptProgram> programs, KeeperOptions options) : options_(std::move(options)) {
    for (auto& program : programs) {
      if (program.command.empty() || program.command[0].empty()) {
        throw UsageError("the program has no command to start it", program.name);
      }
      children_.push_back({std::move(program), {}});
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
      if (child.program.name == name) return child.process.id();
    }
    return -1;
  }

 private:
  struct Child {
    KeptProgram program;
    ChildProcess process = {};
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

  void look_after(Child& child) {
    if (const auto status = child.process.wait_within(0)) {
      const double now = monotonic_s();
      const bool healthy = now - child.started_s >= options_.healthy_s;
      child.failures = healthy ? 0 : child.failures + 1;
      child.start_at_s = now;
      if (!healthy) child.start_at_s += options_.first_wait_s * (1 << (child.failures - 1));
      child.given_up = !options_.restart || child.failures >= options_.most_failures;
      say(fmt::format("program {} ended with {}{}", child.program.name, how_ended(*status),
                      child.given_up ? ": not started again" : ""));
    }
    if (child.process.running() || child.given_up || monotonic_s() < child.start_at_s) return;
    try {
      launch(child);
      ++restarts_;
      say(fmt::format("program {} started again, process {}", child.program.name,
                      child.process.id()));
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
        child.process.wait_within(0);
        if (child.process.running()) running = true;
      }
      if (!running) return true;
      if (watch.s() >= seconds) return false;
      std::this_thread::sleep_for(kKeeperTick);
    }
  }

  // The workers receive `bye` and should exit. Those that do not get SIGTERM, then SIGKILL.
  void end_all() {
    for (const int signal : {0, SIGTERM, SIGKILL}) {
      for (const auto& child : children_) {
        if (signal != 0) child.process.signal(signal);
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
