#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"

namespace ridgewatt::evaluate {
namespace {

using report::at;
using report::Cell;
using report::times;

// The scores for one kind of trouble of boards.
struct Recovered {
  Trouble trouble = Trouble::kNone;
  RecoveryScore score;
  bool has(Trouble part) const { return trouble == part || trouble == Trouble::kBoth; }
};

}  // namespace

Table recovery_table(RecoveryOptions options) {
  std::vector<Recovered> rows;
  for (const auto trouble : {Trouble::kNone, Trouble::kBoard, Trouble::kPoints, Trouble::kBoth}) {
    options.trouble = trouble;
    rows.push_back({trouble, score_recovery(options)});
  }
  using R = Recovered;
  using Score = RecoveryScore;
  return report::table_of<R>(
      {{{.name = "trouble"}, at<&R::trouble>},
       {{.name = "time_offset_pct", .heading = "time offset held (%)", .digits = 3},
        times<100, &R::score, &Score::time_offset>},
       {{.name = "power_offset_pct", .heading = "power offset held (%)", .digits = 3},
        times<100, &R::score, &Score::power_offset>},
       {{.name = "time_slope_pct", .heading = "time slope held (%)", .digits = 3},
        times<100, &R::score, &Score::time_slope>},
       {{.name = "power_slope_pct", .heading = "power slope held (%)", .digits = 3},
        times<100, &R::score, &Score::power_slope>},
       {{.name = "half_width_pct", .heading = "half width (%)", .digits = 2},
        times<100, &R::score, &Score::half_width>},
       {{.name = "named_pct", .heading = "odd boards named (%)", .digits = 3},
        [](const R& row) {
          return row.has(Trouble::kBoard) ? Cell(100 * row.score.outliers_found) : Cell();
        }},
       {{.name = "falsely_named_pct", .heading = "others named (%)", .digits = 2},
        times<100, &R::score, &Score::falsely_named>},
       {{.name = "aside_pct", .heading = "wrong points found (%)", .digits = 3},
        [](const R& row) {
          return row.has(Trouble::kPoints) ? Cell(100 * row.score.points_found) : Cell();
        }}},
      rows);
}

Table merge_table(const std::vector<MergeScore>& scores) {
  using M = MergeScore;
  report::Fields<M> fields = {{{"workload"}, at<&M::workload>},
                              {{"kind"}, at<&M::kind>},
                              {{"rows"}, at<&M::rows>},
                              {{"points"}, at<&M::points>}};
  const auto add = [&]<M::Error M::*kError>(const std::string& name) {
    fields.push_back(
        {{.name = name + "_single_mape_pct", .digits = 3}, at<kError, &M::Error::single>});
    fields.push_back(
        {{.name = name + "_merged_mape_pct", .digits = 3}, at<kError, &M::Error::merged>});
    fields.push_back({{.name = name + "_uncorrected_mape_pct", .digits = 3},
                      at<kError, &M::Error::uncorrected>});
    fields.push_back({{.name = name + "_ratio", .digits = 3},
                      [](const M& score) -> Cell { return (score.*kError).ratio(); }});
  };
  add.operator()<&M::time>("time");
  add.operator()<&M::power>("power");
  return report::table_of(fields, scores);
}

}  // namespace ridgewatt::evaluate
