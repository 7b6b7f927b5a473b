// Analyzes the results of a study: effects of factors with confidence intervals, interactions,
// optimal clocks, variation, and a summary in words.
//
// Ratios are compared as logarithms within a block and at equal levels of the other factors. The
// interval is Student's over the means of the blocks (Fisher, The Design of Experiments, 1935;
// Montgomery, Design and Analysis of Experiments, chapter 4). For a replayed sweep the blocks are
// its other knobs: the interval then shows how the effect varies over modes, not how well it was
// measured.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/study/study.h"

namespace ridgewatt::study {

struct StudyEffect {
  std::string factor;
  std::string from;
  std::string to;
  std::string response;
  double ratio = 1;  // response at `to` over response at `from`
  double lo = 1;
  double hi = 1;
  int blocks = 0;
  bool shown() const { return blocks > 1 && (lo > 1 || hi < 1); }
};

// Interaction: how the effect of one factor, from first to last level, depends on another. Its
// ratio at the last level of the other factor over that at the first.
struct StudyInteraction {
  std::string factor;
  std::string other;
  std::string response;
  double ratio = 1;
  double lo = 1;
  double hi = 1;
  bool shown() const { return lo > 1 || hi < 1; }
};

// The optimum of a numeric factor of at least three levels: its level of least energy in each
// group. A group is a block at fixed levels of the other factors.
struct GroupOptimum {
  std::string group = {};
  double level = 0;
  bool interior = false;  // neither the lowest nor the highest
  double saving = 0;      // of energy against the highest level, a fraction
  double slowdown = 0;    // of time against the highest level, a fraction
};
struct StudyOptimum {
  std::string factor = {};
  std::string response = {};
  std::vector<GroupOptimum> groups = {};
  int interior = 0;
  double median_level = 0;
  MeanInterval saving = {};
  MeanInterval slowdown = {};
};

struct StudySpread {
  std::string response;
  double cv = 0;  // standard deviation of ln(response) within cells, block means removed
  double lo = 0;
  double hi = 0;
};

// The best cell compared with the cell of the highest levels, over all numeric factors together.
struct StudyBest {
  std::string response;
  MeanInterval saving;  // over blocks
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

// Responses of minibatches are divided by the level of a factor called "batch".
std::vector<StudyResult> per_sample(const Study& study, std::vector<StudyResult> results);
// Positive responses that every result has, energy and time first.
std::vector<std::string> common_responses(const std::vector<StudyResult>& results);
// The name of a response for people: "energy", "time per minibatch" (`of_samples`: "time per
// sample"), ..
std::string response_words(const std::string& response, bool of_samples = false);

// Whether all levels are numbers.
bool is_numeric(const StudyFactor& factor);
// One sentence for each finding, numbers with their intervals.
std::vector<std::string> study_findings(const Study& study, const StudyAnalysis& analysis);

// `replayed`: the rows are of a sweep, whose blocks are not repeats.
StudyAnalysis analyze_study(const Study& study, const std::vector<StudyResult>& results,
                            bool replayed);

}  // namespace ridgewatt::study
