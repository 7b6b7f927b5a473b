#include "ridgewatt/platform/mode_guardian.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/base/process.h"

namespace ridgewatt::platform {
namespace {

constexpr char kReady = 'y';
constexpr char kRestore = 'r';
constexpr std::array<int, 4> kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// For the signal handler: pipe and process id of the child, and the journal's lock. -1: no
// guardian.
volatile sig_atomic_t guardian_pipe = -1;
volatile sig_atomic_t guardian_child = -1;
volatile sig_atomic_t guardian_lock = -1;

// Closing the pipe makes the child restore the mode. The owner ends only after the child. Uses only
// functions that are safe in a signal handler.
void end_by_signal(int signal_number) {
  const int commands = guardian_pipe;
  const int child = guardian_child;
  guardian_pipe = -1;
  if (commands >= 0) ::close(commands);
  if (child > 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::signal(signal_number, InterruptNote::handler());
  ::raise(signal_number);
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int other : kEndingSignals) sigaddset(&action.sa_mask, other);
  ::sigaction(number, &action, nullptr);
}

// Handles the signals that would end the process. A signal that the program handles itself (Ctrl+C
// of an interpreter) or ignores keeps its handler.
void take_signals() {
  for (const int number : kEndingSignals) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (InterruptNote::ends_process(now.sa_handler)) set_handler(number, end_by_signal);
  }
}

void give_signals_back() {
  for (const int number : kEndingSignals) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler == end_by_signal) set_handler(number, InterruptNote::handler());
  }
}

// Runs in each process that the owner forks, such as a worker of a data loader. It may outlive the
// owner, so it must hold neither the pipe, whose end makes the child restore the mode, nor the
// lock. The descriptor numbers stay in use, since the objects that own them were copied as well.
// Uses only functions that are safe after a fork with threads.
void let_go_in_fork() {
  for (volatile sig_atomic_t* held : {&guardian_pipe, &guardian_lock}) {
    if (*held < 0) continue;
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) ::dup3(nothing, *held, O_CLOEXEC);
    if (nothing >= 0) ::close(nothing);
    *held = -1;
  }
  guardian_child = -1;
}

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kEndingSignals) sigaddset(&set, number);
    ::sigprocmask(SIG_BLOCK, &set, &old_);
  }
  ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &old_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t old_;
};

pid_t wait_for(pid_t child, int* status) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

}  // namespace

SharedFlag::SharedFlag()
    : memory_(sizeof(std::atomic<int>)), flag_(new (memory_.data()) std::atomic<int>(0)) {}

ModeGuardian::ModeGuardian(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder,
                           const std::vector<FileSetting>& others)
    : sysfs_(sysfs), layout_(layout) {
  if (holds_mode())
    throw UsageError("this program already holds a power mode", "", "release it first");
  journal_ = std::make_unique<ModeJournal>(sysfs, folder);
  const BlockedSignals blocked;
  recover();
  snapshot_ = take_snapshot(sysfs, layout, others);
  journal_->begin(snapshot_);
  try {
    start_child();
  } catch (const Error&) {  // nothing was changed yet
    journal_->end();
    throw;
  }
  take_signals();
}

ModeGuardian::~ModeGuardian() {
  try {
    restore();
  } catch (const Error& error) {
    fmt::print(stderr, "ridgewatt: {}\n", error.what());
  }
}

void ModeGuardian::recover() {
  const auto left = journal_->pending();
  if (!left) return;
  restore_snapshot(sysfs_, layout_, *left);
  journal_->end();
}

void ModeGuardian::start_child() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw_errno(errno, "cannot start the process that restores the power mode", "socketpair");
  }
  OwnedFd theirs(ends[0]);
  OwnedFd ours(ends[1]);
  const pid_t child = fork_process("the guardian");
  if (child == 0) {
    ours.reset();
    run_child(theirs.get());
  }
  theirs.reset();
  // Change nothing before the child has left the session: a Ctrl+C would kill it together with the
  // owner.
  char ready = 0;
  ssize_t count = 0;
  do {
    count = ::read(ours.get(), &ready, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1 || ready != kReady) {
    ours.reset();
    ::kill(child, SIGKILL);
    wait_for(child, nullptr);
    throw IoError("cannot start the process that restores the power mode", "it ended at once");
  }
  static const int registered = ::pthread_atfork(nullptr, nullptr, let_go_in_fork);
  static_cast<void>(registered);
  child_ = child;
  commands_ = std::move(ours);
  guardian_lock = journal_->lock_fd();
  guardian_pipe = commands_.get();
  guardian_child = child;
}

void ModeGuardian::run_child(int commands) {
  ::setsid();  // Ctrl+C on the terminal is for the owner
  for (const int number : kEndingSignals) ::signal(number, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_NAME, "ridgewatt-guard");
  const char ready = kReady;
  if (::write(commands, &ready, 1) != 1) ::_exit(1);
  // Waits for a request to restore, or for the end of the owner.
  char command = 0;
  while (::read(commands, &command, 1) < 0 && errno == EINTR) {
  }
  int status = 0;
  try {
    if (kept_.raised()) {
      journal_->commit();
    } else {
      restore_snapshot(sysfs_, layout_, snapshot_);
      journal_->end();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgewatt: the original power mode could not be restored: {}\n",
               error.what());
    std::fflush(stderr);
    status = 1;
  }
  ::_exit(status);
}

bool ModeGuardian::finish_by_child() {
  const BlockedSignals blocked;
  done_ = true;
  struct sigaction ignore {};
  struct sigaction old {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old);  // the child may have ended
  const bool sent = ::write(commands_.get(), &kRestore, 1) == 1;
  ::sigaction(SIGPIPE, &old, nullptr);
  guardian_pipe = -1;
  commands_.reset();
  int status = 0;
  const pid_t ended = wait_for(child_, &status);
  guardian_child = -1;
  guardian_lock = -1;
  give_signals_back();
  return sent && ended == child_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void ModeGuardian::restore() {
  if (done_ || ::getpid() != owner_) return;
  if (finish_by_child()) return;
  // The child failed or was killed, so restore here. A failure of the child may be reported twice.
  restore_snapshot(sysfs_, layout_, snapshot_);
  journal_->end();
}

void ModeGuardian::keep_and_exit() {
  if (done_ || ::getpid() != owner_) ::_exit(0);
  // From here on, no signal may restore the original mode.
  for (const int number : kEndingSignals) set_handler(number, SIG_IGN);
  std::fflush(nullptr);
  kept_.raise();
  ::_exit(0);
}

bool holds_mode() {
  return guardian_child > 0;
}

bool recover_mode(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder,
                  double wait_s) {
  ModeJournal journal(sysfs, folder, wait_s);
  const auto left = journal.pending();
  if (!left) return false;
  const BlockedSignals blocked;
  restore_snapshot(sysfs, layout, *left);
  journal.end();
  return true;
}

WriteSummary restore_saved_mode(Sysfs& sysfs, const JetsonLayout& layout,
                                const std::string& folder) {
  ModeJournal journal(sysfs, folder);
  const BlockedSignals blocked;
  if (const auto left = journal.pending()) {
    restore_snapshot(sysfs, layout, *left);
    journal.end();
  }
  const auto saved = journal.saved();
  if (!saved) {
    throw NotFoundError(
        "there is no saved power mode to restore", folder,
        "'ridgewatt mode apply' has changed nothing since boot or since the last restore");
  }
  auto summary = restore_snapshot(sysfs, layout, *saved);
  journal.forget_saved();
  return summary;
}

}  // namespace ridgewatt::platform
