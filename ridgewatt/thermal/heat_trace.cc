#include "ridgewatt/thermal/heat_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::thermal {
namespace {

constexpr std::size_t kFewestRows = 10;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr double kColdest = -60, kHottest = 200, kLargestPowerW = 1e5, kLongestTraceS = 1e8;

// Readings of one channel.
struct Series {
  std::vector<double> times_s, values;
};

void require_within(double value, double least, double most, const char* what,
                    const std::string& where) {
  if (value >= least && value <= most) return;
  throw InputError(fmt::format("{} is {:g}", what, value), where,
                   fmt::format("must be {:g} to {:g}", least, most));
}

void check_rows(const HeatTrace& trace, const std::string& source) {
  if (trace.rows.size() >= kFewestRows) return;
  throw InputError(fmt::format("the trace has only {}", counted(trace.rows.size(), "row")), source,
                   fmt::format("at least {} are needed", kFewestRows));
}

HeatTrace parse_wide(CsvReader& csv) {
  const auto time = csv.require_column("time_s"), power = csv.require_column("power_w"),
             temperature = csv.require_column("temperature_c");
  const auto fan = csv.column("fan"), throttled = csv.column("throttled"),
             clock = csv.column("clock_mhz");
  HeatTrace trace;
  trace.fan_known = fan.has_value();
  while (csv.next()) {
    HeatTrace::Row row;
    row.time_s = csv.number(time);
    row.power_w = csv.number(power);
    row.celsius = csv.number(temperature);
    if (fan) row.fan = csv.number(*fan);
    if (throttled) row.throttled = csv.number(*throttled) != 0;
    if (clock && !csv.field(*clock).empty()) row.clock_hz = csv.number(*clock) * 1e6;
    require_within(row.time_s, -kLongestTraceS, kLongestTraceS, "time_s", csv.where());
    require_within(row.power_w, 0, kLargestPowerW, "power_w", csv.where());
    require_within(row.celsius, kColdest, kHottest, "temperature_c", csv.where());
    require_within(row.fan, 0, 1, "fan", csv.where());
    if (!trace.rows.empty() && row.time_s <= trace.rows.back().time_s) {
      throw InputError("column time_s must be in ascending order", csv.where());
    }
    trace.rows.push_back(row);
  }
  return trace;
}

// Mean of a piecewise linear series between two times, by the trapezoidal rule.
class SeriesMean {
 public:
  explicit SeriesMean(const Series& series) : series_(series) {}
  // The times must not decrease between calls.
  double between(double begin_s, double end_s) {
    const double from = integral(begin_s), to = integral(end_s);
    return end_s > begin_s ? (to - from) / (end_s - begin_s) : value_;
  }

 private:
  double integral(double time_s) {
    const auto& t = series_.times_s;
    const auto& v = series_.values;
    while (at_ + 1 < t.size() && t[at_ + 1] <= time_s) {
      sum_ += 0.5 * (v[at_] + v[at_ + 1]) * (t[at_ + 1] - t[at_]);
      ++at_;
    }
    if (time_s <= t[at_] || at_ + 1 == t.size()) {
      value_ = v[at_];
      return sum_ + value_ * (time_s - t[at_]);
    }
    const double share = (time_s - t[at_]) / (t[at_ + 1] - t[at_]);
    value_ = v[at_] + share * (v[at_ + 1] - v[at_]);
    return sum_ + 0.5 * (v[at_] + value_) * (time_s - t[at_]);
  }

  const Series& series_;
  std::size_t at_ = 0;
  double sum_ = 0, value_ = 0;
};

std::vector<std::string> names_with(const std::map<std::string, Series>& channels,
                                    const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, series] : channels) {
    if (name.rfind(prefix, 0) == 0) names.push_back(name);
  }
  return names;
}

std::string power_channel(const std::map<std::string, Series>& channels,
                          const std::string& source) {
  const auto names = names_with(channels, "power:");
  for (const char* total : {"power:total", "power:VDD_IN", "power:VIN", "power:POM_5V_IN"}) {
    if (channels.count(total) != 0) return total;
  }
  if (names.size() == 1) return names.front();
  throw InputError(
      names.empty()
          ? "the series has no power channel"
          : fmt::format("it is not known which channel is the total power of the module: {}",
                        fmt::join(names, ", ")),
      source,
      "record the series with this version of `ridgewatt measure`, which writes power:total");
}

// Of the channels with the most readings, the hottest on average.
std::string temperature_channel(const std::map<std::string, Series>& channels,
                                const std::string& zone, const std::string& source) {
  const std::string prefix = "temperature:";
  const auto names = names_with(channels, prefix);
  if (!zone.empty()) {
    if (channels.count(prefix + zone) != 0) return prefix + zone;
    throw InputError("the series has no temperature zone of the name " + zone, source,
                     fmt::format("give --zone one of {}", fmt::join(names, ", ")));
  }
  std::string hottest;
  double celsius = 0;
  for (const auto& name : names) {
    const auto& values = channels.at(name).values;
    double sum = 0;
    for (const double value : values) sum += value;
    const double here = sum / static_cast<double>(values.size());
    if (hottest.empty() || here > celsius) hottest = name, celsius = here;
  }
  if (hottest.empty()) throw InputError("the series has no temperature zone", source);
  return hottest;
}

HeatTrace parse_long(CsvReader& csv, const std::string& zone) {
  const auto time = csv.require_column("time_s"), channel = csv.require_column("channel"),
             value = csv.require_column("value");
  std::map<std::string, Series> channels;
  while (csv.next()) {
    const std::string name(csv.field(channel));
    const bool wanted = name.rfind("power:", 0) == 0 || name.rfind("temperature:", 0) == 0 ||
                        name.rfind("fan:", 0) == 0 || name == "clock:gpu";
    if (!wanted) continue;
    Series& series = channels[name];
    if (channels.size() > 256)
      throw InputError("the series has more than 256 channels", csv.where());
    const double time_s = csv.number(time);
    require_within(time_s, -kLongestTraceS, kLongestTraceS, "time_s", csv.where());
    if (!series.times_s.empty() && time_s <= series.times_s.back()) {
      throw InputError("the times of channel " + name + " must be in ascending order", csv.where());
    }
    series.times_s.push_back(time_s);
    series.values.push_back(csv.number(value));
  }
  const Series& power = channels.at(power_channel(channels, csv.source()));
  const std::string hottest = temperature_channel(channels, zone, csv.source());
  const Series& celsius = channels.at(hottest);
  const auto fans = names_with(channels, "fan:");
  const auto clock = channels.find("clock:gpu");
  HeatTrace trace;
  trace.zone = hottest.substr(hottest.find(':') + 1);
  trace.fan_known = !fans.empty();
  SeriesMean powers(power);
  std::optional<SeriesMean> fan_means, clock_means;
  if (trace.fan_known) fan_means.emplace(channels.at(fans.front()));
  if (clock != channels.end()) clock_means.emplace(clock->second);
  for (std::size_t i = 0; i < celsius.times_s.size(); ++i) {
    const double end_s = celsius.times_s[i], begin_s = i == 0 ? end_s : celsius.times_s[i - 1];
    // Outside the samples of power, the heating is unknown.
    if (end_s < power.times_s.front() || end_s > power.times_s.back()) continue;
    HeatTrace::Row row;
    row.time_s = end_s;
    row.power_w = powers.between(begin_s, end_s);
    row.celsius = celsius.values[i];
    if (fan_means) row.fan = fan_means->between(begin_s, end_s);
    if (clock_means) row.clock_hz = clock_means->between(begin_s, end_s);
    require_within(row.power_w, 0, kLargestPowerW, "power", csv.source());
    require_within(row.celsius, kColdest, kHottest, "temperature", csv.source());
    require_within(row.fan, 0, 1, "fan", csv.source());
    trace.rows.push_back(row);
  }
  return trace;
}

}  // namespace

HeatTrace parse_heat_trace(std::string_view text, const std::string& source,
                           const std::string& zone) {
  CsvReader csv(text, source);
  const bool series = csv.column("channel").has_value();
  HeatTrace trace = series ? parse_long(csv, zone) : parse_wide(csv);
  check_rows(trace, source);
  return trace;
}

HeatTrace read_heat_trace(const std::string& path, const std::string& zone) {
  return parse_heat_trace(read_file(path, kMostBytes), path, zone);
}

std::string heat_trace_csv(const HeatTrace& trace) {
  std::string text = "time_s,power_w,temperature_c,fan,throttled,clock_mhz\n";
  for (const auto& row : trace.rows) {
    text += fmt::format("{:.3f},{:.6g},{:.6g},{:.4g},{},{}\n", row.time_s, row.power_w, row.celsius,
                        row.fan, row.throttled ? 1 : 0,
                        row.clock_hz > 0 ? fmt::format("{:.6g}", row.clock_hz / 1e6) : "");
  }
  return text;
}

}  // namespace ridgewatt::thermal
