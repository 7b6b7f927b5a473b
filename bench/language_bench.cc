// The time of questions about language models: all power modes of the AGX Orin at ten contexts,
// every quantization on every board, and the search for one mode per phase.
#include <benchmark/benchmark.h>

#include "ridgewatt/answer/language_tune.h"

namespace ridgewatt::answer {
namespace {

LanguageQuestion all_modes(std::size_t contexts) {
  LanguageQuestion question;
  question.quantizations = {"q4_k_m"};
  question.modes = "all";
  for (std::size_t i = 1; i <= contexts; ++i) {
    question.contexts.push_back(static_cast<std::int64_t>(13107 * i));
  }
  return question;
}

// 18,096 modes x 10 contexts of Llama-3.1-8B.
void AllModesAtTenContexts(benchmark::State& state) {
  const auto model = llm::read_language_model("zoo:llama-3.1-8b");
  const auto boards = boards_named("agx-orin");
  std::size_t rows = 0;
  for (auto _ : state) {
    const LanguageAnswer found = ask_language(all_modes(10), model, boards);
    rows = found.rows.size();
    benchmark::DoNotOptimize(found.rows.data());
  }
  state.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK(AllModesAtTenContexts)->Unit(benchmark::kMillisecond)->UseRealTime();

// Every engine and quantization on every board.
void EveryCombination(benchmark::State& state) {
  const auto model = llm::read_language_model("zoo:llama-3.1-8b");
  const auto boards = boards_named("all");
  LanguageQuestion question;
  question.quantizations = quantizations_named(model, "all");
  question.runtimes = runtimes_named("all");
  std::size_t rows = 0;
  for (auto _ : state) rows = ask_language(question, model, boards).rows.size();
  state.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK(EveryCombination)->Unit(benchmark::kMillisecond)->UseRealTime();

// The best pair of modes out of 18,096 x 18,096.
void AModeForEachPhase(benchmark::State& state) {
  const auto model = llm::read_language_model("zoo:llama-3.1-8b");
  const LanguageAnswer asked = ask_language(all_modes(1), model, boards_named("agx-orin"));
  LanguageTuneQuestion question;
  question.phases = true;
  question.limits.ttft_s = 2;
  for (auto _ : state) {
    LanguageAnswer copy = asked;
    benchmark::DoNotOptimize(tune_language(question, std::move(copy)).settings.data());
  }
}
BENCHMARK(AModeForEachPhase)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ridgewatt::answer
