// ridgewatt fits: whether a language model fits a board.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

struct FitsArguments {
  std::string model;
  std::string device;
  std::string quantization;
  double reserve_gb = 0;
  bool reserve_given = false;
  llm::FitsOptions options;
};

std::vector<Board> fits_boards(const Context& context, const std::string& device) {
  std::vector<Board> boards;
  if (device == "all") {
    for (const auto& name : list_boards()) boards.push_back(load_board(name));
  } else {
    boards.push_back(load_board(board_or_at_hand(context, device)));
  }
  return boards;
}

std::vector<std::string> fits_quantizations(const llm::LanguageModel& model,
                                            const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  if (text != "all") {
    for (const auto& name : split(text, ',')) names.emplace_back(trim(name));
    return names;
  }
  if (!model.tensors.empty()) names.emplace_back("stored");
  if (!model.weights_known) return names;
  for (const llm::Recipe& recipe : llm::recipes()) names.push_back(recipe.name);
  return names;
}

void run_fits(const Context& context, FitsArguments arguments) {
  const llm::LanguageModel model = llm::read_language_model(arguments.model);
  const auto boards = fits_boards(context, arguments.device);
  llm::FitsOptions& options = arguments.options;
  options.quantizations = fits_quantizations(model, arguments.quantization);
  if (arguments.reserve_given) options.reserve_bytes = arguments.reserve_gb * 1e9;
  const auto rows = llm::fits(model, boards, options);
  for (const auto& line : model.remarks) remark(context, line);
  if (model.description.context > 0 && options.context > model.description.context) {
    remark(context,
           "the model was trained for a context of " + std::to_string(model.description.context));
  }
  if (context.json()) return print(context, report::fits_json(model, options, rows));
  print(context, report::fits_table(rows));
  if (context.csv() || rows.size() != 1) return;
  std::cout << '\n' << report::fits_text(rows.front()) << '\n';
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
  command->add_option("--device", a->device,
                      "Board, board file, or all; without it the board at hand");
  command->add_option("--quantization", a->quantization,
                      "stored, a name (f16, q4_k_m, awq ..), several, or all [as stored, or "
                      "q4_k_m]");
  quantity(command->add_option("--context", a->options.context, "Tokens of each sequence")
               ->capture_default_str(),
           count().within(1, 1 << 30));
  quantity(
      command->add_option("--batch", a->options.batch, "Sequences at once")->capture_default_str(),
      count().within(1, 65536));
  listed_choice(*command, "--kv-type", a->options.kv_type, "Type of the cache of keys and values")
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
