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
                     const std::string& device, int batch, const twin::RunOptions& run = {});

// Goals of a job, of a periodic task or of a day, with what they are about.
struct JobQuestion {
  std::optional<double> deadline_s, job_energy_j, period_s, day_energy_j, battery_j;
  std::optional<double> sleep_power_w, sleep_s, sleep_energy_j;
  std::string solar = {};  // CSV file
  double samples = 0;      // of a job
  double max_power_w = govern::Job::kNone;

  bool of_job() const { return deadline_s || job_energy_j; }
  bool asked() const;
};

struct NamedWay {
  std::string name;  // "best mix"
  govern::JobWay way;
};
// The ways of a job or of a day, the best first.
struct JobAnswer {
  JobQuestion question = {};
  ModeCosts costs = {};  // of a day: only modes within the power limit
  std::vector<NamedWay> ways = {};
  // Without a way: the minimum over all of them.
  double least_energy_j = 0, least_time_s = 0;
  double held_power_w = 0;  // of a day
  double length_s = 0;      // of a day

  double samples_of(const govern::JobWay& way) const;
};
// Finds the ways of a job with a deadline or an energy limit.
JobAnswer ask_job(const JobQuestion& question, ModeCosts costs);
// Finds the most work of a day. NoSolutionError without any.
JobAnswer ask_day(const JobQuestion& question, ModeCosts costs);

struct NamedPeriodWay {
  std::string name;  // "race to idle"
  govern::PeriodWay way;
};
// The ways of a periodic task, the best first; without a way the least time of a minibatch.
struct PeriodAnswer {
  double period_s = 0;
  ModeCosts costs;
  std::vector<NamedPeriodWay> ways;
  double least_time_s = 0;
};
PeriodAnswer ask_period(const JobQuestion& question, ModeCosts costs);

}  // namespace ridgewatt::answer
