#include "ridgewatt/evaluate/processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/evaluate/parts.h"

namespace ridgewatt::evaluate {
namespace {

constexpr int kMostStarts = 4;  // maximum number of starts of one process
constexpr int kLookMs = 100;

// Header of a message from a process: its kind and the number of bytes that follow.
enum class MessageKind : std::uint64_t { kOutcomes, kError };
struct MessageHead {
  MessageKind kind{};
  std::uint64_t bytes = 0;
};

void put(std::string& bytes, double value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads what put() wrote. A message that is too short is not from a worker process.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : left_(bytes) {}
  template <typename T>
  T take() {
    T value{};
    if (left_.size() < sizeof value)
      throw IoError("a worker process of the evaluation sent invalid data");
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string rest() const { return std::string(left_); }

 private:
  std::string_view left_;
};

std::string message_of(const UnitOutcomes& done) {
  std::string bytes;
  put(bytes, std::uint64_t{done.unit});
  put(bytes, done.seconds);
  put(bytes, std::uint64_t{done.outcomes.size()});
  for (const auto& outcome : done.outcomes) {
    put(bytes, std::uint64_t{outcome.group});
    put(bytes, std::uint64_t{outcome.key});
    put(bytes, std::uint64_t{outcome.values.size()});
    for (const double value : outcome.values) put(bytes, value);
  }
  return bytes;
}

UnitOutcomes unit_outcomes_of(std::string_view bytes) {
  MessageReader reader(bytes);
  UnitOutcomes done;
  done.unit = reader.take<std::uint64_t>();
  done.seconds = reader.take<double>();
  done.outcomes.resize(reader.take<std::uint64_t>());
  for (auto& outcome : done.outcomes) {
    outcome.group = reader.take<std::uint64_t>();
    outcome.key = reader.take<std::uint64_t>();
    outcome.values.resize(reader.take<std::uint64_t>());
    for (double& value : outcome.values) value = reader.take<double>();
  }
  return done;
}

// Sends a complete message. Exits if the reader has ended, since the work is then useless.
void send(int fd, MessageKind kind, const std::string& bytes) {
  const MessageHead head{kind, bytes.size()};
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  text += bytes;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(fd, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) ::_exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

void send_error(int fd, int status, const std::string& what) {
  std::string bytes;
  put(bytes, std::uint64_t(status));
  send(fd, MessageKind::kError, bytes + what);
}

// The main function of a new process: works and sends the outcomes.
[[noreturn]] void run_worker(const Question& question, const std::vector<std::size_t>& wanted,
                             int threads, int fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent has already ended
  try {
    std::mutex mutex;
    question.work(wanted, threads, [&](const UnitOutcomes& done) {
      const std::string bytes = message_of(done);
      const std::lock_guard lock(mutex);
      send(fd, MessageKind::kOutcomes, bytes);
    });
  } catch (const Error& error) {
    send_error(fd, error.exit_status(), error.what());
  } catch (const std::exception& error) {
    send_error(fd, 1, error.what());
  }
  ::_exit(0);
}

[[noreturn]] void throw_error(std::string_view bytes) {
  MessageReader reader(bytes);
  const auto status = reader.take<std::uint64_t>();
  if (status == 2) throw UsageError(reader.rest());
  if (status == 3) throw NoSolutionError(reader.rest());
  throw Error(reader.rest());
}

// A process and its remaining units.
class Worker {
 public:
  Worker(const Question& question, std::vector<std::size_t> units, int threads)
      : question_(question), left_(std::move(units)), threads_(threads) {
    start();
  }
  ~Worker() { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool done() const { return !pipe_; }
  int fd() const { return pipe_.get(); }

  // Reads available bytes, and passes on complete messages.
  template <typename Give>
  void read(Give give) {
    char bytes[1 << 16];
    const ssize_t count = ::read(pipe_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return ended();
    text_.append(bytes, static_cast<std::size_t>(count));
    std::size_t at = 0;
    MessageHead head;
    while (text_.size() - at >= sizeof head) {
      std::memcpy(&head, text_.data() + at, sizeof head);
      if (text_.size() - at - sizeof head < head.bytes) break;
      const auto message = std::string_view(text_).substr(at + sizeof head, head.bytes);
      if (head.kind == MessageKind::kError) throw_error(message);
      UnitOutcomes outcomes = unit_outcomes_of(message);
      std::erase(left_, outcomes.unit);
      give(std::move(outcomes));
      at += sizeof head + head.bytes;
    }
    text_.erase(0, at);
  }

 private:
  void start() {
    text_.clear();
    ++starts_;
    Pipe pipe;
    const pid_t parent = ::getpid();
    child_ = fork_process("a process of the evaluation");
    if (child_ == 0) {
      pipe.read_end.reset();
      run_worker(question_, left_, threads_, pipe.write_end.get(), parent);
    }
    pipe_ = std::move(pipe.read_end);
  }

  int wait() { return wait_for_process(std::exchange(child_, -1)); }

  void ended() {
    pipe_.reset();
    const int status = wait();
    if (left_.empty()) return;
    if (starts_ < kMostStarts) return start();
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                : fmt::format("status {}", WEXITSTATUS(status));
    throw IoError(
        fmt::format("worker processes of the evaluation failed {} times, the last with {}", starts_,
                    how),
        "",
        fmt::format("run it again with fewer --processes; {} units of work remain", left_.size()));
  }

  void stop() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    wait();
  }

  const Question& question_;
  std::vector<std::size_t> left_;
  int threads_;
  int starts_ = 0;
  pid_t child_ = -1;
  OwnedFd pipe_;
  std::string text_;
};

// Waits until a process has sent something.
std::vector<Worker*> ready(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<pollfd> polled;
  std::vector<Worker*> open, result;
  for (const auto& worker : workers) {
    if (worker->done()) continue;
    polled.push_back({worker->fd(), POLLIN, 0});
    open.push_back(worker.get());
  }
  if (::poll(polled.data(), polled.size(), kLookMs) <= 0) return {};
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) result.push_back(open[i]);
  }
  return result;
}

}  // namespace

Outcomes answer_in_processes(const Question& question, std::size_t processes,
                             const AnswerOptions& options) {
  const std::size_t count =
      std::clamp<std::size_t>(processes, 1, std::max<std::size_t>(question.units(), 1));
  const int threads = options.threads > 0
                          ? options.threads
                          : std::max(1, available_threads() / static_cast<int>(count));
  std::size_t total = 0;
  for (const auto& group : question.groups()) total += group.outcomes;
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 1; i <= count; ++i) {
    workers.push_back(
        std::make_unique<Worker>(question, units_of({i, count}, question.units()), threads));
  }
  std::vector<Outcome> found;
  std::vector<double> seconds(question.groups().size());
  const auto take = [&](UnitOutcomes done) {
    if (!done.outcomes.empty()) seconds.at(done.outcomes.front().group) += done.seconds;
    std::move(done.outcomes.begin(), done.outcomes.end(), std::back_inserter(found));
    if (options.progress) options.progress(found.size(), total);
  };
  while (std::any_of(workers.begin(), workers.end(), [](const auto& w) { return !w->done(); })) {
    check_work();
    for (Worker* worker : ready(workers)) worker->read(take);
  }
  Outcomes result = in_order(question.groups(), std::move(found));
  result.seconds = std::move(seconds);
  return result;
}

}  // namespace ridgewatt::evaluate
