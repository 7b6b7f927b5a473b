// Builds candidates from sweeps: all modes that the workloads have in common, with all combinations
// of batches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/plan.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::schedule {
namespace {

// Converts a row to a minibatch of program `index`.
Minibatch minibatch_of(const ScheduleWorkloads& workloads, std::size_t index, int batch,
                       const Observation& row) {
  Minibatch result{.batch = batch, .time_s = row.time_s, .power_w = row.power_w};
  if (index < workloads.uses.size() && workloads.uses[index]) {
    const DeviceUse use = workloads.uses[index](row.point);
    result.busy_share = use.busy_share;
    result.busy_cores = use.busy_cores;
  }
  return result;
}

// The candidates without their background: each mode of the inference sweep with each batch, or,
// without inference, each mode of the first background sweep.
std::vector<Candidate> inference_candidates(const ScheduleWorkloads& workloads) {
  std::vector<Candidate> result;
  if (workloads.inference) {
    for (const auto& [mode, batches] : rows_by_mode(*workloads.inference)) {
      for (const auto& [batch, observation] : batches) {
        if (batch == 0) {
          throw InputError("the sweep of an inference needs a batch column",
                           workloads.inference->source, "add the column batch");
        }
        Candidate& candidate = result.emplace_back();
        candidate.mode = mode;
        candidate.inference = minibatch_of(workloads, 0, batch, observation);
      }
    }
    return result;
  }
  for (const auto& entry : rows_by_mode(workloads.background.front().sweep)) {
    result.emplace_back().mode = entry.first;
  }
  return result;
}

// The lowest power of the rows from which a candidate was built.
double least_power_w(const Candidate& candidate) {
  double least_w = std::numeric_limits<double>::infinity();
  if (candidate.inference) least_w = candidate.inference->power_w;
  for (const auto& minibatch : candidate.train().minibatches)
    least_w = std::min(least_w, minibatch.power_w);
  return least_w;
}

}  // namespace

RowsByMode rows_by_mode(const Sweep& sweep) {
  RowsByMode result;
  for (const auto& row : sweep.observations) {
    auto& batches = result[row.point.mode];
    const auto [found, is_new] = batches.try_emplace(row.point.batch, row);
    if (!is_new && row.time_s > found->second.time_s) found->second = row;
  }
  return result;
}

void set_idle_power(std::span<Candidate> candidates, const twin::Twin& twin) {
  for (auto& candidate : candidates) {
    candidate.idle_power_w =
        std::min(twin::idle_power_w(twin, candidate.mode), least_power_w(candidate));
  }
}

double set_idle_power(std::span<Candidate> candidates, std::optional<double> power_w) {
  if (!power_w) {
    for (const auto& candidate : candidates) {
      power_w = std::min(power_w.value_or(least_power_w(candidate)), least_power_w(candidate));
    }
  }
  // An idle board draws no more than a busy one in the same mode.
  for (auto& candidate : candidates) {
    candidate.idle_power_w = std::min(power_w.value_or(0), least_power_w(candidate));
  }
  return power_w.value_or(0);
}

RowOrigin plan_origin(const ScheduleWorkloads& workloads) {
  std::vector<const Sweep*> sweeps;
  if (workloads.inference) sweeps.push_back(&*workloads.inference);
  for (const auto& background : workloads.background) sweeps.push_back(&background.sweep);
  RowOrigin origin;
  if (sweeps.empty()) return origin;
  origin.board = sweeps.front()->board;
  for (const Sweep* sweep : sweeps) {
    origin.workload += (origin.workload.empty() ? "" : " + ") + sweep->workload + " " + sweep->kind;
    if (sweep->board != origin.board) origin.board.clear();
    origin.provenance = weaker_provenance(
        origin.provenance, derived_provenance(sweep->provenance, Provenance::kReplayed));
  }
  return origin;
}

std::vector<Candidate> join_sweeps(const ScheduleWorkloads& workloads) {
  if (!workloads.inference && workloads.background.empty()) {
    throw UsageError("schedule needs an inference or a training workload", "",
                     "give its sweep or model");
  }
  std::vector<Candidate> candidates = inference_candidates(workloads);
  std::size_t index = workloads.inference ? 1 : 0;
  for (const auto& [sweep, required_rate] : workloads.background) {
    const RowsByMode observations = rows_by_mode(sweep);
    std::vector<Candidate> extended;
    for (const auto& candidate : candidates) {
      const auto found = observations.find(candidate.mode);
      if (found == observations.end()) continue;
      for (const auto& [batch, observation] : found->second) {
        auto& background = extended.emplace_back(candidate).background;
        if (!background) background.emplace();
        background->add(minibatch_of(workloads, index, batch, observation), observation.energy_j(),
                        required_rate);
      }
      if (extended.size() > 1'000'000)
        throw UsageError("there are more than 10^6 combinations of modes and batches to plan", "",
                         "give fewer modes or batches");
    }
    candidates = std::move(extended);
    ++index;
  }
  if (candidates.empty()) {
    throw InputError("the sweeps have no power mode in common",
                     workloads.background.front().sweep.source,
                     "profile the workloads in the same modes");
  }
  for (auto& candidate : candidates) candidate.switch_s = workloads.switch_s;
  return candidates;
}

}  // namespace ridgewatt::schedule
