#include "ridgewatt/campaign/engine/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::size_t kMostOutput = std::size_t{64} << 20;

// posix_spawn's lists and the arrays that it wants.
class Spawn {
 public:
  Spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  void put(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void open_null(int to) {
    ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_RDONLY, 0);
  }
  pid_t start(const std::vector<std::string>& words, bool own_session, bool with_password) {
    std::vector<char*> arguments, environment;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const bool password = std::string_view(*entry).starts_with("PGPASSWORD=");
      if (with_password || !password) environment.push_back(*entry);
    }
    environment.push_back(nullptr);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(flags | (own_session ? POSIX_SPAWN_SETSID : 0)));
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

// A child that is ended and waited for on every way out.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t process_;
};

// Moves text between us and the child until both its outputs are closed.
void exchange(const std::string& name, OwnedFd input, const std::string& text, OwnedFd output,
              OwnedFd errors, double patience_s, ProgramOutput& result) {
  const Stopwatch since;
  std::size_t written = 0;
  const auto read_some = [](OwnedFd& fd, std::string& into) {
    char block[65536];
    const ssize_t count = ::read(fd.get(), block, sizeof block);
    if (count > 0 && into.size() < kMostOutput) into.append(block, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) fd.reset();
  };
  if (text.empty()) input.reset();
  ::fcntl(input.get(), F_SETFL, O_NONBLOCK);
  while (output || errors) {
    pollfd polled[3] = {
        {output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}, {input.get(), POLLOUT, 0}};
    if (since.s() > patience_s)
      throw IoError("does not answer", name, fmt::format("waited {:g} s", patience_s));
    if (::poll(polled, 3, 200) < 0 && errno != EINTR) throw_errno(errno, "cannot wait for", name);
    if (output && polled[0].revents != 0) read_some(output, result.output);
    if (errors && polled[1].revents != 0) read_some(errors, result.errors);
    if (!input || polled[2].revents == 0) continue;
    const ssize_t count = ::write(input.get(), text.data() + written, text.size() - written);
    if (count > 0) written += static_cast<std::size_t>(count);
    const bool broken = count < 0 && errno != EAGAIN && errno != EINTR;
    if (broken || written == text.size()) input.reset();
  }
}

// Writing to a program that has ended is no reason to end, too.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoredPipeSignal() { std::signal(SIGPIPE, before_); }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

std::string ProgramOutput::line() const {
  const std::string_view text = trim(trim(errors).empty() ? output : errors);
  return std::string(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input,
                          double patience_s) {
  Pipe in, out, err;
  Spawn spawn;
  spawn.put(in.read_end.get(), STDIN_FILENO);
  spawn.put(out.write_end.get(), STDOUT_FILENO);
  spawn.put(err.write_end.get(), STDERR_FILENO);
  const IgnoredPipeSignal ignored;
  Child child(spawn.start(words, false, false));
  in.read_end.reset();
  out.write_end.reset();
  err.write_end.reset();
  ProgramOutput result;
  exchange(words[0], std::move(in.write_end), input, std::move(out.read_end),
           std::move(err.read_end), patience_s, result);
  result.status = child.wait();
  return result;
}

std::string ask_program(const std::vector<std::string>& words, const std::string& input) {
  const auto result = run_program(words, input);
  if (result.status != 0) {
    throw IoError(fmt::format("{} ended with {}", words[0], result.status), result.line());
  }
  return result.output;
}

int start_program(const std::vector<std::string>& words, const std::string& log) {
  const OwnedFd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) throw_errno(errno, "cannot write", log);
  Spawn spawn;
  spawn.open_null(STDIN_FILENO);
  spawn.put(file.get(), STDOUT_FILENO);
  spawn.put(file.get(), STDERR_FILENO);
  return spawn.start(words, true, true);
}

long long process_start(int process) {
  const OwnedFd file(::open(fmt::format("/proc/{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
  const std::string_view line(text);
  const auto close = line.rfind(')');  // the name may hold anything
  if (close == std::string_view::npos) return 0;
  const auto words = words_of(line.substr(close + 1));
  if (words.size() < 20 || words[0] == "Z" || words[0] == "X") return 0;
  return parse_int(words[19]).value_or(0);
}

}  // namespace ridgewatt::campaign
