// Analyzes the results of a study: effects of factors with confidence intervals, interactions,
// optimal clocks, variation, and findings as text.
//
// Ratios are compared as logarithms, within a block and at equal levels of the other factors. The
// intervals use Student's t over the means of the blocks (Fisher, The Design of Experiments, 1935;
// Montgomery, Design and Analysis of Experiments, chapter 4). For a replayed sweep, the blocks are
// combinations of the other knobs. The interval then shows the variation of the effect over modes,
// not the accuracy of its measurement.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/study/study.h"

namespace ridgewatt::study {

// The effect of changing a factor from one level to another.
struct StudyEffect {
  std::string factor;
  std::string from;
  std::string to;
  std::string response;
  double ratio = 1;  // response at `to` divided by the response at `from`
  double lo = 1;
  double hi = 1;
  int blocks = 0;
  bool shown() const { return blocks > 1 && (lo > 1 || hi < 1); }
};

// The dependence of one factor's effect (from its first to its last level) on another factor: the
// effect at the other factor's last level / the effect at the other factor's first level.
struct StudyInteraction {
  std::string factor;
  std::string other;
  std::string response;
  double ratio = 1;
  double lo = 1;
  double hi = 1;
  bool shown() const { return lo > 1 || hi < 1; }
};

// The optimum of a numeric factor with at least three levels: the level with the least energy in
// each group. A group is a block at fixed levels of the other factors.
struct GroupOptimum {
  std::string group = {};
  double level = 0;
  bool interior = false;  // neither the lowest nor the highest level
  double saving = 0;      // energy saved relative to the highest level, as a fraction
  double slowdown = 0;    // additional time relative to the highest level, as a fraction
};
struct StudyOptimum {
  std::string factor = {};
  std::string response = {};
  std::vector<GroupOptimum> groups = {};
  // Numbers of groups with an interior optimum, and with the optimum at the highest level.
  int interior = 0, highest = 0;
  double median_level = 0;
  MeanInterval saving = {};
  MeanInterval slowdown = {};
};

// Variation of a response between repeats.
struct StudySpread {
  std::string response;
  // Standard deviation of ln(response) within cells, after subtracting the means of the blocks.
  double cv = 0;
  double lo = 0;
  double hi = 0;
};

// The best cell compared with the cell of the highest levels of all numeric factors.
struct StudyBest {
  std::string response;
  MeanInterval saving;  // mean over the blocks
  // The levels of the cell that is the best one in most blocks.
  std::string most_often;
};

struct StudyAnalysis {
  std::vector<StudyEffect> effects;
  std::vector<StudyInteraction> interactions;
  std::vector<StudyOptimum> optima;
  std::vector<StudyBest> best;
  std::vector<StudySpread> spreads;
  std::vector<std::string> findings;
};

// Converts responses per minibatch to responses per sample ("sample_s", "sample_energy_j",
// "sample_stall_s", "sample_compute_s"), also in the study's list of responses. `batches`: one per
// result.
void use_samples(Study& study, std::vector<StudyResult>& results,
                 const std::vector<double>& batches);
// Takes the batches from the factor "batch". Changes nothing in a study without this factor.
void use_samples(Study& study, std::vector<StudyResult>& results);
// Names of the responses to compare, in order of preference.
inline constexpr std::array<std::string_view, 3> kTimeResponses = {"sample_s", "minibatch_s",
                                                                   "time_s"};
inline constexpr std::array<std::string_view, 3> kEnergyResponses = {
    "sample_energy_j", "minibatch_energy_j", "energy_j"};
// Returns the positive responses that every result has, energy and time first.
std::vector<std::string> common_responses(const std::vector<StudyResult>& results);
// Returns the name of a response as text: "energy", "time per minibatch", ..
std::string response_words(const std::string& response);

// True if all levels are numbers.
bool is_numeric(const StudyFactor& factor);
// Returns one sentence per finding, with numbers and their intervals.
std::vector<std::string> study_findings(const Study& study, const StudyAnalysis& analysis);

// `replayed`: the results come from a sweep, whose blocks are not repeats.
StudyAnalysis analyze_study(const Study& study, const std::vector<StudyResult>& results,
                            bool replayed);

}  // namespace ridgewatt::study
