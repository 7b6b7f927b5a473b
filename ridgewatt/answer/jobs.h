// Compares the ways to do a job, a periodic task or a day's work on a board, by time and energy
// from its twin (govern/jobs.h). A way is a sequence of modes and idle periods.
//
//   const ModeCosts costs = mode_costs(workload, "agx-orin", 16);
//   const auto ways = govern::ways_of_job(costs.costs, {.minibatches = 4e4, .end_s = 2e4});
//   costs.points[ways.mix->parts[0].mode];   // the mode that runs first
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

// Costs of every mode of a board at one batch.
struct ModeCosts {
  std::vector<OperatingPoint> points;
  std::vector<govern::ModeCost> costs;  // by index of `points`
  std::string workload;                 // "resnet50, inference, fp32, on Jetson AGX Orin .."
  RowOrigin origin;
  std::string remark;  // source and error of the figures
  std::optional<workload::CostCaveats> caveats;
  // Source of the intervals below. A way has the relative interval of its part with the most
  // energy, because the relative error is mostly the same in all modes.
  std::shared_ptr<const twin::TwinModel> model;
  std::string idle_power;  // source of the idle power

  // Time and energy of a way, with 90 % intervals.
  predict::Estimate time_of(const govern::JobWay& way) const;
  predict::Estimate energy_of(const govern::JobWay& way) const;
};

// Estimates the costs on the twin of a board. Throws UsageError if the minibatch does not fit the
// memory, and the errors of reading boards and twins.
ModeCosts mode_costs(const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device, int batch, const twin::RunOptions& run = {});

// Goals of a job, a periodic task or a day. A member that is absent, 0 or empty is not a goal.
struct JobQuestion {
  std::optional<double> deadline_s, job_energy_j, period_s, day_energy_j, battery_j;
  std::optional<double> sleep_power_w, sleep_s, sleep_energy_j;
  std::optional<double> idle_power_w;  // measured; replaces that of the twin in every mode
  std::string solar = {};              // CSV file of solar power over a day
  double samples = 0;                  // size of a job
  double max_power_w = govern::Job::kNone;

  // Whether there is a goal for a job, for a day, or any goal.
  bool of_job() const { return deadline_s || job_energy_j; }
  bool of_day() const { return day_energy_j || battery_j || !solar.empty(); }
  bool asked() const { return of_job() || of_day() || period_s; }
  void check() const;  // throws UsageError for members that exclude each other
};

struct NamedWay {
  std::string name;  // "best mix"
  govern::JobWay way;
};
// The ways of a job or a day, best first.
struct JobAnswer {
  JobQuestion question = {};
  ModeCosts costs = {};  // for a day, only the modes within the power limit
  std::vector<NamedWay> ways = {};
  // If no way meets the goals: the least energy and the least time of any way.
  double least_energy_j = 0, least_time_s = 0;
  double held_power_w = 0;  // of a day: the constant power that the supply can deliver
  double length_s = 0;      // of a day

  double samples_of(const govern::JobWay& way) const;  // number of samples that a way computes
};
// Finds the ways of a job with a deadline or an energy limit. `ways` is empty if none meets them.
JobAnswer ask_job(const JobQuestion& question, ModeCosts costs);
// Finds the ways that compute the most samples in a day. Throws NoSolutionError if no mode can run
// on the available power.
JobAnswer ask_day(const JobQuestion& question, ModeCosts costs);

struct NamedPeriodWay {
  std::string name;  // "race to idle"
  govern::PeriodWay way;
};
// The ways of a periodic task, best first. If none is fast enough, `ways` is empty.
struct PeriodAnswer {
  double period_s = 0;
  ModeCosts costs;
  std::vector<NamedPeriodWay> ways;
  double least_time_s = 0;  // of a minibatch in any mode
};
// Finds the ways of a periodic task. Requires question.period_s.
PeriodAnswer ask_period(const JobQuestion& question, ModeCosts costs);

}  // namespace ridgewatt::answer
