// What the ways of `tune` share: a sweep that plays the board, a twin, a few samples, a live board.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::cli {

// A board at hand, and the program that is profiled on it.
struct LiveOptions {
  std::vector<std::string> command, governors;
  std::string store = "tune.db", sysroot;
  ProfileOptions profile;
  JetsonModeControl::Options control;
};

struct TuneOptions {
  GoalOptions goal;
  std::string model, device, sweep, samples, workload, observations;
  std::vector<std::string> references;
  std::vector<int> batches;
  bool training = false;
  Precision precision = Precision::kFp32;
  std::optional<std::string> strategy;
  int profiles = 15;
  std::optional<double> time_budget_s;
  double confidence = 0.5, min_gain = 0, noise = 0.01;
  int minibatches = 40;
  double dataset_size = 0, epochs = 1;
  bool trace = false, keep_outliers = false;
  LiveOptions live;
};

// Budget, seed and thresholds of the search.
StrategyOptions strategy_options(const Context& context, const TuneOptions& options);
// MAXN and, where a board is named, its other presets; each as the nearest mode of the space.
std::vector<NamedMode> named_modes(const TuneOptions& options, const SearchSpace& space);
// Gives the points of a report the names of the board's presets, and says that those are no caps.
void name_presets(TuneReport& report, const Board& board);
// Without an answer: what would give one, out of these points.
void add_mends(TuneReport& report, std::span<const OperatingPoint> points,
               std::span<const Prediction> costs, Caution caution);
// What the answer's job costs, where its size is given.
void add_job(TuneReport& report);
// What a finished search says.
TuneReport search_report(const Context& context, const TuneOptions& options,
                         const SearchSpace& space, const SearchSummary& summary);
// Prints in the wanted format; throws NoSolutionError when there is no answer.
void print_report(const Context& context, const TuneReport& report, bool trace);

// One board a row, the best first; as JSON the best board's report and all of them as `boards`.
void print_ranking(const Context& context, const std::vector<TuneReport>& reports);

void tune_sweep(const Context& context, const TuneOptions& options);
void tune_twin(const Context& context, const TuneOptions& options);
void tune_samples(const Context& context, const TuneOptions& options);
void add_live_options(CLI::App& command, LiveOptions& options);
// UsageError when one of them was given, since no board at hand would follow it.
void refuse_live_options(const CLI::App& command);
void tune_live(const Context& context, TuneOptions options);

}  // namespace ridgewatt::cli
