// ridgewatt fits: whether a language model fits a board.
#include "ridgewatt/answer/fits.h"

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

void run_fits(const Context& context, answer::FitsQuestion question) {
  question.device = board_or_local(context, question.device);
  const auto found = answer::fits_on_boards(question);
  for (const auto& line : found.model.remarks) remark(context, line);
  if (context.json()) {
    return print(context, report::fits_json(found.model, found.options, found.rows));
  }
  print(context, report::fits_table(found.rows));
  if (context.csv() || found.rows.size() != 1) return;
  std::cout << '\n' << report::fits_text(found.rows.front()) << '\n';
}

}  // namespace

void add_fits(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "fits", "Whether a language model fits a board's memory",
                  "ridgewatt fits zoo:llama-3.1-8b --device all --quantization q4_k_m\n"
                  "  ridgewatt fits model.gguf --device orin-nano-8gb --context 8192");
  auto question = std::make_shared<answer::FitsQuestion>();
  add_parameters(*command, answer::fits_parameters(), question.get());
  command->callback([&context, question] { run_fits(context, *question); });
}

}  // namespace ridgewatt::cli
