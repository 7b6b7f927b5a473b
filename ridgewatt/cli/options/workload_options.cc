#include "ridgewatt/cli/options/workload_options.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::cli {

void add_precision(CLI::App& command, workload::Precision& precision) {
  choice(command, "--precision", precision,
         "What MODEL computes in: " + joined_names<workload::Precision>() +
             " (all but fp32 by peak ratios, not validated)")
      ->capture_default_str();
}

void add_runtime(CLI::App& command, Runtime& runtime) {
  choice(command, "--runtime", runtime, "What runs MODEL: " + joined_names<Runtime>())
      ->capture_default_str();
}

void add_strict(CLI::App& command, Context& context) {
  command.add_flag("--strict", context.strict, "Exit with 1 when something could not be counted");
}

void say_caveats(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.json()) {
    for (const auto& line : caveats.lines()) remark(context, line);
  }
  refuse_uncounted(context, caveats);
}

void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.strict || caveats.uncounted.empty()) return;
  const workload::Uncounted& first = caveats.uncounted.front();
  const std::size_t more = caveats.uncounted.size() - 1;
  throw NotSupportedError(
      "the model has operators that are not counted",
      first.full_name() + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
      "leave --strict out to see what the others cost");
}

}  // namespace ridgewatt::cli
