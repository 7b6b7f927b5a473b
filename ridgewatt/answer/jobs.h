// What the ways of doing a job, a periodic task or a day's work cost on a board (govern/jobs.h), by
// its twin.
//
//   const ModeCosts costs = mode_costs(workload, "agx-orin", 16);
//   const auto ways = govern::ways_of_job(costs.costs, {.minibatches = 4e4, .end_s = 2e4});
//   costs.points[ways.mix->parts[0].mode];   // what runs first
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/govern/jobs.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

// Of every mode of the board, at one batch.
struct ModeCosts {
  std::vector<OperatingPoint> points;
  std::vector<govern::ModeCost> costs;
  std::string workload;  // "resnet50, inference, fp32, on Jetson AGX Orin .."
  RowOrigin origin;
  std::string remark;  // what the figures rest on, with their error
  std::optional<workload::CostCaveats> caveats;
  // The intervals of time and energy are those of the estimate in this mode; both are mostly the
  // same share in all modes.
  std::shared_ptr<const twin::TwinModel> model;

  predict::Estimate time_of(const govern::JobWay& way) const;
  predict::Estimate energy_of(const govern::JobWay& way) const;
};

// UsageError where the minibatch does not fit the memory; throws what reading boards and twins
// throws.
ModeCosts mode_costs(const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device, int batch);

}  // namespace ridgewatt::answer
