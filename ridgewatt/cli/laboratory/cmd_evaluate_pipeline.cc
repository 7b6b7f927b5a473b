// ridgewatt evaluate pipeline: the published study's stalls against the pipeline model.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/published_pipeline.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

std::string use_of(const evaluate::PublishedRow& row) {
  if (!row.fitted.empty()) return "fits the " + row.fitted;
  return row.published.known_to_twin ? "fits the twin" : "predicted";
}

report::Table row_table(const evaluate::PublishedPipeline& published) {
  report::Table table(
      {{"device"},
       {"network"},
       {.name = "quantity", .rank = 3},
       {.name = "knob", .heading = "changed", .rank = 2},
       {.name = "what", .wrap = true},
       {"unit"},
       {"published_lo"},
       {"published_hi"},
       {"predicted", "ours"},
       {.name = "miss", .heading = "miss (unit)", .digits = 3},
       {"error_pct", "off by (%)", 3},
       {.name = "outcome_error_pct", .heading = "outcome (%)", .digits = 3, .rank = 1},
       {.name = "use", .rank = 1}});
  for (const auto& row : published.rows) {
    const evaluate::PublishedFigure& figure = row.published;
    table.add_row({figure.device, figure.network, figure.quantity, figure.knob, figure.what,
                   figure.unit, figure.lo, figure.hi, row.predicted, row.miss(), 100 * row.error(),
                   100 * row.outcome_error(), use_of(row)});
  }
  return table;
}

report::Table pipeline_score_table(const evaluate::PublishedPipeline& published) {
  report::Table table({{"quantity"},
                       {"rows"},
                       {"within_25_pct", "within 25 %"},
                       {"outcome_within_25_pct", "outcome within 25 %"},
                       {"median_error_pct", "median off by (%)", 3},
                       {"worst_error_pct", "worst (%)", 3}});
  for (const auto& score : published.scores) {
    table.add_row({score.quantity, std::int64_t{score.rows}, std::int64_t{score.within_quarter},
                   std::int64_t{score.outcome_within_quarter}, 100 * score.median_error,
                   100 * score.worst_error});
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
                               {"scores", pipeline_score_table(published).to_json()},
                               {"parameters", parameter_table(published).to_json()},
                               {"rows", row_table(published).to_json()}});
  }
  print(context, row_table(published));
  if (context.csv()) return;
  std::cout << "\nFitted, at most two for a device and network:\n\n";
  print_aside(context, parameter_table(published));
  std::cout << "\nmodelled; predicted rows alone, off by against the published figure. The outcome "
               "is what a change leads to: 90 where 80 % are published is 12.5 % off\n\n";
  print_aside(context, pipeline_score_table(published));
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
