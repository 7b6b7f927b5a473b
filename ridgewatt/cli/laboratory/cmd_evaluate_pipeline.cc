// ridgewatt evaluate pipeline: the published study's stalls against the pipeline model.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/published_pipeline.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

report::Table row_table(const evaluate::PublishedPipeline& published) {
  report::Table table({{"device"},
                       {"network"},
                       {.name = "what", .wrap = true},
                       {"unit"},
                       {"published_lo"},
                       {"published_hi"},
                       {"predicted"},
                       {"error_pct", "off by (%)", 3},
                       {.name = "direction", .rank = 1},
                       {.name = "use", .rank = 2}});
  for (const auto& row : published.rows) {
    table.add_row({row.published.device, row.published.network, row.published.what,
                   row.published.unit, row.published.lo, row.published.hi, row.predicted,
                   100 * row.error(), row.direction_right() ? "right" : "wrong",
                   row.fitted.empty() ? "predicted" : "fits the " + row.fitted});
  }
  return table;
}

report::Table parameter_table(const evaluate::PublishedPipeline& published) {
  report::Table table({{"device"}, {"network"}, {"parameter"}, {"value"}, {"unit"}});
  for (const auto& parameter : published.parameters) {
    table.add_row(
        {parameter.device, parameter.network, parameter.name, parameter.value, parameter.unit});
  }
  return table;
}

void run(const Context& context) {
  const evaluate::PublishedPipeline published = evaluate::evaluate_published_pipeline(context.seed);
  if (context.json()) {
    return print(context, Json{{"provenance", name_of(Provenance::kModelled)},
                               {"parameters", parameter_table(published).to_json()},
                               {"rows", row_table(published).to_json()},
                               {"predicted", published.predicted},
                               {"direction_right", published.direction_right},
                               {"within_25_pct", published.within_quarter}});
  }
  print(context, row_table(published));
  if (context.csv()) return;
  std::cout << '\n';
  print_aside(context, parameter_table(published));
  std::cout << "\nmodelled: of " << published.predicted << " predicted rows "
            << published.direction_right << " in the right direction, " << published.within_quarter
            << " within 25 %; the other rows gave the parameters above\n";
}

}  // namespace

void add_evaluate_pipeline(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "pipeline",
      "The published study of training on Xavier boards: rows that fit the pipeline model and rows "
      "that it predicts",
      "ridgewatt evaluate pipeline");
  command->callback([&context] { run(context); });
}

}  // namespace ridgewatt::cli
