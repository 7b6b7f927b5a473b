#include "ridgewatt/schedule/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt::schedule {
namespace {

constexpr double kMostArrivals = 1e8;

void check(double rate_hz, double duration_s) {
  if (!(rate_hz > 0) || !(duration_s > 0) || !std::isfinite(rate_hz * duration_s)) {
    throw UsageError("the arrival rate and the duration must be positive");
  }
  if (rate_hz * duration_s > kMostArrivals) {
    throw UsageError("the duration has more than 10^8 arrivals", "",
                     "give a shorter --duration or a lower rate");
  }
}

}  // namespace

std::vector<double> constant_arrivals(double rate_hz, double duration_s) {
  check(rate_hz, duration_s);
  const auto count = static_cast<std::size_t>(std::floor(rate_hz * duration_s + 1e-9));
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<double>(i + 1) / rate_hz;
  return result;
}

std::vector<double> poisson_arrivals(double rate_hz, double duration_s, Random& random) {
  check(rate_hz, duration_s);
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(rate_hz * duration_s * 1.05) + 16);
  for (double t = random.exponential() / rate_hz; t < duration_s;
       t += random.exponential() / rate_hz) {
    result.push_back(t);
  }
  return result;
}

std::vector<double> bursty_arrivals(const BurstyOptions& options, double duration_s,
                                    Random& random) {
  if (options.rates_hz.empty()) throw UsageError("bursty arrivals need at least one rate");
  for (const double rate : options.rates_hz) check(rate, duration_s);
  check(1 / options.mean_dwell_s, duration_s);
  const std::size_t states = options.rates_hz.size();
  std::size_t state = random.below(states);
  std::vector<double> result;
  for (double start = 0; start < duration_s;) {
    const double end = std::min(duration_s, start + options.mean_dwell_s * random.exponential());
    const double rate = options.rates_hz[state];
    for (double t = start + random.exponential() / rate; t < end;
         t += random.exponential() / rate) {
      result.push_back(t);
    }
    start = end;
    if (states > 1) state = (state + 1 + random.below(states - 1)) % states;
  }
  return result;
}

std::vector<double> read_arrivals(const std::string& path) {
  const CsvTable table = read_csv(path);
  for (const auto& name : table.header) {
    if (!parse_double(name)) continue;
    throw InputError("the trace has no header: its first line is a number", path,
                     "write time_s as the first line");
  }
  const std::size_t column = table.header.size() == 1 ? 0 : table.require_column("time_s");
  std::vector<double> result;
  result.reserve(table.rows.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double time_s = table.number(row, column);
    if (time_s < 0) throw InputError("an arrival time must be 0 s or later", table.where(row));
    if (!result.empty() && time_s < result.back()) {
      throw InputError("the arrival times must be in ascending order", table.where(row),
                       "sort the file by time");
    }
    result.push_back(time_s);
  }
  if (result.empty())
    throw InputError("the trace has no arrivals", path, "give at least one row below the header");
  const double first = result.front();
  for (double& time_s : result) time_s -= first;
  return result;
}

double recorded_duration_s(std::span<const double> arrivals, double most_s) {
  const double length_s = arrivals.empty() ? 0 : arrivals.back();
  return length_s > 0 ? std::min(length_s, most_s) : most_s;
}

std::string write_arrivals_csv(const std::vector<double>& arrivals) {
  std::string text = "time_s\n";
  for (const double time_s : arrivals) text += format_exact(time_s) + "\n";
  return text;
}

}  // namespace ridgewatt::schedule
