// Compares estimates for runtimes with public measurements. Each row is predicted with parameters
// fitted without its model, without its board, and without both. Published facts are compared with
// the shipped parameters.
//
//   const RuntimeScores scores = score_runtimes({"vision.csv"});
//   scores.groups[0].model;  // median error of rows predicted without their model, a fraction
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/twin/runtime_fit.h"

namespace ridgewatt::evaluate {

// Rows that are scored together.
struct RuntimeGroup {
  std::string name;
  std::size_t rows = 0;
  // Medians of |predicted / measured - 1|; NaN without rows. Parameters were fitted to: all rows;
  // rows of other models; rows of other boards; rows of other models on other boards.
  double fitted = 0, model = 0, board = 0, model_and_board = 0;
};

struct RuntimeScores {
  twin::RuntimeRows rows;
  twin::RuntimeFit fit;
  std::vector<RuntimeGroup> groups;
  // Number of rows that a fit without the row's model predicts, and the number of them within their
  // 90 % interval.
  std::size_t predicted = 0, within = 0;

  // Whether the row counts in `within`; absent if it is not predicted.
  std::optional<bool> is_within(std::size_t row) const;
  void count_within();  // sets `predicted` and `within`
};

// Reads and scores the files. Throws InputError like twin::load_runtime_rows, and UsageError if no
// row can be used.
RuntimeScores score_runtimes(const std::vector<std::string>& paths,
                             const twin::RuntimeFitOptions& options = {});

// A row of studies/published/runtimes.csv compared with the shipped parameters.
struct RuntimeFact {
  std::string fact;
  std::string quantity;  // "parameters_m", "gflop", "time_ms"
  double published = 0;
  double found = 0;      // value with the shipped parameters
  double tolerance = 0;  // as a fraction
  std::string source;
  bool holds() const;  // whether `found` is within the tolerance
};
// Throws the errors of reading models, boards and twins.
std::vector<RuntimeFact> check_runtime_facts();

}  // namespace ridgewatt::evaluate
