#include "ridgewatt/measure/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::measure {
namespace {

// Mean of a channel of the series; 0 if the run has no such channel.
double series_mean(const Measurement& measurement, const char* channel) {
  for (const auto& series : measurement.series_summary) {
    if (series.channel == channel) return series.mean;
  }
  return 0;
}

struct Quantity {
  const char* name;
  const char* unit;
  double (*value)(const Measurement&);  // 0: not measured in this run
};

constexpr Quantity kQuantities[] = {
    {"time", "s", [](const Measurement& m) { return m.end_s - m.begin_s; }},
    {"energy", "J", [](const Measurement& m) { return m.total ? m.total->energy_j : 0; }},
    {"power", "W", [](const Measurement& m) { return m.total ? m.total->mean_w : 0; }},
    {"minibatch time", "s", [](const Measurement& m) { return m.summary.time_s; }},
    {"minibatch energy", "J", [](const Measurement& m) { return m.summary.energy_j; }},
    {"minibatch power", "W",
     [](const Measurement& m) {
       return m.summary.time_s > 0 ? m.summary.energy_j / m.summary.time_s : 0;
     }},
    {"fetch stall", "s", [](const Measurement& m) { return m.summary.fetch_s; }},
    {"CPU time", "s", [](const Measurement& m) { return m.user_s + m.system_s; }},
    {"CPU load", "", [](const Measurement& m) { return series_mean(m, "load:cpu"); }},
    {"GPU load", "", [](const Measurement& m) { return series_mean(m, "load:gpu"); }},
    {"GPU clock", "Hz", [](const Measurement& m) { return series_mean(m, "clock:gpu"); }},
    {"memory load", "", [](const Measurement& m) { return series_mean(m, "load:emc"); }},
    {"peak memory", "B", [](const Measurement& m) { return m.peak_memory_bytes; }},
    {"used memory", "B", [](const Measurement& m) { return series_mean(m, "memory:used"); }},
};

}  // namespace

std::vector<Comparison> compare_measurements(const std::vector<Measurement>& a,
                                             const std::vector<Measurement>& b) {
  if (a.size() != b.size() || a.empty())
    throw UsageError("a comparison needs the same number of runs of A and B");
  std::vector<Comparison> comparisons;
  for (const auto& quantity : kQuantities) {
    std::vector<double> log_ratios;
    double log_a = 0;
    double log_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double value_a = quantity.value(a[i]);
      const double value_b = quantity.value(b[i]);
      if (!(value_a > 0 && value_b > 0)) continue;
      log_ratios.push_back(std::log(value_b / value_a));
      log_a += std::log(value_a);
      log_b += std::log(value_b);
    }
    if (log_ratios.size() != a.size()) continue;
    const auto count = static_cast<double>(log_ratios.size());
    const MeanInterval interval = student_interval(log_ratios);  // few pairs: no bootstrap
    comparisons.push_back({quantity.name, quantity.unit, std::exp(log_a / count),
                           std::exp(log_b / count), std::exp(interval.mean), std::exp(interval.lo),
                           std::exp(interval.hi), static_cast<int>(log_ratios.size())});
  }
  return comparisons;
}

ComparedCommands compare_commands(const platform::Sysfs& sysfs, const CompareOptions& options,
                                  const std::function<void(int)>& progress) {
  if (options.repeats < 2) throw UsageError("a comparison needs at least 2 runs of each side");
  options.a.check();
  options.b.check();
  platform::PowerMeter meter(sysfs);
  Random random(options.seed);
  std::vector<Measurement> a;
  std::vector<Measurement> b;
  std::size_t malformed_marks = 0;
  const auto run = [&](bool second) {
    const MeasureOptions& measure = second ? options.b : options.a;
    auto& runs = second ? b : a;
    options.prepare(second);
    runs.push_back(measure_command(sysfs, measure, meter));
    if (runs.back().status != 0) {
      throw Error(
          fmt::format("a command of the comparison ended with status {}", runs.back().status),
          fmt::format("{}", fmt::join(measure.command, " ")));
    }
    malformed_marks += runs.back().malformed_marks;
    runs.back().traces.clear();
    runs.back().series.clear();
    progress(static_cast<int>(a.size() + b.size()));
  };
  for (int i = 0; i < options.repeats; ++i) {
    const bool b_first = random.uniform() >= 0.5;
    run(b_first);
    run(!b_first);
  }
  return {compare_measurements(a, b), malformed_marks};
}

}  // namespace ridgewatt::measure
