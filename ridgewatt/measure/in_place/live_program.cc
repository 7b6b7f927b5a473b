#include "ridgewatt/measure/live_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/measure/in_place/board_watch.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/measure/sampling/marked_command.h"

namespace ridgewatt::measure {
namespace {

constexpr double kGraceS = 10;  // between SIGTERM and SIGKILL
constexpr std::array<int, 3> kAsking = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asked_by = 0;
// Process group of the program; 0: do not end the program.
volatile std::sig_atomic_t asked_group = 0;

void pass_on(int number) {
  asked_by = number;
  if (asked_group > 0) ::kill(-static_cast<pid_t>(asked_group), number);
}

// Opens the file to which a running process writes its marks, at its end.
OwnedFd marks_of(pid_t process) {
  const std::string folder = fmt::format("/proc/{}", process);
  if (::access(folder.c_str(), F_OK) != 0) {
    throw NotFoundError("there is no process with this id", std::to_string(process),
                        "the program may have ended");
  }
  const std::string how =
      "start it with RIDGEWATT_MARK_FD=3 and 3>marks.txt (docs/guide/tune_in_place.md)";
  std::optional<std::int64_t> number;
  for (const auto& entry : split(read_file(folder + "/environ"), '\0')) {
    static const std::string kName = "RIDGEWATT_MARK_FD=";
    if (entry.rfind(kName, 0) == 0) number = parse_int(entry.substr(kName.size()));
  }
  if (!number || *number < 0) {
    throw UsageError("the process does not mark its minibatches", std::to_string(process), how);
  }
  const std::string path = fmt::format("{}/fd/{}", folder, *number);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw_errno(errno, "cannot open the file of the program's marks", path);
  if (!S_ISREG(status.st_mode)) {
    throw UsageError("the process does not write its marks to a file", path,
                     S_ISFIFO(status.st_mode)
                         ? "its marks go to a pipe that another program reads; " + how
                         : how);
  }
  OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw_errno(errno, "cannot read the file of the program's marks", path);
  ::lseek(file.get(), 0, SEEK_END);
  return file;
}

}  // namespace

class LiveProgram::State {
  // Installs handlers for signals that would end this process. Restores the old ones at the end.
  class AskingSignals {
   public:
    AskingSignals() {
      asked_by = 0;
      for (std::size_t i = 0; i < kAsking.size(); ++i) {
        ::sigaction(kAsking[i], nullptr, &before_[i]);
        if (before_[i].sa_handler == SIG_IGN) continue;  // ignored, as under nohup
        struct sigaction action {};
        action.sa_handler = pass_on;
        sigemptyset(&action.sa_mask);
        ::sigaction(kAsking[i], &action, nullptr);
      }
    }
    ~AskingSignals() {
      for (std::size_t i = 0; i < kAsking.size(); ++i) {
        ::sigaction(kAsking[i], &before_[i], nullptr);
      }
      asked_group = 0;
    }
    AskingSignals(const AskingSignals&) = delete;
    AskingSignals& operator=(const AskingSignals&) = delete;

   private:
    std::array<struct sigaction, kAsking.size()> before_{};
  };

 public:
  // `start` is called when signals are already passed on.
  State(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
        const std::function<StartedCommand()>& start, bool ours)
      : control_(control), started_(start()), ours_(ours), marks_(monotonic_s()) {
    asked_group = ours ? started_.process : 0;
    if (asked_by != 0) pass_on(asked_by);  // while the program started
    end_ = OwnedFd(static_cast<int>(::syscall(SYS_pidfd_open, started_.process, 0)));
    if (ours) ::fcntl(started_.marks.get(), F_SETFL, O_NONBLOCK);
    try {
      board_ = std::make_unique<BoardWatch>(sysfs, started_.process);
    } catch (const Error&) {
      end();
      throw;
    }
  }

  bool wait(double at_most_s, std::vector<TimedMark>& marks, std::vector<TimedPower>& power) {
    const int ms = std::max(1, static_cast<int>(at_most_s * 1e3));
    pollfd waiting[2] = {{ours_ && open_ ? started_.marks.get() : -1, POLLIN, 0},
                         {end_.get(), POLLIN, 0}};
    ::poll(waiting, 2, ms);
    if (asked_by != 0) throw InterruptedError(asked_by);
    take_marks();
    for (auto& mark : marks_.take()) marks.push_back(std::move(mark));
    board_->drain(power);
    return runs();
  }

  void set(const PowerMode& mode) { control_.apply(mode); }

  Surroundings surroundings() { return board_->surroundings(); }
  bool tells_means() const { return board_->tells_means(); }
  std::size_t malformed_marks() const { return marks_.malformed(); }
  pid_t process() const { return started_.process; }
  int status() const { return status_; }

  void end() {
    if (!ours_ || ended_) return;
    const double asked_s = monotonic_s();
    signal_tree(started_.process, SIGTERM);
    bool killed = false;
    while (runs()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      take_marks();  // so that the program does not block on a full pipe
      marks_.take();
      if (killed || monotonic_s() < asked_s + kGraceS) continue;
      signal_tree(started_.process, SIGKILL);
      killed = true;
    }
    status_ = 0;
  }

  // After a signal was passed on: gives the program time to end, so that its output is complete.
  void let_end() {
    const double asked_s = monotonic_s();
    while (ours_ && runs() && monotonic_s() < asked_s + kGraceS) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      take_marks();
      marks_.take();
    }
  }

 private:
  void take_marks() {
    char buffer[4096];
    ssize_t count = 0;
    while (open_ && (count = ::read(started_.marks.get(), buffer, sizeof buffer)) > 0) {
      marks_.add({buffer, static_cast<std::size_t>(count)}, monotonic_s());
    }
    if (count == 0 && ours_) open_ = false;  // a regular file may still grow
  }

  bool runs() {
    if (ended_) return false;
    if (ours_) {
      int status = 0;
      pid_t found = 0;
      do {
        found = ::waitpid(started_.process, &status, WNOHANG);
      } while (found < 0 && errno == EINTR);
      ended_ = found == started_.process;
      if (ended_) status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (end_) {
      pollfd waiting{end_.get(), POLLIN, 0};
      ended_ = ::poll(&waiting, 1, 0) > 0;
    } else {
      ended_ = ::kill(started_.process, 0) != 0 && errno == ESRCH;
    }
    if (ended_) asked_group = 0;
    return !ended_;
  }

  const AskingSignals signals_;
  platform::JetsonModeControl& control_;
  StartedCommand started_;
  bool ours_;
  OwnedFd end_;
  std::unique_ptr<BoardWatch> board_;
  MarkReader marks_;
  bool open_ = true, ended_ = false;
  int status_ = 0;
};

LiveProgram::LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                         std::vector<std::string> command, int batch) {
  fill_in(command, kBatchPlace, batch);
  state_ = std::make_unique<State>(
      sysfs, control, [&] { return start_marked_command(command, CommandTie::kOutlivesUs); },
      /*ours=*/true);
}

LiveProgram::LiveProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                         pid_t process) {
  const auto running = [&] {
    StartedCommand started;
    started.process = process;
    started.marks = marks_of(process);
    return started;
  };
  state_ = std::make_unique<State>(sysfs, control, running, /*ours=*/false);
}

LiveProgram::~LiveProgram() {
  if (asked_by == 0) return;  // the program continues
  state_->let_end();
  state_->end();
}

double LiveProgram::now_s() const {
  return monotonic_s();
}

bool LiveProgram::wait(double at_most_s, std::vector<TimedMark>& marks,
                       std::vector<TimedPower>& power) {
  return state_->wait(at_most_s, marks, power);
}

void LiveProgram::set(const PowerMode& mode) {
  state_->set(mode);
}

TunedProgram::Surroundings LiveProgram::surroundings() {
  return state_->surroundings();
}

bool LiveProgram::tells_means() const {
  return state_->tells_means();
}

std::size_t LiveProgram::malformed_marks() const {
  return state_->malformed_marks();
}

pid_t LiveProgram::process() const {
  return state_->process();
}

void LiveProgram::end() {
  state_->end();
}

int LiveProgram::status() const {
  return state_->status();
}

}  // namespace ridgewatt::measure
