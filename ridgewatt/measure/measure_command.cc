#include "ridgewatt/measure/measure_command.h"

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
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/jetson_sensors.h"

namespace ridgewatt {
namespace {

constexpr int kDrainMs = 100;

// All that the child needs, made before fork: after it only system calls are safe.
struct ChildPlan {
  std::vector<std::string> environment;
  std::vector<char*> environment_pointers;
  std::vector<char*> arguments;
  std::string path;
  int mark_end = -1;
  int mark_number = -1;  // of the descriptor in the child
  int error_end = -1;
  int output = -1;
  uid_t user = 0;
  gid_t group = 0;
  bool change_user = false;
  pid_t parent = 0;
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

// A descriptor for marks below 10, which is all that a POSIX shell can write to; not one that the
// command inherits from our caller.
int mark_number(int error_end) {
  for (int fd = 3; fd < 10; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (fd != error_end && (flags < 0 || (flags & FD_CLOEXEC) != 0)) return fd;
  }
  throw IoError("no descriptor below 10 is free for marks");
}

ChildPlan plan_child(const MeasureOptions& options, int mark_end, int error_end) {
  ChildPlan plan;
  plan.path = find_program(options.command[0]);
  for (const auto& argument : options.command) {
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
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(126);  // the parent ended already
  ::signal(SIGPIPE, SIG_DFL);
  if (plan.change_user) {
    if (::setgroups(1, &plan.group) != 0 || ::setgid(plan.group) != 0 || ::setuid(plan.user) != 0) {
      fail();
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user clears it
  }
  if (::dup2(plan.output, STDOUT_FILENO) < 0) fail();
  if (plan.mark_number == plan.mark_end) {
    if (::fcntl(plan.mark_end, F_SETFD, 0) != 0) fail();
  } else if (::dup2(plan.mark_end, plan.mark_number) < 0) {
    fail();
  }
  ::execve(plan.path.c_str(), plan.arguments.data(), plan.environment_pointers.data());
  fail();
  ::_exit(127);
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw_errno(errno, "cannot make a pipe", "");
  }
  ~Pipe() {
    close_write();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

// Waits for the child while its marks and our samples are taken in. Returns its wait status.
int watch(pid_t child, int marks_fd, MarkReader& marks, Sampler* sampler,
          std::vector<PowerSample>& samples, rusage& usage) {
  ::fcntl(marks_fd, F_SETFL, O_NONBLOCK);
  char buffer[4096];
  bool open = true;
  const auto take = [&] {
    ssize_t count = 0;
    while (open && (count = ::read(marks_fd, buffer, sizeof buffer)) > 0) {
      marks.add({buffer, static_cast<std::size_t>(count)}, monotonic_s());
    }
    if (count == 0) open = false;
  };
  int status = 0;
  // Kernels before 5.3 (JetPack 4) have no pidfd: there the end is noticed within 2 ms.
  const int end_fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  do {
    pollfd wait[2] = {{open ? marks_fd : -1, POLLIN, 0}, {end_fd, POLLIN, 0}};
    ::poll(wait, 2, end_fd >= 0 ? kDrainMs : 2);
    take();
    if (sampler != nullptr) sampler->drain(samples);
  } while (::wait4(child, &status, WNOHANG, &usage) != child);
  if (end_fd >= 0) ::close(end_fd);
  take();
  return status;
}

// Energies of windows of the samples; nothing without a source or a valid sample.
class Energies {
 public:
  Energies(const std::vector<PowerSample>& samples, const PowerSource* source)
      : samples_(samples), source_(source) {}
  std::optional<EnergyEstimate> channel(int i, double begin_s, double end_s) const {
    if (source_ == nullptr || end_s <= begin_s) return std::nullopt;
    try {
      return integrate_samples(samples_, *source_, i, begin_s, end_s);
    } catch (const NotSupportedError&) {
      return std::nullopt;
    }
  }
  std::optional<EnergyEstimate> total(double begin_s, double end_s) const {
    const auto& all = channels();
    const bool any = std::any_of(all.begin(), all.end(), [](const auto& c) { return c.in_total; });
    return any ? channel(-1, begin_s, end_s) : std::nullopt;
  }
  std::vector<PowerSource::Channel> channels() const {
    return source_ != nullptr ? source_->channels() : std::vector<PowerSource::Channel>();
  }

 private:
  const std::vector<PowerSample>& samples_;
  const PowerSource* source_;
};

void add_energies(const Energies& energies, double idle_begin_s, Measurement& result) {
  const auto channels = energies.channels();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto found = energies.channel(static_cast<int>(i), result.begin_s, result.end_s);
    if (found) result.channels.push_back({channels[i].name, channels[i].in_total, *found});
  }
  result.total = energies.total(result.begin_s, result.end_s);
  if (idle_begin_s <= 0) return;
  if (const auto idle = energies.total(idle_begin_s, result.begin_s)) result.idle_w = idle->mean_w;
}

void add_minibatches(const Energies& energies, const std::vector<TimedMark>& marks,
                     Measurement& result) {
  result.minibatches = minibatches_of(marks);
  auto& summary = result.summary;
  summary.count = result.minibatches.size();
  if (summary.count == 0) return;
  const auto count = static_cast<double>(summary.count);
  std::vector<double> times;
  for (const auto& minibatch : result.minibatches) {
    times.push_back(minibatch.end_s - minibatch.begin_s);
    summary.fetch_s += minibatch.fetch_s / count;
  }
  summary.median_s = median(times);
  const auto interval = bootstrap_interval(times, [](auto values) { return median(values); });
  summary.median_lo_s = interval.lo;
  summary.median_hi_s = interval.hi;
  const auto window =
      energies.total(result.minibatches.front().begin_s, result.minibatches.back().end_s);
  if (!window) return;
  summary.power_w = window->mean_w;
  summary.energy_j = window->energy_j / count;
}

// Runs the command to its end; its marks.
std::vector<TimedMark> run_command(const MeasureOptions& options, Sampler* sampler,
                                   Measurement& result) {
  Pipe marks_pipe;
  Pipe error_pipe;
  const ChildPlan plan = plan_child(options, marks_pipe.write_end(), error_pipe.write_end());
  result.begin_s = monotonic_s();
  const pid_t child = ::fork();
  if (child < 0) throw_errno(errno, "cannot start the command", options.command[0]);
  if (child == 0) run_child(plan);
  marks_pipe.close_write();
  error_pipe.close_write();
  int exec_error = 0;
  if (::read(error_pipe.read_end(), &exec_error, sizeof exec_error) == sizeof exec_error) {
    ::waitpid(child, nullptr, 0);
    throw_errno(exec_error, "cannot start the command", options.command[0]);
  }
  MarkReader marks(result.begin_s);
  rusage usage{};
  const int status = watch(child, marks_pipe.read_end(), marks, sampler, result.samples, usage);
  result.end_s = monotonic_s();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  result.user_s = seconds(usage.ru_utime);
  result.system_s = seconds(usage.ru_stime);
  result.peak_memory_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  result.malformed_marks = marks.malformed();
  return marks.marks();
}

}  // namespace

Measurement measure_command(const Sysfs& sysfs, const MeasureOptions& options) {
  if (options.command.empty()) throw UsageError("give a command to measure", "measure -- COMMAND");
  Measurement result;
  std::unique_ptr<PowerSource> source;
  try {
    source = open_power_source(sysfs);
    result.source = source->description();
  } catch (const Error& error) {
    result.source = std::string("none: ") + error.what();
  }
  const auto throttling = read_throttling(sysfs);
  std::unique_ptr<Sampler> sampler;
  Sampler::Options sampler_options;
  sampler_options.rate_hz = options.rate_hz;
  const double sampling_s = monotonic_s();
  if (source) {
    sampler = std::make_unique<Sampler>(*source, sampler_options);
    std::this_thread::sleep_for(std::chrono::duration<double>(options.idle_s));
    sampler->drain(result.samples);
  }
  const auto marks = run_command(options, sampler.get(), result);
  if (sampler) {
    // One more sample behind the end, to interpolate.
    std::this_thread::sleep_for(std::chrono::duration<double>(1.5 / options.rate_hz));
    sampler->stop();
    sampler->drain(result.samples);
    result.lost_samples = sampler->lost();
    result.sampler_cpu_share = sampler->cpu_seconds() / (monotonic_s() - sampling_s);
  }
  result.throttled = throttled(throttling, read_throttling(sysfs));
  const Energies energies(result.samples, source.get());
  add_energies(energies, options.idle_s > 0 ? sampling_s : 0, result);
  for (const auto& span : phases_of(marks, result.end_s)) {
    result.phases.push_back({span, energies.total(span.begin_s, span.end_s)});
  }
  add_minibatches(energies, marks, result);
  return result;
}

}  // namespace ridgewatt
