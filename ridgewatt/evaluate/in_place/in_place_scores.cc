#include "ridgewatt/evaluate/in_place_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/measure/simulated_program.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::evaluate {
namespace {

// The protocol of `profile`.
constexpr double kRestartIdleS = 2, kRestartSettleS = 5;
constexpr int kRestartWarmUp = 1, kRestartMinibatches = 40;
constexpr double kPowerNoise = 0.003;
constexpr double kHotS = 600;   // time until a board is warm
constexpr double kKept = 1.01;  // share of the limit up to which a measurement counts as within it
constexpr int kLeastAfter = 5;  // number of windows left after a disturbance begins

// Every second level of a knob with more than six levels, every third with more than twelve.
KnobSpace thinned_space(const KnobSpace& all) {
  KnobSpace::Levels levels;
  for (const Knob knob : kKnobs) {
    const auto& table = all.levels(knob);
    const std::size_t step = table.size() > 12 ? 3 : table.size() > 6 ? 2 : 1;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if ((table.size() - 1 - i) % step == 0) levels[knob].push_back(table[i]);
    }
  }
  return KnobSpace(levels);
}

struct InPlaceStage {
  explicit InPlaceStage(const InPlaceSetting& setting)
      : board(load_board(setting.board)),
        twin(twin::load_twin(board)),
        space(thinned_space(knob_space(board)), {}),
        prior(std::make_shared<const tune::SurrogatePrior>(space)) {}
  Board board;
  twin::Twin twin;
  tune::SearchSpace space;
  std::shared_ptr<const tune::SurrogatePrior> prior;
};

// One per board, since computing the prior is expensive.
const InPlaceStage& stage_of(const InPlaceSetting& setting) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<InPlaceStage>> stages;
  const std::lock_guard lock(mutex);
  auto& stage = stages[setting.board];
  if (!stage) stage = std::make_unique<InPlaceStage>(setting);
  return *stage;
}

// A load before its first minibatch, on a cold or warm board.
std::unique_ptr<platform::FakeLoad> load_of(const InPlaceSetting& setting,
                                            const InPlaceStage& stage, std::uint64_t seed,
                                            bool warm) {
  auto load = std::make_unique<platform::FakeLoad>(stage.twin, setting.cost, seed);
  if (warm) load->warm(kHotS);
  return load;
}

std::vector<Observation> true_costs(const InPlaceStage& stage, const platform::FakeLoad& load) {
  std::vector<Observation> all;
  for (const auto& point : stage.space.points()) {
    const auto at = load.at(point.mode);
    all.push_back({point, at.time_s, at.power_w});
  }
  return all;
}

// Starts a new process for every profile.
class RestartProfiler : public Profiler {
 public:
  RestartProfiler(platform::FakeLoad& load, std::uint64_t seed)
      : load_(load), random_(Random(seed).fork(11)) {}
  Observation profile(const OperatingPoint& point) override {
    const auto at = load_.at(point.mode);
    double factor = 0;
    for (int i = 0; i < kRestartMinibatches; ++i) factor += load_.next();
    factor /= kRestartMinibatches;
    elapsed_s_ += kRestartIdleS + kRestartSettleS +
                  (kRestartWarmUp + kRestartMinibatches * factor) * at.time_s;
    return {point, at.time_s * factor,
            at.power_w * (1 + kPowerNoise / std::sqrt(kRestartMinibatches) * random_.normal())};
  }
  Provenance provenance() const override { return Provenance::kFake; }
  double elapsed_s() const { return elapsed_s_; }

 private:
  platform::FakeLoad& load_;
  Random random_;
  double elapsed_s_ = 0;
};

struct AnswerScore {
  double penalty = 1;
  bool valid = false;
};

AnswerScore score_answer(const tune::Goal& goal, const std::vector<Observation>& truth,
                         const InPlaceStage& stage, const std::optional<Observation>& answer) {
  const auto best = tune::best_feasible(goal, truth);
  if (!best || !answer) return {};
  const Observation& real = truth[stage.space.find(answer->point).value()];
  if (real.power_w > kKept * goal.limits.power_w) return {};
  const double optimum = tune::objective_value(goal, truth[*best]);
  return {std::max(0.0, tune::objective_value(goal, real) / optimum - 1), true};
}

std::vector<std::pair<std::string, tune::Goal>> in_place_goals(
    const std::vector<Observation>& truth) {
  double least = truth.front().power_w, most = least;
  for (const auto& one : truth) {
    least = std::min(least, one.power_w);
    most = std::max(most, one.power_w);
  }
  std::vector<std::pair<std::string, tune::Goal>> goals;
  for (const double share : {0.25, 0.5, 0.75}) {
    tune::Goal goal;
    goal.limits.power_w = least + share * (most - least);
    goals.emplace_back(fmt::format("time under {:.0f} % of the power range", 100 * share), goal);
  }
  tune::Goal energy;
  energy.objective = tune::Objective::kEnergy;
  goals.emplace_back("energy", energy);
  return goals;
}

struct InPlaceOutcome {
  tune::InPlaceResult result;
  measure::InPlaceRun run;
};

InPlaceOutcome search_in_place(const InPlaceSetting& setting, const InPlaceStage& stage,
                               const tune::Goal& goal, platform::FakeLoad& load, std::uint64_t seed,
                               std::vector<platform::FakeDisturbance> disturbances) {
  measure::SimulatedProgramOptions simulation;
  simulation.seed = seed;
  simulation.disturbances = std::move(disturbances);
  measure::SimulatedProgram program(load, simulation);
  measure::InPlaceOptions options = setting.in_place;
  options.power_limit_w = goal.limits.power_w;
  measure::InPlaceProfiler profiler(program, options, Provenance::kFake);
  tune::InPlaceSearchOptions search;
  search.strategy.budget.profiles = setting.profiles;
  search.strategy.seed = seed;
  search.strategy.prior = stage.prior;
  search.safe = setting.safe;
  tune::InPlaceSearch in_place(stage.space, goal, profiler, search);
  profiler.begin(stage.space[tune::in_place_start(stage.space, goal)].mode);
  InPlaceOutcome outcome;
  outcome.result = in_place.run();
  outcome.run = profiler.run();
  return outcome;
}

int windows_of_kind(const measure::InPlaceRun& run, measure::InPlaceWindow::Kind kind) {
  return static_cast<int>(std::count_if(run.windows.begin(), run.windows.end(),
                                        [&](const auto& window) { return window.kind == kind; }));
}

}  // namespace

std::vector<InPlaceTrial> in_place_trials(const InPlaceSetting& setting, std::uint64_t seed) {
  const InPlaceStage& stage = stage_of(setting);
  const auto truth = true_costs(stage, *load_of(setting, stage, seed, /*warm=*/true));
  std::vector<InPlaceTrial> trials;
  for (const auto& [name, goal] : in_place_goals(truth)) {
    InPlaceTrial trial;
    trial.goal = name;
    const auto load = load_of(setting, stage, seed, /*warm=*/true);
    RestartProfiler restarts(*load, seed);
    tune::StrategyOptions strategy;
    strategy.budget.profiles = setting.profiles;
    strategy.seed = seed;
    strategy.prior = stage.prior;
    const auto again = tune::tune(stage.space, goal, restarts, strategy);
    const AnswerScore restarted = score_answer(goal, truth, stage, again.answer);
    trial.restart_penalty = restarted.penalty;
    trial.restart_valid = restarted.valid;
    trial.restart_search_s = restarts.elapsed_s();

    const auto running = load_of(setting, stage, seed, /*warm=*/true);
    const auto outcome = search_in_place(setting, stage, goal, *running, seed, {});
    const AnswerScore found = score_answer(goal, truth, stage, outcome.result.summary.answer);
    trial.penalty = found.penalty;
    trial.valid = found.valid;
    trial.search_s = outcome.run.time_s();
    trial.windows = static_cast<int>(outcome.run.windows.size());
    trial.references = windows_of_kind(outcome.run, measure::InPlaceWindow::Kind::kReference);
    trial.over_limit = outcome.result.over_limit;
    trial.minibatches = outcome.run.minibatches;
    trial.over_limit_s = outcome.run.over_limit_s;
    trial.longest_over_limit_s = outcome.run.longest_over_limit_s;
    trial.worst_excess = outcome.run.worst_excess;
    trial.time_effect_s = measure::time_effects(outcome.run).median_s;
    trial.power_effect_s = measure::power_effects(outcome.run).median_s;
    trial.drifts = outcome.result.drifts;
    trials.push_back(std::move(trial));
  }
  return trials;
}

std::string describe_disturbance(const platform::FakeDisturbance& disturbance) {
  const char* kind = !disturbance.process.empty() ? "another process"
                     : disturbance.celsius != 0   ? "thermal step"
                                                  : "unseen";
  return fmt::format("{}: time x {:g}, power x {:g}", kind, disturbance.time, disturbance.power);
}

std::vector<DriftTrial> drift_trials(const InPlaceSetting& setting, std::uint64_t seed,
                                     const std::vector<platform::FakeDisturbance>& disturbances) {
  const InPlaceStage& stage = stage_of(setting);
  auto load = load_of(setting, stage, seed, /*warm=*/false);
  const auto truth = true_costs(stage, *load);
  const tune::Goal goal = in_place_goals(truth)[1].second;
  std::vector<DriftTrial> trials;
  const auto quiet = search_in_place(setting, stage, goal, *load, seed, {});
  DriftTrial none;
  none.disturbance = "none";
  none.windows = static_cast<int>(quiet.run.windows.size());
  none.alarm_before = !quiet.run.drift.empty();
  if (none.alarm_before) none.cause = quiet.run.drift.front().cause;
  none.penalty = score_answer(goal, truth, stage, quiet.result.summary.answer).penalty;
  trials.push_back(none);
  // Until the disturbance begins, the run is the same as the undisturbed one.
  Random random = Random(seed).fork(21);
  for (platform::FakeDisturbance disturbance : disturbances) {
    const int last = none.windows - kLeastAfter;
    const int first = std::min(4, last);  // measurements exist that can become stale
    const auto at = static_cast<std::size_t>(
        first + static_cast<int>(random.below(static_cast<std::uint64_t>(last - first + 1))));
    const auto& window = quiet.run.windows[at - 1];
    const double next_s =
        at < quiet.run.windows.size() ? quiet.run.windows[at].end_s : quiet.run.end_s;
    disturbance.begin_s = window.end_s + random.uniform() * (next_s - window.end_s);
    disturbance.end_s = std::numeric_limits<double>::infinity();
    load = load_of(setting, stage, seed, /*warm=*/false);
    const auto run = search_in_place(setting, stage, goal, *load, seed, {disturbance});
    DriftTrial trial;
    trial.disturbance = describe_disturbance(disturbance);
    trial.begin_s = disturbance.begin_s;
    trial.windows = static_cast<int>(run.run.windows.size());
    trial.renewed = run.result.renewed;
    int before = 0;
    for (const auto& one : run.run.windows) before += one.end_s < disturbance.begin_s ? 1 : 0;
    for (const auto& event : run.run.drift) {
      if (event.time_s + run.run.begin_s < disturbance.begin_s) {
        trial.alarm_before = true;
      } else if (trial.noticed_after == 0) {
        trial.noticed_after = event.window - before;
        trial.cause = event.cause;
      }
    }
    auto disturbed = truth;
    for (auto& one : disturbed) one.time_s *= disturbance.time, one.power_w *= disturbance.power;
    trial.penalty = score_answer(goal, disturbed, stage, run.result.summary.answer).penalty;
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace ridgewatt::evaluate
