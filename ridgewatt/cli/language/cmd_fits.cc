// ridgewatt fits: whether a language model fits a board.
#include "ridgewatt/answer/fits.h"

#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

void run_fits(const Context& context, answer::FitsQuestion& question) {
  question.device = board_or_local(context, question.device);
  const auto found = answer::fits_on_boards(question);
  print(context, report::fits_result(found.model, found.options, found.rows));
}

}  // namespace

void add_fits(CLI::App& app, Context& context) {
  define<answer::FitsQuestion>(
      app, context, answer::fits_parameters(),
      "ridgewatt fits zoo:llama-3.1-8b --device all --quantization q4_k_m\n"
      "  ridgewatt fits model.gguf --device orin-nano-8gb --context 8192",
      run_fits);
}

}  // namespace ridgewatt::cli
