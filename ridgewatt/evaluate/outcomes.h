// Divides an evaluation into many small units that can be computed in any order: by threads, by
// processes of this machine (processes.h), or in parts on several machines (parts.h). Scores are
// computed from the outcomes in a fixed order, so the result is the same to the last bit.
//
//   const auto question = schedule_question(pairs, options);
//   const Outcomes outcomes = answer(*question, {.threads = 2});
//   for (const auto& score : schedule_scores(question->groups(), outcomes)) ...
//
// A question has groups (each gives one line of the result) and units (the smallest pieces of
// work). A unit gives one or more outcomes. Its random numbers depend only on the unit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::evaluate {

// Outcomes that are scored together.
struct OutcomeGroup {
  Json names;                // names and counts of the score, independent of the outcomes
  std::size_t outcomes = 0;  // number of outcomes when all work is done
};

// One result of a unit. Outcomes are sorted by `key` within their group; the question defines the
// key, such as the number of a problem or a run.
struct Outcome {
  std::size_t group = 0, key = 0;
  std::vector<double> values;
};

struct UnitOutcomes {
  std::size_t unit = 0;
  std::vector<Outcome> outcomes;
  double seconds = 0;  // computing time
};

// An evaluation that is divided into units. Threads may call its const functions at the same time.
class Question {
 public:
  virtual ~Question() = default;
  virtual const std::vector<OutcomeGroup>& groups() const = 0;
  virtual std::size_t units() const = 0;
  // Computes the units `wanted` with up to `threads` threads (0: all hardware threads) and passes
  // the results of each to `give`. Several threads may call `give` at the same time.
  virtual void work(const std::vector<std::size_t>& wanted, int threads,
                    const std::function<void(UnitOutcomes)>& give) const = 0;
};

// All outcomes of a question. values[group][i] are the values of the outcome with the i-th smallest
// key of the group.
struct Outcomes {
  std::vector<std::vector<std::vector<double>>> values;
  std::vector<double> seconds;  // by group: total computing time of its units
};

struct AnswerOptions {
  int threads = 0;  // 0: all hardware threads
  // Called by one thread at a time. Counts outcomes, or units if only some units are computed.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// Computes the units `wanted` and returns their outcomes, sorted by group and key. `seconds`, if
// not null, receives the computing time by group.
std::vector<Outcome> work_on(const Question& question, const std::vector<std::size_t>& wanted,
                             const AnswerOptions& options = {},
                             std::vector<double>* seconds = nullptr);
// Computes all outcomes in this process.
Outcomes answer(const Question& question, const AnswerOptions& options = {});
// Sorts `outcomes` by group and key. Throws InputError if one is duplicated or missing.
Outcomes in_order(const std::vector<OutcomeGroup>& groups, std::vector<Outcome> outcomes);
// Returns the indices of all units.
std::vector<std::size_t> all_units(const Question& question);

}  // namespace ridgewatt::evaluate
