// Scores of a governor on random days of the twin (govern/day.h), and its cost relative to the best
// fixed mode of all the board's modes, which is only known afterwards.
//
//   for (const GovernScore& score : score_governor({.days = 100, .seed = 1}))
//     std::cout << name_of(score.goal) << ' ' << score.held << '\n';
//
// The board of a day is the twin with the perturbations of fake boards (platform/fake_load.h):
// every parameter by up to 20 %, every mode by up to 3 %. The policy sees the unperturbed twin and
// the observation of each window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/govern/day.h"

namespace ridgewatt::evaluate {

struct GovernScoreOptions {
  std::string board = "agx-orin";
  // Day n uses the n-th model, starting again after the last.
  std::vector<std::string> models = {"zoo:resnet50", "zoo:mobilenet_v2", "zoo:yolov8n"};
  int batch = 16;  // of training; requests are served one at a time
  std::vector<govern::GoalKind> goals = {govern::GoalKind::kDeadline, govern::GoalKind::kEnergy,
                                         govern::GoalKind::kPower, govern::GoalKind::kLatency};
  int days = 100;
  std::uint64_t seed = 1;
  int threads = 0;
  govern::PolicyOptions policy;
  // Throws UsageError.
  void check() const;
};

// One day.
struct GovernedDay {
  govern::Goal goal;
  std::string model;
  govern::DayOutcome held;
  bool has_fixed = false;  // some fixed mode meets the goal
  govern::FixedDay fixed;
  PowerMode fixed_mode;
  // End over deadline, energy over budget, less 1; share of windows above the cap; share of late
  // requests.
  double miss = 0;
  // Energy over that of the best fixed mode (deadline, latency), or its work over that of the
  // governor (budget, cap), less 1.
  double cost = 0;
};

struct GovernScore {
  govern::GoalKind goal = govern::GoalKind::kDeadline;
  std::vector<GovernedDay> days;
  double tolerance = 0;  // tolerance of `held`
  double held = 0;       // share of the days whose miss is within the tolerance
  double median_miss = 0, worst_miss = 0;
  std::size_t compared = 0;  // days that have a best fixed mode
  double median_cost = 0, mean_cost = 0, p95_cost = 0, worst_cost = 0;
  double within_5 = 0;              // share of compared days with a cost of at most 5 %
  double switches = 0, trials = 0;  // mean per day
};

std::vector<GovernScore> score_governor(const GovernScoreOptions& options);

}  // namespace ridgewatt::evaluate
