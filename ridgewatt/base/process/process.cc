#include "ridgewatt/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"

namespace ridgewatt {
namespace {

constexpr int kLookMs = 20;  // chosen: how soon an unwanted child is ended
constexpr auto kWaitTick = std::chrono::milliseconds(2);

// Owns the lists of posix_spawn.
class SpawnLists {
 public:
  explicit SpawnLists(ChildGroup group) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == ChildGroup::kOwn) flags |= POSIX_SPAWN_SETPGROUP;
    if (group == ChildGroup::kSession) flags |= POSIX_SPAWN_SETSID;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnLists() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnLists(const SpawnLists&) = delete;
  SpawnLists& operator=(const SpawnLists&) = delete;

  void put(int from, int to) {
    if (from >= 0) ::posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  void open_null(int to) {
    ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_RDONLY, 0);
  }
  void seal(int first_closed) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, first_closed);
    ::posix_spawn_file_actions_addchdir_np(&actions_, "/");
  }
  pid_t spawn(const std::vector<std::string>& words, std::vector<char*> environment) const {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    pid_t child = -1;
    const int error = ::posix_spawnp(&child, arguments[0], &actions_, &attributes_,
                                     arguments.data(), environment.data());
    if (error == ENOENT) throw NotFoundError("no such program", words[0], "is it installed?");
    if (error != 0) throw_errno(error, "cannot start", words[0]);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> environment_of(const ChildStart& start) {
  std::vector<char*> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (!contains(start.without, name)) variables.push_back(*entry);
  }
  for (const auto& text : start.with) variables.push_back(const_cast<char*>(text.c_str()));
  return variables;
}

// Duplicates a descriptor to a high number, so that dup2 does not overwrite it before it is used.
OwnedFd moved_up(int descriptor) {
  static constexpr int kAbove = 64;
  if (descriptor < 0) return OwnedFd();
  OwnedFd moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove));
  if (!moved)
    throw_errno(errno, "cannot pass a file descriptor to the child process",
                std::to_string(descriptor));
  return moved;
}

pid_t start_child(const ChildStart& start) {
  SpawnLists lists(start.group);
  std::vector<OwnedFd> moved;
  const auto put = [&](int from, int to) {
    moved.push_back(moved_up(from));
    lists.put(moved.back().get(), to);
  };
  if (start.input < 0) lists.open_null(STDIN_FILENO);
  put(start.input, STDIN_FILENO);
  put(start.output, STDOUT_FILENO);
  put(start.errors, STDERR_FILENO);
  if (start.sealed) {
    int next = STDERR_FILENO + 1;
    for (const int descriptor : *start.sealed) put(descriptor, next++);
    lists.seal(next);
  }
  return lists.spawn(start.words, environment_of(start));
}

// Ignores SIGPIPE, so that writing to a program that has ended does not end this program.
class IgnoredPipeSignal {
 public:
  explicit IgnoredPipeSignal(bool writes) {
    if (writes) before_ = std::signal(SIGPIPE, SIG_IGN);
  }
  ~IgnoredPipeSignal() {
    if (before_) std::signal(SIGPIPE, *before_);
  }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  std::optional<void (*)(int)> before_;
};

// Reads available bytes. Closes `end` at the end of the file.
void take(OwnedFd& end, std::string& text) {
  char piece[65536];
  const ssize_t got = ::read(end.get(), piece, sizeof piece);
  if (got > 0) text.append(piece, static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) end.reset();
}

// Writes as much as the program accepts. Closes `end` when all is written or the program has closed
// its end.
void give(OwnedFd& end, std::string_view& rest) {
  const ssize_t count = ::write(end.get(), rest.data(), rest.size());
  if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  const bool broken = count < 0 && errno != EAGAIN && errno != EINTR;
  if (broken || rest.empty()) end.reset();
}

struct Ends {
  OwnedFd input, output, errors;
};

ChildEnd talk_with(Ends ends, const ChildTalk& talk, ChildResult& result) {
  const Stopwatch since;
  std::string_view rest = talk.input;
  if (rest.empty()) ends.input.reset();
  while (ends.output || ends.errors) {
    pollfd polled[] = {{ends.output.get(), POLLIN, 0},
                       {ends.errors.get(), POLLIN, 0},
                       {ends.input.get(), POLLOUT, 0}};
    ::poll(polled, std::size(polled), kLookMs);
    if (ends.output && polled[0].revents != 0) take(ends.output, result.output);
    if (ends.errors && polled[1].revents != 0) take(ends.errors, result.errors);
    if (ends.input && polled[2].revents != 0) give(ends.input, rest);
    if (result.output.size() > talk.output_bytes) return ChildEnd::kTooLarge;
    if (result.errors.size() > talk.errors_bytes) {
      result.errors.erase(0, result.errors.size() - talk.errors_bytes);
    }
    if (talk.wanted && !talk.wanted()) return ChildEnd::kUnwanted;
    if (since.s() > talk.time_s) return ChildEnd::kTooLate;
  }
  return ChildEnd::kExited;
}

}  // namespace

ChildProcess::ChildProcess(const ChildStart& start)
    : id_(start_child(start)), own_group_(start.group != ChildGroup::kOurs) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), own_group_(other.own_group_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    end();
    id_ = std::exchange(other.id_, -1);
    own_group_ = other.own_group_;
  }
  return *this;
}

void ChildProcess::signal(int number) const {
  if (id_ > 0) ::kill(own_group_ ? -id_ : id_, number);
}

int ChildProcess::reap() {
  // The process was not waited for yet, so its id cannot belong to another group.
  if (own_group_) ::kill(-id_, SIGKILL);
  return wait_for_process(std::exchange(id_, -1));
}

int ChildProcess::wait() {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  return reap();
}

std::optional<int> ChildProcess::wait_within(double seconds) {
  for (const Stopwatch waiting; running();) {
    siginfo_t info{};
    const auto id = static_cast<id_t>(id_);
    const int failed = ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT);
    if (failed == 0 ? info.si_pid != 0 : errno != EINTR) return reap();
    if (waiting.s() >= seconds) break;
    std::this_thread::sleep_for(kWaitTick);
  }
  return std::nullopt;
}

void ChildProcess::end(double patience_s) {
  if (!running()) return;
  if (patience_s > 0) {
    signal(SIGTERM);
    if (wait_within(patience_s)) return;
  }
  signal(SIGKILL);
  reap();
}

pid_t ChildProcess::release() {
  return std::exchange(id_, -1);
}

ChildResult run_child(ChildStart start, const ChildTalk& talk) {
  Pipe in, out, err;
  if (!talk.input.empty()) start.input = in.read_end.get();
  start.output = out.write_end.get();
  start.errors = err.write_end.get();
  const IgnoredPipeSignal ignored(!talk.input.empty());
  ChildProcess child(start);
  in.read_end.reset();
  out.write_end.reset();
  err.write_end.reset();
  ::fcntl(in.write_end.get(), F_SETFL, O_NONBLOCK);
  ChildResult result;
  result.end = talk_with(
      {std::move(in.write_end), std::move(out.read_end), std::move(err.read_end)}, talk, result);
  if (result.end != ChildEnd::kExited) return result;
  const int status = child.wait();
  result.end = WIFSIGNALED(status) ? ChildEnd::kSignaled : ChildEnd::kExited;
  result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

int wait_for_process(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

pid_t fork_process(const std::string& what) {
  const pid_t child = ::fork();
  if (child < 0) throw_errno(errno, "cannot fork a process for " + what, "");
  return child;
}

}  // namespace ridgewatt
