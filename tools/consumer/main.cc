// Calls each question of ridgewatt.h once, so that linking fails if the library hides a symbol.
#include <cstdio>

#include "ridgewatt/ridgewatt.h"

using namespace ridgewatt;

int main() {
  const auto model = std::make_shared<const workload::DeployedWorkload>("zoo:resnet18");
  answer::TuneQuestion question;
  question.goal.limits.power_w = 30;
  const auto tuned = answer::tune_on_twin(question, model, "agx-orin");
  const auto priced = answer::estimate_on_board({.modes = "maxn"}, model, "agx-orin");
  const auto modes = answer::modes_to_learn_from(knob_space(load_board("nano")), {.count = 3});
  const auto language = answer::ask_language({}, llm::read_language_model("zoo:llama-3.2-1b"),
                                             answer::boards_named("agx-orin"));
  try {
    load_board("no-such-board");
  } catch (const Error& error) {
    std::printf("%zu %zu %zu %s\n", priced.rows.size(), modes.size(), language.rows.size(),
                tuned.outcome.best ? describe(tuned.outcome.best->point.mode).c_str() : "nothing");
    return error.exit_status() == 1 ? 0 : 1;
  }
  return 1;
}
