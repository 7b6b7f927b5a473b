// Evaluations as many small outcomes that may be worked out anywhere, in any order: by threads, by
// processes of this machine (processes.h), or in parts on many machines (parts.h). What is scored
// sees them in one order, so that its bytes cannot depend on where they came from.
//
//   const auto question = schedule_question(pairs, options);
//   const Outcomes outcomes = answer(*question, {.threads = 2});
//   for (const auto& score : schedule_scores(question->groups(), outcomes)) ...
//
// A question has groups (one line of its result each) and units (the smallest piece of work). A
// unit gives one or more outcomes; random draws depend on the unit alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::evaluate {

// What is scored together: its names and counts, all that a score says beside its outcomes.
struct OutcomeGroup {
  Json names;
  std::size_t outcomes = 0;  // that it has when all work is done
};

// One result: `key` orders it in its group (a problem, a problem and a seed, a run).
struct Outcome {
  std::size_t group = 0, key = 0;
  std::vector<double> values;
};

// What one unit came to.
struct UnitOutcomes {
  std::size_t unit = 0;
  std::vector<Outcome> outcomes;
  double seconds = 0;  // that it took
};

class Question {
 public:
  virtual ~Question() = default;
  virtual const std::vector<OutcomeGroup>& groups() const = 0;
  virtual std::size_t units() const = 0;
  // Works on the units `wanted`, in rising order, with up to `threads` threads (0: all), and gives
  // what each came to. `give` may be called by several threads at once.
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
  // Outcomes, or units where a part is worked on; one call at a time.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

// The outcomes of `wanted`, each group's in order of key.
std::vector<Outcome> work_on(const Question& question, const std::vector<std::size_t>& wanted,
                             const AnswerOptions& options = {},
                             std::vector<double>* seconds = nullptr);
// All of them, in this process.
Outcomes answer(const Question& question, const AnswerOptions& options = {});
// `outcomes` by group and key. InputError when one is there twice or is missing.
Outcomes in_order(const std::vector<OutcomeGroup>& groups, std::vector<Outcome> outcomes);
std::vector<std::size_t> all_units(const Question& question);

}  // namespace ridgewatt::evaluate
