#include "ridgewatt/sweep/repeats.h"

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {

Observation median_of_repeats(const std::vector<Observation>& repeats) {
  if (repeats.size() == 1) return repeats[0];
  const auto median_over = [&](auto value) -> std::optional<double> {
    std::vector<double> values;
    for (const auto& one : repeats) {
      const std::optional<double> found = value(one);
      if (!found) return std::nullopt;
      values.push_back(*found);
    }
    return median(values);
  };
  Observation result{repeats.at(0).point};
  result.time_s = *median_over([](const Observation& o) { return std::optional(o.time_s); });
  result.power_w = *median_over([](const Observation& o) { return std::optional(o.power_w); });
  result.measured_energy_j = median_over([](const Observation& o) { return o.measured_energy_j; });
  result.time_median_s = median_over([](const Observation& o) { return o.time_median_s; });
  result.fetch_stall_s = median_over([](const Observation& o) { return o.fetch_stall_s; });
  if (result.measured_energy_j) result.power_w = *result.measured_energy_j / result.time_s;
  return result;
}

}  // namespace ridgewatt
