#include "ridgewatt/measure/measure_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/measure/output/output_tail.h"
#include "ridgewatt/measure/sampling/marked_command.h"
#include "ridgewatt/measure/sampling/recording.h"
#include "ridgewatt/pipeline/page_cache.h"

namespace ridgewatt::measure {
namespace {

// Detects when the power of the program has become steady, or that it did not within the time
// limit.
class SteadyLoad {
 public:
  SteadyLoad(const SettleOptions& options, int warm_up, const platform::PowerSource* source)
      : options_(options), warm_up_(static_cast<std::size_t>(std::max(warm_up, 1))) {
    if (source == nullptr || options.at_most_s <= 0) begin_s_ = 0;
    if (source != nullptr) channels_ = source->channels();
  }
  // When the window of minibatches may begin.
  const std::optional<double>& begin_s() const { return begin_s_; }
  bool steady() const { return steady_ || options_.at_most_s <= 0; }

  void look(const std::vector<PowerSample>& samples, const std::vector<TimedMark>& marks) {
    if (begin_s_ || samples.empty()) return;
    std::size_t ended = 0;
    double load_s = 0;  // end of the warm-up
    for (const auto& mark : marks) {
      if (mark.kind == TimedMark::Kind::kMinibatch && ++ended == warm_up_) load_s = mark.time_s;
    }
    if (load_s == 0) return;
    const double now_s = samples.back().time_s, elapsed_s = now_s - load_s;
    const auto since = static_cast<double>(ended - warm_up_);
    const double window_s = std::max(options_.window_s, since > 0 ? 2 * elapsed_s / since : 0);
    if (since > 0 && elapsed_s >= 2 * window_s) {
      const double before_w = mean_w(samples, now_s - 2 * window_s, now_s - window_s);
      const double after_w = mean_w(samples, now_s - window_s, now_s);
      steady_ = std::abs(after_w - before_w) <= options_.tolerance * before_w;
    }
    if (steady_ || elapsed_s > options_.at_most_s) begin_s_ = now_s;
  }

 private:
  double mean_w(const std::vector<PowerSample>& samples, double begin_s, double end_s) const {
    double sum_w = 0;
    int count = 0;
    for (auto at = samples.rbegin(); at != samples.rend() && at->time_s >= begin_s; ++at) {
      const auto at_c = [&](std::size_t c) { return at->power_w[c]; };
      const double total_w = platform::total_power_w(channels_, at_c).value_or(0);
      if (at->time_s < end_s && std::isfinite(total_w)) sum_w += total_w, ++count;
    }
    return sum_w / count;  // NaN without samples: not steady
  }

  SettleOptions options_;
  std::size_t warm_up_;
  std::vector<platform::PowerSource::Channel> channels_;
  std::optional<double> begin_s_;
  bool steady_ = false;
};

void add_run(const CommandRun& run, Measurement& result) {
  result.status = run.status;
  result.begin_s = run.begin_s;
  result.end_s = run.end_s;
  result.user_s = run.user_s;
  result.system_s = run.system_s;
  result.peak_memory_bytes = run.peak_memory_bytes;
  result.malformed_marks = run.malformed_marks;
  result.words = run.words;
  result.io = run.io;
}

// The size of each watched path, and the share of it in the page cache at the moment.
std::vector<FileResidency> residency_before(const std::vector<std::string>& paths) {
  std::vector<FileResidency> files;
  for (const auto& path : paths) {
    const auto below = pipeline::files_below(path);
    double bytes = 0;
    for (const auto& file : below) bytes += static_cast<double>(std::filesystem::file_size(file));
    files.push_back({path, bytes, pipeline::page_cache_residency(below).share(), 0});
  }
  return files;
}

void add_residency_after(std::vector<FileResidency>& files) {
  for (auto& file : files) {
    file.share_after = pipeline::page_cache_residency(pipeline::files_below(file.path)).share();
  }
}

// Waits while samples are recorded.
void idle(double duration_s, Recording& recording) {
  static constexpr double kSliceS = 0.1;
  const double end_s = monotonic_s() + duration_s;
  for (double left_s = duration_s; left_s > 0; left_s = end_s - monotonic_s()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, kSliceS)));
    recording.drain();
    check_work();
  }
}

}  // namespace

void MeasureOptions::check() const {
  if (command.empty()) throw UsageError("measure needs a command", "", "give it after --");
  const auto time = [&](const char* field, double value) {
    require_option(value >= 0 && std::isfinite(value), field, value, "0 s or more");
  };
  require_option(rate_hz >= 1 && rate_hz <= 1000, "rate_hz", rate_hz, "1 to 1000 Hz");
  require_option(series_rate_hz >= 0.1 && series_rate_hz <= 50, "series_rate_hz", series_rate_hz,
                 "0.1 to 50 Hz");
  time("idle_s", idle_s);
  time("limit_s", limit_s);
  time("settle.at_most_s", settle.at_most_s);
  time("window.at_least_s", window.at_least_s);
  require_option(settle.window_s > 0 && std::isfinite(settle.window_s), "settle.window_s",
                 settle.window_s, "more than 0 s");
  require_option(settle.tolerance >= 0, "settle.tolerance", settle.tolerance, "0 or more");
  require_option(window.warm_up >= 0, "window.warm_up", window.warm_up, "0 or more");
  require_option(window.minibatches >= 0, "window.minibatches", window.minibatches, "0 or more");
  if (meter_is_total && meter.empty()) {
    throw UsageError("a meter can only be the total if its CSV file is given", "",
                     "give --meter FILE");
  }
}

Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options) {
  platform::PowerMeter meter(sysfs);
  return measure_command(sysfs, options, meter);
}

Measurement measure_command(const platform::Sysfs& sysfs, const MeasureOptions& options,
                            platform::PowerMeter& meter) {
  options.check();
  std::vector<FileResidency> files = residency_before(options.watched_files);
  Recording recording(sysfs, meter, options);
  if (recording.has_power() || !options.meter.empty()) idle(options.idle_s, recording);
  recording.begin();
  SteadyLoad load(options.settle, options.window.warm_up, recording.source());
  WindowOptions window = options.window;
  Measurement result;
  std::optional<OutputTail> tail;
  if (options.keep_output) tail.emplace();
  const double begin_s = monotonic_s();
  const auto count_of = [](const std::vector<TimedMark>& marks) {
    return static_cast<std::size_t>(std::count_if(marks.begin(), marks.end(), [](const auto& mark) {
      return mark.kind == TimedMark::Kind::kMinibatch;
    }));
  };
  const auto go_on = [&](const std::vector<TimedMark>& marks) {
    recording.drain();
    load.look(recording.power().newest(), marks);
    if (options.go_on && !options.go_on(count_of(marks))) return false;
    if (options.end_after_window && load.begin_s()) {
      window.begin_s = *load.begin_s();
      if (minibatch_window(marks, window, recording.disturbances()).complete) return false;
    }
    result.over_limit =
        result.over_limit || (options.limit_s > 0 && monotonic_s() - begin_s > options.limit_s);
    return !result.over_limit;
  };
  const int output = tail ? tail->descriptor() : STDERR_FILENO;
  const auto run = run_marked_command(options.command, go_on, output, output);
  if (tail) result.last_output = tail->end();
  add_run(run, result);
  recording.stop();
  window.begin_s = load.begin_s().value_or(0);
  recording.add_costs(run.marks, window, load.steady(), result);
  add_residency_after(files);
  result.files = std::move(files);
  return result;
}

}  // namespace ridgewatt::measure
