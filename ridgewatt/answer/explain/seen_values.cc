#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/signs.h"

#include <fmt/format.h>

#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::answer {
namespace {

using measure::SeenRun;

constexpr double kMostCores = 4096;  // chosen: more than any machine has

template <std::optional<double> SeenRun::*kMember>
constexpr SeenValue number(std::string_view name) {
  return {name, [](const SeenRun& seen) { return seen.*kMember; },
          [](SeenRun& seen, double value) { seen.*kMember = value; }};
}

template <std::optional<double> SeenRun::*kMember>
constexpr SeenValue share(std::string_view name) {
  SeenValue one = number<kMember>(name);
  one.most = 1;
  return one;
}

template <std::optional<double> SeenRun::*kMember>
constexpr SeenValue cores(std::string_view name) {
  SeenValue one = number<kMember>(name);
  one.most = kMostCores;
  return one;
}

template <std::optional<double> SeenRun::*kMember>
constexpr SeenValue milliseconds(std::string_view name) {
  constexpr double kMs = 1e-3;
  return {name,
          [](const SeenRun& seen) {
            return seen.*kMember ? std::optional(*(seen.*kMember) / kMs) : std::nullopt;
          },
          [](SeenRun& seen, double value) { seen.*kMember = kMs * value; }};
}

template <Knob kKnob>
constexpr SeenValue clock_of(std::string_view name) {
  return {name,
          [](const SeenRun& seen) {
            return seen.clocks.has(kKnob) ? std::optional(knob_in_field_unit(seen.clocks, kKnob))
                                          : std::nullopt;
          },
          [](SeenRun& seen, double value) { set_in_field_unit(seen.clocks, kKnob, value); }};
}

// Signals, counted by how many rose.
template <std::optional<std::vector<std::string>> SeenRun::*kMember>
constexpr SeenValue signals(std::string_view name) {
  return {name,
          [](const SeenRun& seen) {
            return seen.*kMember ? std::optional(static_cast<double>((seen.*kMember)->size()))
                                 : std::nullopt;
          },
          [](SeenRun& seen, double value) {
            (seen.*kMember).emplace();
            if (value > 0) (seen.*kMember)->emplace_back("a signal");
          }};
}

constexpr SeenValue kSeenValues[] = {clock_of<Knob::kGpuClock>("gpu_mhz"),
                                     clock_of<Knob::kCpuClock>("cpu_mhz"),
                                     clock_of<Knob::kMemClock>("mem_mhz"),
                                     signals<&SeenRun::hot>("thermal_signals"),
                                     signals<&SeenRun::over_current>("current_signals"),
                                     share<&SeenRun::gpu_load>("gpu_load"),
                                     cores<&SeenRun::program_cores>("program_cores"),
                                     number<&SeenRun::busiest_thread>("busiest_thread"),
                                     cores<&SeenRun::other_cores>("other_cores"),
                                     cores<&SeenRun::cpus_online>("cpus_online"),
                                     cores<&SeenRun::cpus_allowed>("cpus_allowed"),
                                     cores<&SeenRun::quota_cores>("quota_cores"),
                                     share<&SeenRun::quota_wait_share>("quota_wait_share"),
                                     share<&SeenRun::run_delay_share>("run_delay_share"),
                                     number<&SeenRun::threads_set>("threads_set"),
                                     share<&SeenRun::main_idle>("main_idle"),
                                     share<&SeenRun::runtime_share>("runtime_share"),
                                     cores<&SeenRun::worker_cores>("worker_cores"),
                                     number<&SeenRun::profile_files>("profile_files"),
                                     number<&SeenRun::major_faults_per_s>("major_faults_per_s"),
                                     number<&SeenRun::touched_bytes_per_s>("touched_bytes_per_s"),
                                     number<&SeenRun::swap_bytes_per_s>("swap_bytes_per_s"),
                                     share<&SeenRun::io_wait_share>("io_wait_share"),
                                     number<&SeenRun::storage_bytes_per_s>("storage_bytes_per_s"),
                                     milliseconds<&SeenRun::marked_s>("marked_ms"),
                                     share<&SeenRun::fetch_share>("fetch_share"),
                                     number<&SeenRun::mean_over_median>("mean_over_median"),
                                     number<&SeenRun::time_ratio>("time_ratio")};

}  // namespace

std::span<const SeenValue> seen_values() {
  return kSeenValues;
}

std::optional<double> share_outside(const SeenRun& seen) {
  if (!seen.main_idle || !seen.runtime_share) return {};
  return (1 - *seen.main_idle) * (1 - *seen.runtime_share);
}

void set_seen(SeenRun& seen, const std::string& name, double value) {
  std::vector<std::string> names;
  for (const SeenValue& one : kSeenValues) names.emplace_back(one.name);
  const std::string meant = require_name("name of what was seen", name, {names});
  for (const SeenValue& one : kSeenValues) {
    if (one.name != meant) continue;
    if (value > one.most) {
      throw UsageError(fmt::format("{} is {}, but must be at most {}", meant, value, one.most));
    }
    one.set(seen, value);
  }
}

}  // namespace ridgewatt::answer
