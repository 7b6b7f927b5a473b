// Evaluations as many small outcomes that can be computed anywhere, in any order: by threads, by
// processes of this machine (processes.h), or in parts on several machines (parts.h). The scores
// see them in a fixed order, so their bytes do not depend on where they were computed.
//
//   const auto question = schedule_question(pairs, options);
//   const Outcomes outcomes = answer(*question, {.threads = 2});
//   for (const auto& score : schedule_scores(question->groups(), outcomes)) ...
//
// A question has groups (one line of its result each) and units (the smallest pieces of work). A
// unit gives one or more outcomes; random draws depend only on the unit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::evaluate {

// Outcomes that are scored together: the names and counts of a score, without its outcomes.
struct OutcomeGroup {
  Json names;
  std::size_t outcomes = 0;  // the number when all work is done
};

// One result: `key` orders it in its group (a problem, a problem and a seed, a run).
struct Outcome {
  std::size_t group = 0, key = 0;
  std::vector<double> values;
};

// The results of one unit.
struct UnitOutcomes {
  std::size_t unit = 0;
  std::vector<Outcome> outcomes;
  double seconds = 0;  // time of the unit
};

class Question {
 public:
  virtual ~Question() = default;
  virtual const std::vector<OutcomeGroup>& groups() const = 0;
  virtual std::size_t units() const = 0;
  // Computes the units `wanted`, in rising order, with up to `threads` threads (0: all), and passes
  // on the results of each. `give` may be called by several threads at once.
  virtual void work(const std::vector<std::size_t>& wanted, int threads,
                    const std::function<void(UnitOutcomes)>& give) const = 0;
};

// All outcomes of a question, in order: values[group][i], by rising key.
struct Outcomes {
  std::vector<std::vector<std::vector<double>>> values;
  std::vector<double> seconds;  // by group: the time of its units, added up
};

struct AnswerOptions {
  int threads = 0;
  // Outcomes, or units while a part is computed; one call at a time.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// The outcomes of `wanted`, each group's in order of key.
std::vector<Outcome> work_on(const Question& question, const std::vector<std::size_t>& wanted,
                             const AnswerOptions& options = {},
                             std::vector<double>* seconds = nullptr);
// All outcomes, in this process.
Outcomes answer(const Question& question, const AnswerOptions& options = {});
// `outcomes` by group and key. Throws InputError if one is duplicated or missing.
Outcomes in_order(const std::vector<OutcomeGroup>& groups, std::vector<Outcome> outcomes);
std::vector<std::size_t> all_units(const Question& question);

}  // namespace ridgewatt::evaluate
