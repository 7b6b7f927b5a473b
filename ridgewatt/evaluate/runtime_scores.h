// Compares estimates of runtimes with public measurements: every row is predicted without its
// model, its board and its precision in turn; published facts are compared with the shipped
// parameters.
//
//   const RuntimeScores scores = score_runtimes({"vision.csv"});
//   scores.groups[0].median_error;  // of rows without their models, as a fraction
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/twin/runtime_fit.h"

namespace ridgewatt::evaluate {

// Rows that are scored together.
struct RuntimeGroup {
  std::string name;
  std::size_t rows = 0;
  // Medians of |predicted / measured - 1|; NaN: no rows. Fitted to all rows; without the model;
  // without the board; without both.
  double fitted = 0, model = 0, board = 0, model_and_board = 0;
};

struct RuntimeScores {
  twin::RuntimeRows rows;
  twin::RuntimeFit fit;
  std::vector<RuntimeGroup> groups;
  std::size_t within = 0;  // rows inside their 90 % interval, without their model

  bool is_within(std::size_t row) const;
};

// Throws InputError like load_runtime_rows; UsageError if no row can be used.
RuntimeScores score_runtimes(const std::vector<std::string>& paths);

// One line of studies/published/runtimes.csv compared with the shipped parameters.
struct RuntimeFact {
  std::string fact;
  std::string quantity;  // "parameters_m", "gflop", "time_ms"
  double published = 0;
  double found = 0;
  double tolerance = 0;  // as a fraction
  std::string source;
  bool holds() const;
};
std::vector<RuntimeFact> check_runtime_facts();

}  // namespace ridgewatt::evaluate
