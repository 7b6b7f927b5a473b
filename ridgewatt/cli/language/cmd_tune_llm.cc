// ridgewatt tune llm: the best mode for a language model, or one for each phase.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/language/language_options.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::cli {
namespace {

// Fewest cores of the runs that engines were fitted to and judged by.
constexpr int kCoresOfRuns = 4;

struct TuneLlmCommand {
  LanguageOptions language;
  answer::LanguageTuneQuestion question;
  std::optional<double> max_power_w, max_ttft_ms, max_tpot_ms, min_tokens_per_s;

  answer::LanguageTuneQuestion asked() const {
    answer::LanguageTuneQuestion all = question;
    if (max_power_w) all.limits.power_w = *max_power_w;
    if (max_ttft_ms) all.limits.ttft_s = *max_ttft_ms / 1e3;
    if (max_tpot_ms) all.limits.tpot_s = *max_tpot_ms / 1e3;
    if (min_tokens_per_s) all.limits.tokens_per_s = *min_tokens_per_s;
    return all;
  }
};

void run_tune_llm(const Context& context, const TuneLlmCommand& command, const CLI::App& app) {
  answer::LanguageAnswer language = command.language.ask(context, app);
  say_left_out(context, language);
  const auto found = answer::tune_language(command.asked(), std::move(language));
  if (context.json()) {
    print(context, report::language_tune_json(found));
  } else {
    if (!context.csv()) {
      for (const auto& line : report::language_tune_headline(found)) {
        std::cout << escape_terminal(line) << '\n';
      }
      std::cout << '\n';
    }
    print(context, report::language_tune_table(found));
    for (const auto& line : report::language_remarks(found.language)) remark(context, line);
  }
  const answer::TunedLanguage& first = found.settings.front();
  if (first.best) return;
  throw NoSolutionError(first.fits ? "no mode keeps the limits" : "the model fits no board asked",
                        command.language.model,
                        first.fits ? "loosen a limit" : "take a smaller quantization");
}

}  // namespace

void add_tune_llm(CLI::App& tune, Context& context) {
  auto* command = add_command(
      tune, context, "llm", "The best mode for a language model, or one for each phase",
      "ridgewatt tune llm zoo:llama-3.2-3b --device orin-nano-8gb@super --max-power 15\n"
      "  ridgewatt tune llm zoo:llama-3.1-8b --device agx-orin --phases --max-ttft 1s");
  auto options = std::make_shared<TuneLlmCommand>();
  options->language.question.modes = "all";
  options->language.question.min_cores = kCoresOfRuns;
  options->language.add_to(*command);
  quantity(command
               ->add_option("--min-cores", options->language.question.min_cores,
                            "Modes with fewer cores are not compared: no run tells their time")
               ->capture_default_str(),
           count().within(1, 1024));
  listed_choice(*command, "--minimize", options->question.goal,
                "Joules of a request, joules of decoding per token, time of a request, or time per "
                "token")
      ->capture_default_str();
  quantity(command->add_option("--max-power", options->max_power_w, "Power limit, of both phases"),
           watts().positive());
  quantity(command->add_option("--max-ttft", options->max_ttft_ms, "Limit on the first token"),
           milliseconds().positive());
  quantity(command->add_option("--max-tpot", options->max_tpot_ms, "Limit on the time per token"),
           milliseconds().positive());
  quantity(command->add_option("--min-tokens-per-s", options->min_tokens_per_s,
                               "Output tokens per second of all sequences, at least"),
           number().positive());
  quantity(command->add_option("--confidence", options->question.confidence,
                               "Probability with which estimates are to keep each limit"),
           share().within(0.5, 0.9999))
      ->capture_default_str();
  command->add_flag("--phases", options->question.phases,
                    "One mode for the prompt and one for decoding");
  command->callback([&context, options, command] { run_tune_llm(context, *options, *command); });
}

}  // namespace ridgewatt::cli
