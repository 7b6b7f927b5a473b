// Time and energy of the epochs of a training job, including its data loading: what an epoch costs,
// what limits it, and which changes would help.
//
//   EpochQuestion question;
//   question.config.samples = 23080;
//   const auto model = std::make_shared<const DeployedWorkload>(
//       "zoo:mobilenet_v3", DeployOptions{.kind = WorkloadKind::kTraining});
//   const EpochAnswer found = epochs_on_twin(question, model, "agx-xavier");
//   epoch_cost(found.config, 1).stall_s;  // of every epoch after the first
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

struct EpochQuestion {
  // With a twin, leave compute, power and cores at their defaults.
  pipeline::PipelineConfig config = {};
  // Absent knobs have their highest values. With a governor, the clocks are upper limits.
  PowerMode mode = {};
  // Preprocessing time of one sample in a worker at the highest CPU clock. Absent: the value of the
  // twin.
  std::optional<double> preprocess_s_per_sample = {};
  // Memory of the page cache; replaces config.cache_bytes. Absent: the memory that a minibatch
  // leaves free.
  std::optional<double> cache_bytes = {};
};

struct EpochAnswer {
  pipeline::PipelineConfig config;        // input of epoch_cost() and simulate_epochs()
  std::vector<pipeline::WhatIf> changes;  // changes that might help, best first
  std::string ground;                     // what the figures are based on
  RowOrigin origin;
  std::optional<workload::CostCaveats> caveats;  // of the model; absent without a model
  PowerMode clocks;                              // of the board; default values without a board
};

// Models a training workload on the twin of a board. Throws the errors of reading boards and twins.
EpochAnswer epochs_on_twin(const EpochQuestion& question,
                           const std::shared_ptr<const workload::DeployedWorkload>& workload,
                           const std::string& device);
// Uses the times in `config` as given, without a board.
EpochAnswer epochs_of_times(const pipeline::PipelineConfig& config);

// Costs of the first and of a later epoch.
struct NamedEpoch {
  std::string name;  // "0", "later", "0, simulated" or "later, simulated"
  pipeline::EpochCost cost;
  bool power_known = false;  // false: the energy is unknown
};
// Returns both epochs in closed form. If `simulated` > 0, each is followed by the mean of that
// number of simulated epochs.
std::vector<NamedEpoch> epochs_of(const EpochAnswer& found, int simulated, std::uint64_t seed);
// Returns a phrase with the change that shortens later epochs most, and with its effect.
std::string relief_of(const EpochAnswer& found);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
