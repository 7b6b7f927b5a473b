#include "ridgewatt/measure/sampling/marked_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::measure {
namespace {

constexpr int kDrainMs = 100;
constexpr double kPatienceS = 10;  // between SIGTERM and SIGKILL

// Everything that the child needs, prepared before fork: after fork, only system calls are safe.
struct ChildPlan {
  std::vector<std::string> environment;
  std::vector<char*> environment_pointers;
  std::vector<char*> arguments;
  std::string path;
  int mark_end = -1;
  int mark_number = -1;  // number of the descriptor in the child
  int error_end = -1;
  int output = -1;
  int errors = -1;
  uid_t user = 0;
  gid_t group = 0;
  bool change_user = false;
  pid_t parent = 0;
  CommandTie tie = CommandTie::kEndsWithUs;
};

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw NotFoundError("no such program", name, "give its path");
}

std::optional<std::int64_t> environment_number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? parse_int(text) : std::nullopt;
}

// A free descriptor below 10 for marks, since a POSIX shell can only write to those. It must not be
// one that the command inherits from the caller of this program.
int mark_number(int error_end) {
  for (int fd = 3; fd < 10; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (fd != error_end && (flags < 0 || (flags & FD_CLOEXEC) != 0)) return fd;
  }
  throw IoError("no file descriptor below 10 is free to pass marks of the program", "",
                "close files that the calling program leaves open");
}

ChildPlan plan_child(const std::vector<std::string>& command, int mark_end, int error_end) {
  ChildPlan plan;
  plan.path = find_program(command[0]);
  for (const auto& argument : command) {
    plan.arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  plan.arguments.push_back(nullptr);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).rfind("RIDGEWATT_MARK_FD=", 0) != 0) {
      plan.environment.emplace_back(*entry);
    }
  }
  plan.mark_number = mark_number(error_end);
  plan.environment.push_back(fmt::format("RIDGEWATT_MARK_FD={}", plan.mark_number));
  for (auto& entry : plan.environment) plan.environment_pointers.push_back(entry.data());
  plan.environment_pointers.push_back(nullptr);
  plan.mark_end = mark_end;
  plan.error_end = error_end;
  plan.output = STDERR_FILENO;
  plan.errors = STDERR_FILENO;
  const auto user = environment_number("SUDO_UID");
  const auto group = environment_number("SUDO_GID");
  if (::geteuid() == 0 && user && group) {
    plan.change_user = true;
    plan.user = static_cast<uid_t>(*user);
    plan.group = static_cast<gid_t>(*group);
  }
  plan.parent = ::getpid();
  return plan;
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  const auto fail = [&] {
    const int error = errno;
    if (::write(plan.error_end, &error, sizeof error) < 0) ::_exit(126);
    ::_exit(127);
  };
  const bool tied = plan.tie == CommandTie::kEndsWithUs;
  if (tied) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  } else {
    ::setpgid(0, 0);
  }
  if (::getppid() != plan.parent) ::_exit(126);  // the parent has already ended
  ::signal(SIGPIPE, SIG_DFL);
  if (plan.change_user) {
    if (::setgroups(1, &plan.group) != 0 || ::setgid(plan.group) != 0 || ::setuid(plan.user) != 0) {
      fail();
    }
    if (tied) ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user clears it
  }
  if (::dup2(plan.output, STDOUT_FILENO) < 0) fail();
  if (plan.errors != STDERR_FILENO && ::dup2(plan.errors, STDERR_FILENO) < 0) fail();
  if (plan.mark_number == plan.mark_end) {
    if (::fcntl(plan.mark_end, F_SETFD, 0) != 0) fail();
  } else if (::dup2(plan.mark_end, plan.mark_number) < 0) {
    fail();
  }
  ::execve(plan.path.c_str(), plan.arguments.data(), plan.environment_pointers.data());
  fail();
  ::_exit(127);
}

// After the owner has ended, reads and drops marks until the command ends. Only system calls.
[[noreturn]] void drop_marks(int life, int marks) {
  ::setsid();  // signals of the terminal must not end this process
  ::prctl(PR_SET_NAME, "ridgewatt-marks");
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
  const auto most = static_cast<int>(std::min(::sysconf(_SC_OPEN_MAX), 65536L));
  for (int fd = 3; fd < most; ++fd) {
    if (fd != life && fd != marks) ::close(fd);
  }
  char buffer[4096];
  ssize_t count = 0;
  do {
    count = ::read(life, buffer, sizeof buffer);
  } while (count > 0 || (count < 0 && errno == EINTR));
  ::fcntl(marks, F_SETFL, 0);  // back to blocking reads
  do {
    count = ::read(marks, buffer, sizeof buffer);
  } while (count > 0 || (count < 0 && errno == EINTR));
  ::_exit(0);
}

// Reads the marks, and ends the command on request.
class Watch {
 public:
  Watch(pid_t child, int marks_fd, CommandRun& run) : child_(child), fd_(marks_fd), run_(run) {
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  // Waits for the end. Returns the wait status of the child.
  int until_end(const std::function<bool(const std::vector<TimedMark>&)>& go_on, rusage& usage) {
    MarkReader marks(run_.begin_s);
    int status = 0;
    // Kernels before 5.3 (JetPack 4) have no pidfd: poll for the end every 2 ms.
    const OwnedFd end_fd(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    std::exception_ptr failure;  // end the command before it is rethrown
    do {
      pollfd wait[2] = {{open_ ? fd_ : -1, POLLIN, 0}, {end_fd.get(), POLLIN, 0}};
      ::poll(wait, 2, end_fd ? kDrainMs : 2);
      take(marks);
      try {
        if (!failure) check_work();
        if (failure || !go_on(marks.marks())) end();
      } catch (...) {
        failure = std::current_exception();
        end();
      }
    } while (!ended());
    run_.io =
        pipeline::read_process_io(child_);  // includes children, but must be read before wait4
    while (::wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (failure) std::rethrow_exception(failure);
    take(marks);
    run_.marks = marks.marks();
    run_.words = marks.words();
    run_.malformed_marks = marks.malformed();
    return status;
  }

 private:
  void take(MarkReader& marks) {
    char buffer[4096];
    ssize_t count = 0;
    while (open_ && (count = ::read(fd_, buffer, sizeof buffer)) > 0) {
      marks.add({buffer, static_cast<std::size_t>(count)}, monotonic_s());
    }
    if (count == 0) open_ = false;
  }
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child_;
  }
  void end() {
    if (!run_.ended) {
      asked_s_ = monotonic_s();
      signal_tree(child_, SIGTERM);
    } else if (!killed_ && monotonic_s() > asked_s_ + kPatienceS) {
      killed_ = true;
      signal_tree(child_, SIGKILL);
    }
    run_.ended = true;
  }

  pid_t child_;
  int fd_;
  CommandRun& run_;
  bool open_ = true;
  bool killed_ = false;
  double asked_s_ = 0;
};

}  // namespace

void signal_tree(pid_t process, int number) {
  std::error_code ignored;
  const std::string tasks = fmt::format("/proc/{}/task", process);
  // A process may end at any time, so no call may throw.
  for (std::filesystem::directory_iterator task(tasks, ignored), end; !ignored && task != end;
       task.increment(ignored)) {
    std::ifstream children(task->path() / "children");
    pid_t child = 0;
    while (children >> child) signal_tree(child, number);
  }
  ::kill(process, number);
}

StartedCommand start_marked_command(const std::vector<std::string>& command, CommandTie tie,
                                    int output, int errors) {
  if (command.empty()) throw UsageError("measure needs a command", "", "give it after --");
  Pipe marks_pipe;
  Pipe error_pipe;
  ChildPlan plan = plan_child(command, marks_pipe.write_end.get(), error_pipe.write_end.get());
  plan.tie = tie;
  if (output >= 0) plan.output = output;
  if (errors >= 0) plan.errors = errors;
  StartedCommand started;
  if (tie == CommandTie::kOutlivesUs) {
    Pipe life;
    const pid_t dropper = fork_process("the command");
    if (dropper == 0) drop_marks(life.read_end.get(), marks_pipe.read_end.get());
    started.life = std::move(life.write_end);
  }
  const pid_t child = fork_process("the command");
  if (child == 0) run_child(plan);
  marks_pipe.write_end.reset();
  error_pipe.write_end.reset();
  int exec_error = 0;
  ssize_t got = 0;
  do {
    got = ::read(error_pipe.read_end.get(), &exec_error, sizeof exec_error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof exec_error) {
    wait_for_process(child);
    throw_errno(exec_error, "cannot start the command", command[0]);
  }
  started.process = child;
  started.marks = std::move(marks_pipe.read_end);
  return started;
}

CommandRun run_marked_command(const std::vector<std::string>& command,
                              const std::function<bool(const std::vector<TimedMark>&)>& watch,
                              int output, int errors) {
  CommandRun result;
  result.begin_s = monotonic_s();
  const StartedCommand started =
      start_marked_command(command, CommandTie::kEndsWithUs, output, errors);
  rusage usage{};
  const int status = Watch(started.process, started.marks.get(), result).until_end(watch, usage);
  result.end_s = monotonic_s();
  const int plain = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.status = result.ended ? 0 : plain;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  result.user_s = seconds(usage.ru_utime);
  result.system_s = seconds(usage.ru_stime);
  result.peak_memory_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  return result;
}

}  // namespace ridgewatt::measure
