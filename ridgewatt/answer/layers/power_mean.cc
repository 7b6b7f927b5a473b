#include "ridgewatt/answer/layers/power_mean.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/csv.h"

namespace ridgewatt::answer {
namespace {

using PowerSamples = std::vector<std::pair<double, double>>;  // s, W

constexpr std::string_view kPowerPrefix = "power:";

// Integrates with the trapezoidal rule.
double time_weighted_mean(const PowerSamples& samples, const std::string& path) {
  double energy_j = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double step_s = samples[i].first - samples[i - 1].first;
    if (!(step_s > 0))
      throw InputError("the times of the power samples are not in ascending order", path);
    energy_j += (samples[i].second + samples[i - 1].second) / 2 * step_s;
  }
  if (samples.size() < 2) throw InputError("has fewer than two power samples", path);
  return energy_j / (samples.back().first - samples.front().first);
}

PowerSamples series_samples_of(const CsvTable& table, const std::string& wanted) {
  const std::size_t time = table.require_column("time_s"), name = table.require_column("channel"),
                    value = table.require_column("value");
  std::map<std::string, PowerSamples> channels;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string& channel = table.rows[row][name];
    const double time_s = table.number(row, time);
    if (!channel.starts_with(kPowerPrefix) || time_s < 0) continue;
    channels[channel.substr(kPowerPrefix.size())].emplace_back(time_s, table.number(row, value));
  }
  std::string channel =
      wanted.starts_with(kPowerPrefix) ? wanted.substr(kPowerPrefix.size()) : wanted;
  if (channel.empty()) {
    const char* usual = channels.count("total") != 0 ? "total" : "VDD_IN";
    channel = channels.size() == 1 ? channels.begin()->first : usual;
  }
  const auto found = channels.find(channel);
  if (found != channels.end()) return found->second;
  std::string names;
  for (const auto& entry : channels) names += (names.empty() ? "" : ", ") + entry.first;
  if (names.empty()) throw InputError("has no power samples", table.source);
  throw InputError(fmt::format("has no power channel '{}'", channel), table.source,
                   "name one with --power-channel: " + names);
}

}  // namespace

double mean_power_w(const std::string& path, const std::string& channel) {
  const CsvTable table = read_csv(path);
  if (table.column("channel")) return time_weighted_mean(series_samples_of(table, channel), path);
  const std::size_t time = table.require_column(table.column("time_s") ? "time_s" : "unix_s");
  const auto power = table.column("power_w");
  const std::size_t first = power ? *power : table.require_column("voltage_v");
  const std::size_t second = power ? *power : table.require_column("current_a");
  PowerSamples samples;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    samples.emplace_back(table.number(row, time),
                         table.number(row, first) * (power ? 1 : table.number(row, second)));
  }
  return time_weighted_mean(samples, path);
}

}  // namespace ridgewatt::answer
