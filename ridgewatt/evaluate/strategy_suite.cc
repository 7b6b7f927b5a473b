#include "ridgewatt/evaluate/strategy_suite.h"

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/tune/comparison.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::evaluate {
namespace {

constexpr double kNoise = 0.05, kOutlierShare = 0.02;

std::vector<tune::Goal> power_budgets() {
  std::vector<tune::Goal> goals;
  for (int watts = 17; watts <= 50; ++watts) {
    tune::Goal goal;
    goal.limits.power_w = watts;
    goals.push_back(goal);
  }
  return goals;
}

std::vector<tune::Goal> slowdowns() {
  std::vector<tune::Goal> goals;
  for (const double slowdown : {0.02, 0.05, 0.1, 0.2}) {
    tune::Goal goal;
    goal.objective = tune::Objective::kEnergy;
    goal.limits.slowdown = slowdown;
    goals.push_back(goal);
  }
  return goals;
}

std::vector<tune::Goal> serving(tune::Objective objective) {
  std::vector<tune::Goal> goals;
  for (int latency_ms = 50; latency_ms <= 150; latency_ms += 25) {
    for (int rate = 30; rate <= 90; rate += 30) {
      for (int watts = 15; watts <= 50; watts += 5) {
        tune::Goal goal;
        goal.objective = objective;
        goal.limits.latency_s = latency_ms / 1e3;
        goal.limits.power_w = watts;
        goal.rate_hz = rate;
        goals.push_back(goal);
      }
    }
  }
  return goals;
}

std::vector<StrategyRun> runs_with(int profiles, const std::vector<std::string>& strategies) {
  std::vector<StrategyRun> runs;
  for (const auto& strategy : strategies) runs.push_back({strategy, profiles});
  return runs;
}

std::vector<StrategyRun> join(std::vector<StrategyRun> a, const std::vector<StrategyRun>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The knowledge before the first profile.
struct Priors {
  bool references = false;  // sweeps of the other trainings
  bool twin = false;
};
constexpr Priors kNone, kReferences = {true, false}, kTwin = {false, true}, kBoth = {true, true};

class SuiteBuilder {
 public:
  SuiteBuilder(const std::vector<ScoredSweep>& trainings, const std::vector<PowerMode>& presets)
      : trainings_(trainings), presets_(presets) {}

  void add(const std::string& name, const ScoredSweep& scored, const Sweep* grid, Priors priors,
           const std::vector<tune::Goal>& goals, const std::vector<StrategyRun>& runs,
           const std::vector<StrategyRun>& noisy_runs) {
    StrategyScenario scenario;
    scenario.name = name;
    scenario.workload = scored.all.workload;
    scenario.sweep = grid ? restrict_to_modes(scored.trusted, *grid) : scored.trusted;
    scenario.sweep_with_flagged = grid ? restrict_to_modes(scored.all, *grid) : scored.all;
    for (const auto& other : trainings_) {
      if (priors.references && other.all.workload != scored.all.workload) {
        scenario.references.push_back(other.trusted);
      }
    }
    if (priors.twin) scenario.references.push_back(*scored.twin);
    scenario.goals = goals;
    const KnobSpace space = scenario.sweep.space();
    for (const auto& preset : presets_) scenario.presets.push_back(space.nearest(preset));
    if (!runs.empty()) suite_.push_back({scenario, runs, 0, 0});
    if (noisy_runs.empty()) return;
    scenario.name += ", noisy";
    suite_.push_back({std::move(scenario), noisy_runs, kNoise, kOutlierShare});
  }

  std::vector<SuiteEntry> take() { return std::move(suite_); }

 private:
  const std::vector<ScoredSweep>& trainings_;
  const std::vector<PowerMode>& presets_;
  std::vector<SuiteEntry> suite_;
};

}  // namespace

std::vector<SuiteEntry> make_strategy_suite(const std::vector<ScoredSweep>& trainings,
                                            const std::vector<ScoredSweep>& inferences,
                                            const std::vector<PowerMode>& presets) {
  SuiteBuilder suite(trainings, presets);
  const auto others15 = runs_with(15, {"gmd", "als", "thompson", "ogd", "random"});
  const auto auto15 = runs_with(15, {"auto"}), auto10 = runs_with(10, {"auto"}),
             auto30 = runs_with(30, {"auto"});
  const auto budgets = power_budgets();
  for (const auto& training : trainings) {
    if (!inferences.empty()) {
      const Sweep& grid = inferences.front().all;
      suite.add("common modes", training, &grid, kNone, budgets,
                join(join(join(auto10, auto15), others15),
                     {{"als", 50}, {"als", 145}, {"random", 50}, {"maxn", 1}, {"presets", 4}}),
                auto15);
      suite.add("common modes, references", training, &grid, kReferences, budgets,
                join(join(auto10, auto15), runs_with(15, {"als", "thompson"})), auto10);
    }
    suite.add("all modes", training, nullptr, kNone, budgets, join(auto15, auto30), {});
    suite.add(
        "all modes, references", training, nullptr, kReferences, budgets,
        join(join(join(runs_with(10, {"auto"}), auto15), auto30), join(others15, {{"random", 50}})),
        join(auto15, auto30));
    suite.add("energy within a slowdown", training, nullptr, kReferences, slowdowns(),
              join(auto15, runs_with(15, {"thompson", "random"})), {});
    if (!training.twin) continue;
    if (!inferences.empty()) {
      suite.add("common modes, twin", training, &inferences.front().all, kTwin, budgets,
                join(auto10, auto15), {});
    }
    suite.add("all modes, twin", training, nullptr, kTwin, budgets, join(auto15, auto30), auto15);
    suite.add("all modes, references and twin", training, nullptr, kBoth, budgets,
              join(auto15, auto30), {});
    suite.add("energy within a slowdown, twin", training, nullptr, kTwin, slowdowns(), auto15, {});
  }
  for (const auto& inference : inferences) {
    suite.add("serving, least latency", inference, nullptr, kNone,
              serving(tune::Objective::kLatency),
              join(join(auto15, others15), {{"als", 50}, {"als", 145}, {"random", 50}}), auto15);
    suite.add("serving, least energy", inference, nullptr, kNone, serving(tune::Objective::kEnergy),
              join(join(auto15, others15), {{"random", 50}}), auto15);
  }
  return suite.take();
}

ScoredSweep read_scored(const std::string& path) {
  ScoredSweep scored{read_sweep(path), {}, {}};
  tune::take_governed(scored.all);
  scored.trusted = trusted_rows(scored.all, check_quality(scored.all));
  return scored;
}

namespace {

// Predictions for a sweep by the board's twin. The twin is fitted to the other sweeps, except those
// of the same workload (of either kind).
Sweep twin_view(const std::string& board, const ScoredSweep& scored,
                const std::vector<ScoredSweep>& trainings,
                const std::vector<ScoredSweep>& inferences) {
  std::vector<twin::SweepSpec> specs;
  for (const auto* sweeps : {&trainings, &inferences}) {
    for (const auto& other : *sweeps) {
      if (other.all.workload == scored.all.workload) continue;
      specs.push_back(twin::parse_sweep_spec(other.all.source));
    }
  }
  if (specs.empty())
    throw UsageError("--twin needs sweeps of other workloads for the fit of the twin", "",
                     "give more sweeps, or omit --twin");
  const auto reference =
      predict::unseen_twin_reference(board, specs, twin::parse_sweep_spec(scored.all.source));
  Sweep view = scored.all;
  view.source = reference.name;
  view.observations = reference.at(scored.all.points());
  return view;
}

}  // namespace

void add_twin_views(const std::string& board, std::vector<ScoredSweep>& trainings,
                    const std::vector<ScoredSweep>& inferences) {
  for (auto& scored : trainings) scored.twin = twin_view(board, scored, trainings, inferences);
}

void ChosenRuns::check() const {
  for (const auto& strategy : strategies) {
    if (boards.empty() || tune::find_strategy(strategy).in_parallel) continue;
    throw UsageError("the strategy profiles one point at a time, so it cannot use --boards",
                     "--strategy " + strategy,
                     "use " + tune::names_where(tune::strategies(), &tune::Strategy::in_parallel));
  }
}

std::vector<StrategyRun> ChosenRuns::of(const SuiteEntry& entry) const {
  if (strategies.empty() && profiles.empty() && boards.empty()) return entry.runs;
  std::vector<StrategyRun> runs;
  for (const auto& strategy : strategies.empty() ? std::vector<std::string>{"auto"} : strategies) {
    for (const int count : profiles.empty() ? std::vector<int>{15} : profiles) {
      if (boards.empty()) runs.push_back({strategy, count});
      for (const int several : boards) runs.push_back({strategy, count, several});
    }
  }
  return runs;
}

std::vector<SuiteEntry> asked_suite(const SuiteQuestion& question) {
  std::vector<ScoredSweep> trainings, inferences;
  for (const auto& path : question.training) trainings.push_back(read_scored(path));
  for (const auto& path : question.inference) inferences.push_back(read_scored(path));
  if (trainings.empty() && inferences.empty()) {
    throw UsageError("evaluate strategies has no sweeps to replay", "",
                     "give --training-sweep or --inference-sweep files");
  }
  if (question.twin) add_twin_views(question.board, trainings, inferences);
  std::vector<PowerMode> modes;
  const Board board = load_board(question.board);
  for (const auto& preset : presets(board)) modes.push_back(preset.mode);
  auto suite = make_strategy_suite(trainings, inferences, modes);
  NameSet known;  // what --only may name
  for (const auto& entry : suite) {
    for (const auto& name : {entry.scenario.name, entry.scenario.workload}) {
      if (!contains(known.names, name)) known.names.push_back(name);
    }
  }
  std::erase_if(suite, [&](const SuiteEntry& entry) {
    const std::string name = entry.scenario.name + ", " + entry.scenario.workload;
    return name.find(question.only) == std::string::npos;
  });
  if (suite.empty()) {
    throw UsageError("no scenario has the text of --only in its name or workload", question.only,
                     hint_for(question.only, known));
  }
  const auto groups = question.groups.empty() ? std::vector<predict::WorkloadGroup>()
                                              : predict::read_workload_groups(question.groups);
  for (auto& entry : suite) {
    entry.runs = question.chosen.of(entry);
    entry.scenario.groups = groups;
  }
  return suite;
}

}  // namespace ridgewatt::evaluate
