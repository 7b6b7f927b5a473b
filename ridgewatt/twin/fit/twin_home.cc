#include "ridgewatt/twin/twin_home.h"
#include "ridgewatt/twin/fit/board_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::twin {
namespace {

constexpr std::size_t kMostWorkloads = 1000;  // maximum in a board file
// Limits of log deviations and of degrees of freedom. Chosen: wider than any fit.
constexpr double kLeastError = 1e-9;
constexpr double kMostError = 1e9;

double hellinger(const std::array<double, kWorkClasses.size()>& a,
                 const std::array<double, kWorkClasses.size()>& b) {
  double overlap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) overlap += std::sqrt(a[i] * b[i]);
  return std::sqrt(std::max(0.0, 1 - overlap));
}

// The fields of an ErrorScale and their keys.
struct ScaleField {
  const char* key;
  double ErrorScale::*value;
};
constexpr ScaleField kScaleFields[] = {
    {"home", &ErrorScale::home},   {"mix", &ErrorScale::mix},
    {"kind", &ErrorScale::kind},   {"range", &ErrorScale::range},
    {"board", &ErrorScale::board}, {"board_degrees", &ErrorScale::board_degrees}};

constexpr std::array<const char*, kExtents.size()> kExtentKeys = {"intensity", "work", "batch"};

// Returns "depthwise_convolution" for the class "depthwise convolution".
std::string class_key(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

// Key of the lowest CPU clock in the rows of this kind, in MHz.
std::string cpu_key(WorkloadKind kind) {
  return fmt::format("home.{}_cpu_mhz_lo", name_of(kind));
}

double round_to(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

double number_or(const TwinTable& table, const std::string& key, double otherwise) {
  const auto found = table.numbers.find(key);
  return found == table.numbers.end() ? otherwise : found->second;
}

std::string percent(double share) {
  return share > 0 && share < 0.01 ? "below 1 %" : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

std::size_t work_class(workload::OpClass op_class) {
  switch (workload::contraction_of(op_class)) {
    case workload::Contraction::kConvolution:
      return 0;
    case workload::Contraction::kDepthwise:
      return 1;
    case workload::Contraction::kProduct:
      return workload::kOpClassRows[op_class].tiles ? 2 : 3;
    case workload::Contraction::kNone:
      break;
  }
  return 4;
}

WorkloadFeatures features_of(const workload::WorkloadCost& cost) {
  WorkloadFeatures features;
  features.kind = cost.kind;
  double work = 0;
  for (const auto& kernel : cost.kernels) {
    features.shares[work_class(kernel.op_class)] += kernel.work_flop + kernel.work_int_op;
    work += kernel.work_flop + kernel.work_int_op;
  }
  for (double& share : features.shares) share = work > 0 ? share / work : 0;
  const double batch = std::max(cost.batch, 1);
  const double traffic = cost.traffic_bytes();
  const auto log_of = [](double value) { return value > 0 ? std::log10(value) : 0; };
  features.extents = {traffic > 0 ? log_of(work / traffic) : 0, log_of(work / batch),
                      log_of(batch)};
  return features;
}

double TwinHome::Range::beyond(double value) const {
  return lo > hi ? 0 : std::max({0.0, lo - value, value - hi});
}

void TwinHome::add(const std::string& name, const WorkloadFeatures& features) {
  const bool known = std::any_of(workloads.begin(), workloads.end(),
                                 [&](const auto& workload) { return workload.name == name; });
  if (!known) workloads.push_back({name, features.kind, features.shares});
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].lo = std::min(ranges[i].lo, features.extents[i]);
    ranges[i].hi = std::max(ranges[i].hi, features.extents[i]);
  }
}

void TwinHome::add_cpu_clock(WorkloadKind kind, double clock_hz) {
  double& least = cpu_hz[kind];
  if (clock_hz > 0 && (least == 0 || clock_hz < least)) least = clock_hz;
}

HomeDistance TwinHome::distance(const WorkloadFeatures& features) const {
  HomeDistance distance{1, 1, 0};
  for (const auto& workload : workloads) {
    distance.mix = std::min(distance.mix, hellinger(features.shares, workload.shares));
    if (workload.kind == features.kind) distance.kind = 0;
  }
  double squares = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    squares += squared(ranges[i].beyond(features.extents[i]));
  }
  distance.range = std::sqrt(squares);
  return distance;
}

std::vector<std::string> TwinHome::reasons(const WorkloadFeatures& features) const {
  constexpr double kFarMix = 0.1;      // Hellinger
  constexpr double kFarDecades = 0.3;  // a factor of two
  std::vector<std::string> reasons;
  if (workloads.empty()) return {"workload: the fitted workloads are not known"};
  const HomeDistance at = distance(features);
  if (at.kind > 0) {
    reasons.push_back(fmt::format("kind: no {} was fitted", name_of(features.kind)));
  }
  if (at.mix > kFarMix) {
    // The class whose share exceeds the fitted shares most.
    std::size_t foreign = 0;
    double excess = 0, fitted_most = 0;
    for (std::size_t i = 0; i < kWorkClasses.size(); ++i) {
      double most = 0;
      for (const auto& workload : workloads) most = std::max(most, workload.shares[i]);
      const double more = std::sqrt(features.shares[i]) - std::sqrt(most);
      if (more > excess) excess = more, foreign = i, fitted_most = most;
    }
    reasons.push_back(
        excess > 0 ? fmt::format("class mix: {} {} of the work, but at most {} in fitted workloads",
                                 kWorkClasses[foreign], percent(features.shares[foreign]),
                                 percent(fitted_most))
                   : "class mix: between those of the fitted workloads");
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!(ranges[i].beyond(features.extents[i]) > kFarDecades)) continue;
    const bool above = features.extents[i] > ranges[i].hi;
    reasons.push_back(fmt::format("{}: {:.3g}, but at {} {:.3g} in fitted workloads", kExtents[i],
                                  std::pow(10, features.extents[i]), above ? "most" : "least",
                                  std::pow(10, above ? ranges[i].hi : ranges[i].lo)));
  }
  return reasons;
}

double ErrorScale::variance(const HomeDistance& distance) const {
  return squared(home) + squared(mix * distance.mix) + squared(kind * distance.kind) +
         squared(range * distance.range);
}

void write_home(const TwinHome& home, const TwinErrors& errors, TwinTable& table) {
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    for (const auto& field : kScaleFields) {
      table.numbers[fmt::format("error.{}.{}", kQuantities[q], field.key)] =
          round_to(errors.scales[q].*field.value, 4);
    }
  }
  table.numbers["error.degrees"] = errors.degrees;
  for (std::size_t i = 0; i < home.workloads.size(); ++i) {
    const auto& workload = home.workloads[i];
    const std::string key = fmt::format("home.{}.", i + 1);
    table.texts[key + "name"] = workload.name;
    table.texts[key + "kind"] = name_of(workload.kind);
    for (std::size_t c = 0; c < kWorkClasses.size(); ++c) {
      table.numbers[key + class_key(kWorkClasses[c])] = round_to(workload.shares[c], 4);
    }
  }
  for (std::size_t i = 0; i < home.ranges.size(); ++i) {
    if (home.ranges[i].lo > home.ranges[i].hi) continue;
    const std::string key = fmt::format("home.log10_{}_", kExtentKeys[i]);
    table.numbers[key + "lo"] = round_to(home.ranges[i].lo, 5);
    table.numbers[key + "hi"] = round_to(home.ranges[i].hi, 5);
  }
  for (const WorkloadKind kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
    if (home.cpu_hz[kind] > 0) table.numbers[cpu_key(kind)] = round_to(home.cpu_hz[kind] / 1e6, 5);
  }
}

TwinHome read_home(const TwinTable& table) {
  TwinHome home;
  for (std::size_t i = 1; i <= kMostWorkloads; ++i) {
    const std::string key = fmt::format("home.{}.", i);
    const auto name = table.texts.find(key + "name");
    const auto kind = table.texts.find(key + "kind");
    if (name == table.texts.end() || kind == table.texts.end()) break;
    TwinHome::Workload workload{name->second, workload_kind_of(kind->second), {}};
    for (std::size_t c = 0; c < kWorkClasses.size(); ++c) {
      workload.shares[c] =
          std::clamp(number_or(table, key + class_key(kWorkClasses[c]), 0), 0.0, 1.0);
    }
    home.workloads.push_back(std::move(workload));
  }
  for (std::size_t i = 0; i < home.ranges.size(); ++i) {
    const std::string key = fmt::format("home.log10_{}_", kExtentKeys[i]);
    home.ranges[i].lo = number_or(table, key + "lo", home.ranges[i].lo);
    home.ranges[i].hi = number_or(table, key + "hi", home.ranges[i].hi);
  }
  for (const WorkloadKind kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
    home.add_cpu_clock(kind, 1e6 * number_or(table, cpu_key(kind), 0));
  }
  return home;
}

TwinErrors read_errors(const TwinTable& table, const std::string& source) {
  TwinErrors errors;
  const auto read = [&](const std::string& key, double& value) {
    value = within(number_or(table, key, value), kLeastError, kMostError, source + ": twin." + key);
  };
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    for (const auto& field : kScaleFields) {
      read(fmt::format("error.{}.{}", kQuantities[q], field.key), errors.scales[q].*field.value);
    }
  }
  read("error.degrees", errors.degrees);
  return errors;
}

}  // namespace ridgewatt::twin
