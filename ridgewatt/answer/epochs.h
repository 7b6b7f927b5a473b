// The question of a training job with its data: what does an epoch cost, what limits it and what
// would help?
//
//   EpochQuestion question;
//   question.config.samples = 23080;
//   const auto model = std::make_shared<const DeployedWorkload>(
//       "zoo:mobilenet_v3", DeployOptions{.kind = WorkloadKind::kTraining});
//   const EpochAnswer found = epochs_on_twin(question, model, "agx-xavier");
//   epoch_cost(found.config, 1).stall_s;  // of a later epoch
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
  pipeline::PipelineConfig config = {};  // with a twin, omit compute, power and cores
  PowerMode mode =
      {};  // absent knobs are at their highest; with a governor clocks are upper limits
  // At the highest CPU clock; unset: the twin's own loader.
  std::optional<double> preprocess_s_per_sample = {};
  // Replaces config.cache_bytes, the RAM for the page cache. Unset: the memory that a minibatch
  // leaves free.
  std::optional<double> cache_bytes = {};
};

struct EpochAnswer {
  pipeline::PipelineConfig config;        // see epoch_cost and simulate_epochs
  std::vector<pipeline::WhatIf> changes;  // what would help, the best first
  std::string provenance;
  RowOrigin origin;
  std::optional<workload::CostCaveats> caveats;  // of the model, if one was used
  PowerMode clocks;                              // of the board, if there is one
};

// A training on the board's twin. Throws the errors of reading boards and twins.
EpochAnswer epochs_on_twin(const EpochQuestion& question,
                           const std::shared_ptr<const workload::DeployedWorkload>& workload,
                           const std::string& device);
// Uses the times of `config` as given.
EpochAnswer epochs_of_times(const pipeline::PipelineConfig& config);

// The first epoch and a later one in closed form and, if `simulated` > 0, the mean of that many
// simulated epochs.
struct NamedEpoch {
  std::string name;  // "0", "later, simulated"
  pipeline::EpochCost cost;
  bool power_known = false;  // false: energy is unknown
};
std::vector<NamedEpoch> epochs_of(const EpochAnswer& found, int simulated, std::uint64_t seed);
// The change that makes later epochs shortest, as a sentence.
std::string relief_of(const EpochAnswer& found);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
