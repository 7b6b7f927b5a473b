// Scores of the governor on random simulated days (govern/day.h): whether goals are met, and the
// cost relative to the best fixed mode of the board. That mode is only known in hindsight.
//
//   for (const GovernScore& score : score_governor({.days = 100, .seed = 1}))
//     std::cout << name_of(score.goal) << ' ' << score.held << '\n';
//
// Each day has its own board: the twin with the perturbations of fake boards
// (platform/fake_load.h), up to 20 % for every parameter and up to 3 % for every mode. The policy
// knows the unperturbed twin and observes each window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/govern/day.h"

namespace ridgewatt::evaluate {

struct GovernScoreOptions {
  std::string board = "agx-orin";
  // Models of successive days. After the last model the list starts again.
  std::vector<std::string> models = {"zoo:resnet50", "zoo:mobilenet_v2", "zoo:yolov8n"};
  int batch = 16;  // of training; inference requests are served one at a time
  std::vector<govern::GoalKind> goals = {govern::GoalKind::kDeadline, govern::GoalKind::kEnergy,
                                         govern::GoalKind::kPower, govern::GoalKind::kLatency};
  int days = 100;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all hardware threads
  govern::PolicyOptions policy;
  // Throws UsageError for an invalid option.
  void check() const;
};

// The result of one day.
struct GovernedDay {
  govern::Goal goal;
  std::string model;
  govern::DayOutcome held;  // outcome with the governor
  bool has_fixed = false;   // whether a fixed mode meets the goal
  govern::FixedDay fixed;   // outcome in `fixed_mode`, the best fixed mode
  PowerMode fixed_mode;
  // For a deadline: end / deadline - 1. For a budget: energy / budget - 1. For a cap: share of
  // windows above it. For latency: share of late requests.
  double miss = 0;
  // Deadline and latency: energy governed / energy in the best fixed mode - 1. Budget and cap: work
  // in the best fixed mode / work governed - 1.
  double cost = 0;
};

struct GovernScore {
  govern::GoalKind goal = govern::GoalKind::kDeadline;
  std::vector<GovernedDay> days;
  double tolerance = 0;  // largest `miss` that counts as met
  double held = 0;       // share of days with a miss within the tolerance
  double median_miss = 0, worst_miss = 0;
  std::size_t compared = 0;  // number of days with a best fixed mode
  double median_cost = 0, mean_cost = 0, p95_cost = 0, worst_cost = 0;
  double within_5 = 0;              // share of compared days with a cost of at most 5 %
  double switches = 0, trials = 0;  // mean numbers per day of mode changes and of trials
};

// Returns a score for each goal.
std::vector<GovernScore> score_governor(const GovernScoreOptions& options);

}  // namespace ridgewatt::evaluate
