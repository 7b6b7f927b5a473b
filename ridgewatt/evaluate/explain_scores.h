// Scores of `explain` on simulated runs whose causes are known.
//
//   const ExplainScores scores = score_explain({.runs = 1000, .seed = 1});
//   scores.watched.single.first;  // share of runs with one cause that is ranked first
//
// A fifth of the runs has no cause, two fifths have one, two fifths have two. The board is a fake
// one (platform/fake_load.h): every parameter of its twin differs by up to 20 % from the one that
// explains, every mode by up to 3 %. Causes are injected into how the program really runs; their
// extents, and what a watch shows of them, are drawn by rules of their own
// (evaluate/explain/injected_causes.cc), which the table of causes does not use. A cause that
// changes the stated time by less than 20 % is drawn again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/evaluate/reliability.h"

namespace ridgewatt::evaluate {

struct ExplainScoreOptions {
  int runs = 1000;
  std::uint64_t seed = 1;
};

// Shares of runs.
struct ExplainShares {
  std::size_t runs = 0;
  double first = 0;      // the first row is an injected cause; of runs without one: `none`
  double first_two = 0;  // one of the first two rows is
  double both = 0;       // of pairs: the first two rows are the two
};

struct CauseShares {
  answer::SlowCause cause = answer::SlowCause::kNone;
  ExplainShares alone;
  std::string instead;  // what is ranked first most often if it is not this cause
};

struct EvidenceScores {
  ExplainShares none, single, pair;
  std::vector<CauseShares> causes = {};
  std::vector<ReliabilityBin> reliability = {};  // rows by their stated probability
  double calibration_error = 0;                  // mean of |stated - true share|, weighed by rows
  double parts_error = 0;                        // largest |sum of the parts - gap| / gap
  double longest_s = 0;                          // of an answer
};

struct ExplainScores {
  ExplainScoreOptions options;
  EvidenceScores watched;  // with what a watch shows
  EvidenceScores numbers;  // the same runs, from time and power alone
};

// Runs are simulated in parallel; the result does not depend on the number of threads.
ExplainScores score_explain(const ExplainScoreOptions& options);

}  // namespace ridgewatt::evaluate
