// Scores of `explain` on simulated runs with known causes.
//
//   const ExplainScores scores = score_explain({.runs = 1000, .seed = 1});
//   scores.watched.single.first;  // share of runs with one cause in which it is ranked first
//
// A fifth of the runs has no cause, two fifths have one cause, and two fifths have two. Each run
// uses a fake board (platform/fake_load.h): every parameter of its twin differs by up to 20 % from
// the twin that `explain` uses, and every mode by up to 3 %. Causes are injected into the simulated
// program. Their magnitude and the observations of the run follow separate rules
// (evaluate/explain/injected_causes.cc), which `explain` does not use. If a cause changes the
// stated time by less than 20 %, another one is drawn.
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
  // Share in which the first row is an injected cause or, without a cause, `none`.
  double first = 0;
  double first_two = 0;  // share in which one of the first two rows is an injected cause
  double both = 0;  // share of runs with two causes in which the first two rows are these causes
};

// Shares of the runs with one cause, by cause.
struct CauseShares {
  answer::SlowCause cause = answer::SlowCause::kNone;
  ExplainShares alone;
  std::string instead;  // the cause most often ranked first instead
};

// Runs with one cause in which another cause is ranked first.
struct Confusion {
  answer::SlowCause cause = answer::SlowCause::kNone, first = answer::SlowCause::kNone;
  std::size_t runs = 0;
  std::size_t second = 0;  // number of these runs in which the true cause is ranked second
};

// Scores of `explain` with one kind of evidence.
struct EvidenceScores {
  ExplainShares none, single, pair;
  std::vector<CauseShares> causes = {};
  std::vector<Confusion> confusions = {};        // most frequent first
  std::vector<ReliabilityBin> reliability = {};  // all rows, binned by stated probability
  double calibration_error = 0;                  // mean of |stated - true share|, weighted by rows
  double parts_error = 0;                        // largest |sum of the parts - gap| / gap
  double longest_s = 0;                          // longest time of an answer
};

struct ExplainScores {
  ExplainScoreOptions options;
  EvidenceScores watched;  // with the observations of a watched run
  EvidenceScores numbers;  // for the same runs, but only with measured time and power
};

// Simulates the runs in parallel. The result does not depend on the number of threads.
ExplainScores score_explain(const ExplainScoreOptions& options);

}  // namespace ridgewatt::evaluate
