#include "ridgewatt/measure/token_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/measure/sampling/clock_shortfall.h"
#include "ridgewatt/measure/sampling/marked_command.h"
#include "ridgewatt/sweep/unit.h"

namespace ridgewatt::measure {
namespace {

constexpr std::size_t kFewPowerSamples = 10;

// What identifies the requests: the command, and what is asked of a server.
std::vector<std::string> asked_of(const TokenProfileOptions& options) {
  auto words = options.profile.measure.command;
  fill_in(words, kBatchPlace, options.profile.batch);
  if (const auto& server = options.server) {
    for (const std::string& word :
         {server->url, server->model, fmt::to_string(server->prompt_tokens),
          fmt::to_string(server->output_tokens)}) {
      words.push_back(word);
    }
  }
  return words;
}

// Record of one phase. A minibatch is the prompts of the prefill, or one decode step of all
// sequences.
store::PointRecord phase_record(const TokenMeasurement& measured, const OperatingPoint& point,
                                const SpanCost& cost, const TokenTime& time, double count) {
  const Measurement& run = measured.measurement;
  store::PointRecord record;
  record.observation = {point, time.mean_s, cost.power_w(), time.mean_s * cost.power_w(),
                        time.median_s};
  record.energy_j = cost.energy_j;
  record.window_s = cost.time_s;
  record.idle_power_w = run.idle_w.value_or(0);
  record.minibatches = static_cast<int>(count);
  record.power_samples = static_cast<int>(cost.samples);
  record.largest_gap_s = run.total->largest_gap_s;
  record.started_unix_s = unix_s_before(monotonic_s() - run.begin_s);
  record.flags.add(PointFlag::kThrottled, !run.throttled.empty());
  record.flags.add(PointFlag::kFewSamples, cost.samples < kFewPowerSamples);
  return record;
}

class TokenProfiler {
 public:
  TokenProfiler(platform::Sysfs& sysfs, platform::JetsonModeControl& control, store::Store& store,
                const TokenProfileOptions& options)
      : sysfs_(sysfs), meter_(sysfs), control_(control), store_(store), options_(options) {
    prefill_ = decode_ = options.profile.series;
    prefill_.kind = kPrefillKind;
    decode_.kind = kDecodeKind;
    for (const auto& series : {prefill_, decode_}) {
      require_same_command(sysfs, store, series, asked_of(options), {options.profile.batch});
    }
  }

  bool stored(const OperatingPoint& point) {
    const auto series = store_.find_series(decode_);
    return series && store_.has(*series, point);
  }

  void measure(const OperatingPoint& point) {
    // Reset the knobs that the mode does not set to their original values, not those of the last
    // point.
    const bool open =
        std::any_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) { return !point.mode.has(knob); });
    if (open) control_.restore();
    control_.apply(point.mode);
    TokenMeasurement measured = run();
    malformed_marks_ += measured.measurement.malformed_marks;
    control_.check_safety();
    if (measured.measurement.status != 0) {
      throw PointFailedError(
          "cannot be profiled", describe(point.mode),
          fmt::format("the command ended with status {}", measured.measurement.status));
    }
    if (!measured.measurement.total) {
      throw IoError("no point can be profiled, because no power is measured",
                    measured.measurement.source,
                    "check with `ridgewatt sensors` that the board measures power");
    }
    TokenPoints points = token_points(measured, point);
    if (!points.decode) {
      throw PointFailedError("cannot be profiled", describe(point.mode),
                             "no token was decoded alone");
    }
    const bool drifted =
        clocks_fell_short(measured.measurement, point.mode, control_.state().limits);
    for (const auto& [record, series] :
         {std::pair{&points.prefill, &prefill_}, std::pair{&points.decode, &decode_}}) {
      if (!*record) continue;
      (*record)->flags.add(PointFlag::kDrifted, drifted);
      add_command(asked_of(options_), **record);
      store_.add_if_absent(store_.series(*series), **record);
    }
  }
  std::size_t malformed_marks() const { return malformed_marks_; }

 private:
  TokenMeasurement run() {
    MeasureOptions measure = options_.profile.measure;
    measure.window = {};
    measure.settle.at_most_s = 0;
    measure.end_after_window = false;
    if (options_.server) {
      measure.command.clear();  // the server is already running
      return measure_server(sysfs_, measure, *options_.server, meter_);
    }
    fill_in(measure.command, kBatchPlace, options_.profile.batch);
    if (options_.llama_bench) return measure_llama_bench(sysfs_, measure, meter_);
    TokenMeasurement result{measure_command(sysfs_, measure, meter_), {}};
    result.runs = marked_token_runs(result.measurement);
    return result;
  }

  platform::Sysfs& sysfs_;
  platform::PowerMeter meter_;
  platform::JetsonModeControl& control_;
  store::Store& store_;
  const TokenProfileOptions& options_;
  store::Series prefill_, decode_;
  std::size_t malformed_marks_ = 0;
};

}  // namespace

TokenPoints token_points(const TokenMeasurement& measured, const OperatingPoint& point) {
  TokenPoints points;
  for (const TokenRun& run : measured.runs) {
    if (!run.cost) continue;
    if (run.ttft && run.cost->prefill.time_s > 0) {
      if (points.prefill) {
        throw UsageError("the requests have prompts of different lengths", run.source,
                         "profile one prompt length at a time");
      }
      points.prefill = phase_record(measured, point, run.cost->prefill, *run.ttft,
                                    static_cast<double>(run.cost->requests));
    }
    if (run.tpot && run.cost->decode.time_s > 0 && run.cost->decoded_tokens > 0) {
      if (points.decode) {
        throw UsageError("the requests have answers of different lengths", run.source,
                         "profile one answer length at a time");
      }
      points.decode = phase_record(measured, point, run.cost->decode, *run.tpot,
                                   std::round(run.cost->decoded_tokens));
    }
  }
  return points;
}

ProfileSummary profile_tokens(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                              store::Store& store, const std::vector<PowerMode>& modes,
                              const TokenProfileOptions& options) {
  const auto& command = options.profile.measure.command;
  if (options.server) options.server->check();
  if (!options.server || !command.empty()) options.profile.measure.check();
  std::optional<ServerProgram> program;
  if (options.server && !command.empty()) program.emplace(command, *options.server);
  TokenProfiler profiler(sysfs, control, store, options);
  ProfileSummary summary;
  const auto order = profiling_order(modes);
  Progress progress("profile", order.size(), options.profile.quiet);
  for (std::size_t i = 0; i < order.size(); ++i) {
    progress.update(i, describe(order[i]));
    const OperatingPoint point{order[i], options.profile.batch};
    if (profiler.stored(point)) {
      ++summary.skipped;
      continue;
    }
    try {
      profiler.measure(point);
      ++summary.measured;
    } catch (const NotSupportedError& error) {
      ++summary.failed;
      summary.failures.push_back(describe(order[i]) + ": " + error.what());
    } catch (const PointFailedError& error) {
      ++summary.failed;
      summary.failures.emplace_back(error.what());
    }
  }
  progress.update(order.size());
  control.restore();
  summary.malformed_marks = profiler.malformed_marks();
  return summary;
}

}  // namespace ridgewatt::measure
