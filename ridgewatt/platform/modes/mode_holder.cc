#include "ridgewatt/platform/mode_holder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/platform/modes/mode_messages.h"

namespace ridgewatt::platform {
namespace {

// A board sets its clocks in less than a second. Waiting for the lock of another holder takes 3 s.
constexpr int kAnswerMs = 30'000;
constexpr int kLookMs = 500;       // between checks of a held mode's safety and of the owner
constexpr int kIdleLookMs = 5000;  // between checks of the owner if no mode is held

// Receives the next message. Empty if the other side has ended or is silent for `patience_ms`.
std::optional<std::string> receive(int socket, int patience_ms) {
  pollfd waiting{socket, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return std::nullopt;
  std::string text(kLongestMessage, '\0');
  ssize_t size = 0;
  do {
    size = ::recv(socket, text.data(), text.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  return text;
}

bool send_message(int socket, std::string_view text) {
  ssize_t size = 0;
  do {
    size = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  return size == static_cast<ssize_t>(text.size());
}

// Runs in the process that holds the mode.
class Keeper {
 public:
  Keeper(Sysfs& sysfs, const JetsonModeControl::Options& options)
      : sysfs_(sysfs), options_(options) {}

  // Answers requests until the owner ends. Then restores the original mode.
  void serve(int socket, pid_t owner) {
    while (::getppid() == owner) {  // a process that the owner forked may keep the socket open
      pollfd waiting{socket, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, holds_mode() ? kLookMs : kIdleLookMs);
      if (ready < 0 && errno != EINTR) break;
      look();
      if (ready <= 0) continue;
      const auto request = receive(socket, 0);
      if (!request || !send_message(socket, answer(*request))) break;
    }
    if (control_) control_->restore();
  }

 private:
  void look() {
    // Limits the rate, even with many requests.
    if (!holds_mode() || looked_.s() * 1e3 < kLookMs) return;
    looked_.restart();
    try {
      control_->check_safety();
    } catch (const Error& error) {  // the original mode was restored
      state_.fault = error.what();
      state_.holding = false;
    }
  }

  std::string answer(const std::string& request) {
    try {
      if (request.starts_with(kSetRequest)) set(request.substr(1));
      if (request.starts_with(kRestoreRequest)) {
        if (control_) control_->restore();
        state_.fault.clear();
      }
      state_.holding = holds_mode();
      return state_message(state_);
    } catch (const Error& error) {
      state_.holding = holds_mode();
      return error_message(error);
    } catch (const std::exception& error) {
      return error_message(
          IoError("internal error of the process that holds the power mode", error.what()));
    }
  }

  void set(const std::string& text) {
    if (!control_) control_ = std::make_unique<JetsonModeControl>(sysfs_, options_);
    if (!holds_mode()) {
      const ModeState before = control_->state();
      state_.first = before.limits;
      state_.first_preset = before.preset;
    }
    const ApplySummary summary = apply(text);
    state_.fault.clear();
    state_.held = {summary.applied, control_->state().preset, summary.written.writes.size(),
                   summary.written.changed};
  }

  ApplySummary apply(const std::string& text) {
    if (text.find('=') != std::string::npos) return control_->apply(parse_mode_text(text));
    // A preset may write files that the journal of the previous mode does not contain.
    if (control_->presets()) control_->presets()->mode(text);
    if (holds_mode()) control_->restore();
    return control_->apply_preset(text);
  }

  Sysfs& sysfs_;
  JetsonModeControl::Options options_;
  std::unique_ptr<JetsonModeControl> control_;  // created by the first change
  HolderState state_;
  Stopwatch looked_;  // since the last safety check
};

[[noreturn]] void run_keeper(Sysfs& sysfs, const JetsonModeControl::Options& options, int socket,
                             pid_t owner) {
  ::setsid();  // Ctrl+C on the terminal is for the owner
  ::prctl(PR_SET_NAME, "ridgewatt-mode");
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) ::signal(number, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Keeping standard output open would make readers of the owner's output wait for this process.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing, stream);
  int status = 0;
  try {
    Keeper keeper(sysfs, options);
    keeper.serve(socket, owner);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgewatt: the original power mode could not be restored: {}\n",
               error.what());
    std::fflush(stderr);
    status = 1;
  }
  ::_exit(status);
}

void require_no_threads() {
  std::error_code failed;
  std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  if (failed) return;  // no /proc: trust the caller
  const auto count = std::distance(begin(tasks), end(tasks));
  if (count > 1) {
    throw UsageError("a power mode must be held before the program starts threads",
                     fmt::format("{} are running", count));
  }
}

}  // namespace

ModeHolder::ModeHolder(Sysfs& sysfs, const JetsonModeControl::Options& options)
    : owner_(::getpid()) {
  require_no_threads();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw_errno(errno, "cannot start the process that holds the power mode", "socketpair");
  }
  OwnedFd theirs(ends[0]);
  socket_ = OwnedFd(ends[1]);
  child_ = fork_process("the holder of the power mode");
  if (child_ > 0) return;
  socket_.reset();
  run_keeper(sysfs, options, theirs.get(), owner_);
}

ModeHolder::~ModeHolder() {
  if (::getpid() == owner_) end();
}

void ModeHolder::end() {
  socket_.reset();
  wait_for_process(child_);
}

std::string ModeHolder::ask(std::string_view request) {
  if (::getpid() != owner_)
    throw UsageError("a forked process cannot use the power mode that its parent process holds");
  if (request.size() > kLongestMessage) throw UsageError("the text of the power mode is too long");
  const std::lock_guard<std::mutex> one(asking_);
  std::optional<std::string> answer;
  if (send_message(socket_.get(), request)) answer = receive(socket_.get(), kAnswerMs);
  if (!answer) {
    socket_.reset();  // makes a silent holder restore as well
    throw IoError(
        "the process that holds the power mode no longer answers; it restores the original mode",
        "", "if `ridgewatt mode show` still prints the other mode, run `ridgewatt mode restore`");
  }
  return *answer;
}

HeldMode ModeHolder::set(const std::string& mode) {
  return state_of_message(ask(std::string(1, kSetRequest) + mode)).held;
}

void ModeHolder::restore() {
  state_of_message(ask(std::string(1, kRestoreRequest)));
}

HolderState ModeHolder::state() {
  return state_of_message(ask(std::string(1, kStateRequest)));
}

}  // namespace ridgewatt::platform
