#include "ridgewatt/serve/ask/child.h"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>

#include "ridgewatt/base/fd.h"

namespace ridgewatt::serve {
namespace {

constexpr int kLookMs = 20;  // chosen: how soon an unwanted child ends
constexpr std::size_t kErrorsBytes = std::size_t{64} << 10;  // of standard error that are kept

// posix_spawn's lists, given back on every way out.
class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  // A group of its own, signals as they are by default, and no descriptor but these.
  void set(int output, int errors, const std::vector<int>& descriptors) {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    int next = STDERR_FILENO + 1;
    for (const int descriptor : descriptors) {
      ::posix_spawn_file_actions_adddup2(&actions_, descriptor, next++);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, next);
    ::posix_spawn_file_actions_addchdir_np(&actions_, "/");
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A running child and what it says.
class AskedChild {
 public:
  AskedChild(const std::vector<std::string>& words, const std::vector<int>& descriptors);
  ~AskedChild() {
    if (pid_ > 0) end();
  }
  AskedChild(const AskedChild&) = delete;
  AskedChild& operator=(const AskedChild&) = delete;

  // Reads until the child has closed both ends; says why it stopped.
  ChildEnd read(const ChildLimits& limits, const std::function<bool()>& wanted);
  int wait();
  void end() {
    ::kill(-pid_, SIGKILL);
    wait();
  }
  std::string output, errors;

 private:
  static bool take(OwnedFd& end, std::string& text, std::size_t limit, bool keep_end);

  pid_t pid_ = -1;
  OwnedFd output_, errors_;
};

// Descriptors from 3 on that dup2 could overwrite before they are used are moved out of its way.
std::vector<OwnedFd> moved_up(const std::vector<int>& descriptors) {
  static constexpr int kAbove = 64;
  std::vector<OwnedFd> moved;
  for (const int descriptor : descriptors) {
    moved.emplace_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove));
    if (!moved.back()) throw_errno(errno, "cannot hand an upload over", "");
  }
  return moved;
}

AskedChild::AskedChild(const std::vector<std::string>& words, const std::vector<int>& descriptors) {
  Pipe out, err;
  std::vector<int> ends = {out.write_end.get(), err.write_end.get()};
  ends.insert(ends.end(), descriptors.begin(), descriptors.end());
  const auto moved = moved_up(ends);
  std::vector<int> handed;
  for (std::size_t i = 2; i < moved.size(); ++i) handed.push_back(moved[i].get());
  SpawnActions how;
  how.set(moved[0].get(), moved[1].get(), handed);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = ::posix_spawn(&pid_, arguments[0], how.actions(), how.attributes(),
                                  arguments.data(), environ);
  if (error != 0) {
    pid_ = -1;
    throw_errno(error, "cannot start", words.front());
  }
  output_ = std::move(out.read_end);
  errors_ = std::move(err.read_end);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
}

int AskedChild::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

// False when there is more than fits.
bool AskedChild::take(OwnedFd& end, std::string& text, std::size_t limit, bool keep_end) {
  char piece[65536];
  while (end) {
    const ssize_t got = ::read(end.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      end.reset();
      return true;
    }
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > limit && !keep_end) return false;
    if (text.size() > limit) text.erase(0, text.size() - limit);
  }
  return true;
}

ChildEnd AskedChild::read(const ChildLimits& limits, const std::function<bool()>& wanted) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (output_ || errors_) {
    pollfd ends[] = {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};
    ::poll(ends, 2, kLookMs);
    if (!take(output_, output, limits.output_bytes, false)) return ChildEnd::kTooLarge;
    take(errors_, errors, kErrorsBytes, true);
    if (!wanted()) return ChildEnd::kUnwanted;
    if (std::chrono::duration<double>(Clock::now() - begin).count() > limits.time_s) {
      return ChildEnd::kTooLate;
    }
  }
  return ChildEnd::kExited;
}

std::string last_line_of(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto begin = text.rfind('\n');
  if (begin != std::string::npos) text.erase(0, begin + 1);
  static constexpr std::string_view kName = "ridgewatt: ";
  if (text.starts_with(kName)) text.erase(0, kName.size());
  return text;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                      const ChildLimits& limits, const std::function<bool()>& wanted) {
  AskedChild child(words, descriptors);
  ChildResult result;
  result.end = child.read(limits, wanted);
  if (result.end == ChildEnd::kExited) {
    const int status = child.wait();
    result.end = WIFSIGNALED(status) ? ChildEnd::kSignaled : ChildEnd::kExited;
    result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  } else {
    child.end();
  }
  result.output = std::move(child.output);
  result.last_line = last_line_of(std::move(child.errors));
  return result;
}

}  // namespace ridgewatt::serve
