// ridgewatt fits: whether a language model fits a board.
#include "ridgewatt/answer/fits.h"

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

struct FitsArguments {
  std::string model;
  double reserve_gb = 0;
  bool reserve_given = false;
  answer::FitsQuestion question;
};

void run_fits(const Context& context, FitsArguments arguments) {
  answer::FitsQuestion& question = arguments.question;
  question.device = board_or_at_hand(context, question.device);
  if (arguments.reserve_given) question.options.reserve_bytes = arguments.reserve_gb * 1e9;
  const auto found = answer::fits_on_boards(question, arguments.model);
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
  auto a = std::make_shared<FitsArguments>();
  input_file(command->add_option("MODEL", a->model,
                                 "GGUF, safetensors, config.json, a folder with them, or zoo:NAME"))
      ->required();
  command->add_option("--device", a->question.device,
                      "Board, board file, or all; without it the board at hand");
  command->add_option("--quantization", a->question.quantization,
                      "stored, a name (f16, q4_k_m, awq ..), several, or all [as stored, or "
                      "q4_k_m]");
  quantity(command->add_option("--context", a->question.options.context, "Tokens of each sequence")
               ->capture_default_str(),
           count().within(1, 1 << 30));
  quantity(command->add_option("--batch", a->question.options.batch, "Sequences at once")
               ->capture_default_str(),
           count().within(1, 65536));
  listed_choice(*command, "--kv-type", a->question.options.kv_type,
                "Type of the cache of keys and values")
      ->capture_default_str();
  quantity(command->add_option("--reserve-gb", a->reserve_gb,
                               "Kept for the system and others [as the board file says]"),
           gigabytes());
  command->callback([&context, a, command] {
    a->reserve_given = command->count("--reserve-gb") > 0;
    run_fits(context, *a);
  });
}

}  // namespace ridgewatt::cli
