#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::evaluate {
namespace {

using report::at;
using report::Cell;
using report::times;

Cell use_of(const PublishedRow& row) {
  if (!row.fitted.empty()) return "fits the " + row.fitted;
  return row.published.known_to_twin ? "fits the twin" : "predicted";
}

Table published_row_table(const std::vector<PublishedRow>& rows) {
  using R = PublishedRow;
  using F = PublishedFigure;
  return report::table_of<R>(
      {{{"device"}, at<&R::published, &F::device>},
       {{"network"}, at<&R::published, &F::network>},
       {{.name = "quantity", .rank = 3}, at<&R::published, &F::quantity>},
       {{.name = "knob", .heading = "changed", .rank = 2}, at<&R::published, &F::knob>},
       {{.name = "what", .wrap = true}, at<&R::published, &F::what>},
       {{"unit"}, at<&R::published, &F::unit>},
       {{"published_lo"}, at<&R::published, &F::lo>},
       {{"published_hi"}, at<&R::published, &F::hi>},
       {{"predicted", "ours"}, at<&R::predicted>},
       {{.name = "miss", .heading = "miss (unit)", .digits = 3},
        [](const R& row) -> Cell { return row.miss(); }},
       {{"error_pct", "off by (%)", 3}, [](const R& row) -> Cell { return 100 * row.error(); }},
       {{.name = "outcome_error_pct", .heading = "outcome (%)", .digits = 3, .rank = 1},
        [](const R& row) -> Cell { return 100 * row.outcome_error(); }},
       {{.name = "use", .rank = 1}, use_of}},
      rows);
}

Table published_score_table(const std::vector<PipelineScore>& scores) {
  using S = PipelineScore;
  return report::table_of<S>(
      {{{"quantity"}, at<&S::quantity>},
       {{"rows"}, at<&S::rows>},
       {{"within_25_pct", "within 25 %"}, at<&S::within_quarter>},
       {{"outcome_within_25_pct", "outcome within 25 %"}, at<&S::outcome_within_quarter>},
       {{"median_error_pct", "median off by (%)", 3}, times<100, &S::median_error>},
       {{"worst_error_pct", "worst (%)", 3}, times<100, &S::worst_error>}},
      scores);
}

Table published_parameter_table(const std::vector<PipelineParameter>& parameters) {
  using P = PipelineParameter;
  return report::table_of<P>({{{"device"}, at<&P::device>},
                              {{"network"}, at<&P::network>},
                              {{"parameter"}, at<&P::name>},
                              {{"value"}, at<&P::value>},
                              {{"unit"}, at<&P::unit>}},
                             parameters);
}

}  // namespace

report::Result published_pipeline_result(const PublishedPipeline& published) {
  report::Result result{published_row_table(published.rows)};
  const Table scores = published_score_table(published.scores);
  const Table parameters = published_parameter_table(published.parameters);
  result.json = json_object({{"provenance", name_of(Provenance::kModelled)},
                             {"scores", scores.to_json()},
                             {"parameters", parameters.to_json()},
                             {"rows", result.table.to_json()}});
  result.after = {
      {"\nFitted parameters, at most two per device and network:\n\n", parameters},
      {"\nModelled. Errors of the predicted rows, relative to the published figures. The outcome "
       "is the value after a change: 90 % instead of a published 80 % is an error of 12.5 %\n\n",
       scores}};
  return result;
}

}  // namespace ridgewatt::evaluate
