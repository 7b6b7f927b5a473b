// What a study's results say: effects of factors with confidence intervals, interactions, optima of
// clocks, variation, and all of it in words.
//
// Ratios are compared, as logarithms, inside a block and at equal levels of the other factors; the
// interval is Student's over the blocks' means (Fisher, The Design of Experiments, 1935;
// Montgomery, Design and Analysis of Experiments, chapter 4). Where a sweep is replayed the blocks
// are its other knobs: the interval then tells how the effect varies over modes, not how well it
// was measured.
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

// How the effect of one factor, first level to last, depends on another: its ratio at the other's
// last level over that at the first.
struct StudyInteraction {
  std::string factor;
  std::string other;
  std::string response;
  double ratio = 1;
  double lo = 1;
  double hi = 1;
  bool shown() const { return lo > 1 || hi < 1; }
};

// Where a numeric factor of at least three levels has its least energy, group by group: a group is
// a block at fixed levels of the other factors.
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

// Best cell against the cell of the highest levels, over the numeric factors together.
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
// Responses that every result has and that are positive, energy and time first.
std::vector<std::string> common_responses(const std::vector<StudyResult>& results);
// "energy", "time per minibatch" (`of_samples`: "time per sample"), ..: a response for people.
std::string response_words(const std::string& response, bool of_samples = false);

// All levels are numbers.
bool is_numeric(const StudyFactor& factor);
// One sentence a finding, numbers with their intervals.
std::vector<std::string> study_findings(const Study& study, const StudyAnalysis& analysis);

// `replayed`: the rows of a sweep, whose blocks are no repeats.
StudyAnalysis analyze_study(const Study& study, const std::vector<StudyResult>& results,
                            bool replayed);

}  // namespace ridgewatt::study
