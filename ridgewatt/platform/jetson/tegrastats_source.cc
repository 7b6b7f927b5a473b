#include "ridgewatt/platform/jetson/tegrastats_source.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/platform/tegrastats.h"

namespace ridgewatt::platform {
namespace {

constexpr double kIntervalS = 0.1;
constexpr double kFirstLineS = 3;
constexpr double kStaleS = 1;
constexpr double kPatienceS = 2;  // between SIGTERM and SIGKILL

class Tegrastats : public PowerSource {
 public:
  Tegrastats(ChildProcess child, OwnedFd output)
      : child_(std::move(child)), output_(std::move(output)) {}
  ~Tegrastats() override { child_.end(kPatienceS); }
  Tegrastats(const Tegrastats&) = delete;
  Tegrastats& operator=(const Tegrastats&) = delete;

  // Waits for the first line. Its rails become the channels.
  void find_channels() {
    const Stopwatch waiting;
    while (waiting.s() < kFirstLineS && last_.rails.empty()) {
      pollfd wait{output_.get(), POLLIN, 0};
      ::poll(&wait, 1, 100);
      if (!take()) break;
    }
    PowerRails rails;
    for (const auto& rail : last_.rails) {
      PowerChannel channel;
      channel.rail = rail.name;
      rails.channels.push_back(channel);
    }
    if (rails.channels.empty()) throw NotSupportedError("tegrastats prints no power rail");
    choose_total(rails);
    rule_ = rails.total_rule;
    for (const auto& rail : rails.channels) channels_.push_back({rail.rail, rail.in_total});
  }

  double largest_rate_hz() const override { return 10; }
  std::string description() const override {
    return "tegrastats, 10 times a second; " +
           (rule_.empty() ? "no total" : std::string("total ") + rule_);
  }

  // Drops old lines: those in the pipe, and the one that the program was blocked on.
  void begin() override {
    if (monotonic_s() - read_s_ < kStaleS) return;
    take();
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * kIntervalS));
    take();
  }

  void read(std::span<double> power_w) override {
    take();
    read_s_ = monotonic_s();
    const bool fresh = monotonic_s() - arrival_s_ < kStaleS;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const auto rail = std::find_if(last_.rails.begin(), last_.rails.end(),
                                     [&](const auto& r) { return r.name == channels_[i].name; });
      power_w[i] = fresh && rail != last_.rails.end() ? rail->power_w
                                                      : std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  // Reads the output since the last call. Returns false at the end of the output.
  bool take() {
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::read(output_.get(), buffer, sizeof buffer)) > 0) {
      rest_.append(buffer, static_cast<std::size_t>(count));
      for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
        last_ = parse_tegrastats_line(std::string_view(rest_).substr(0, end));
        arrival_s_ = monotonic_s();
        rest_.erase(0, end + 1);
      }
      if (rest_.size() > kMaxTegrastatsLineBytes) rest_.clear();
    }
    return count < 0 && (errno == EAGAIN || errno == EINTR);
  }

  ChildProcess child_;
  OwnedFd output_;
  std::string rest_;
  std::string rule_;
  TegrastatsLine last_;
  double arrival_s_ = 0;
  double read_s_ = monotonic_s();
};

}  // namespace

std::unique_ptr<PowerSource> open_tegrastats() {
  Pipe pipe;
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  ChildProcess child;
  try {
    child = ChildProcess(
        {.words = {"tegrastats", "--interval", "100"}, .output = pipe.write_end.get()});
  } catch (const Error&) {
    throw NotSupportedError("tegrastats cannot be started", "", "is it installed?");
  }
  pipe.write_end.reset();
  auto source = std::make_unique<Tegrastats>(std::move(child), std::move(pipe.read_end));
  source->find_channels();
  return source;
}

}  // namespace ridgewatt::platform
