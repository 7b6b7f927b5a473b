#include "ridgewatt/report/calibrate_report.h"

#include <array>
#include <cmath>
#include <map>

namespace ridgewatt::report {
namespace {

Cell closed_end(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

}  // namespace

Table board_finding_table(const std::vector<evaluate::FindingVerdict>& judged) {
  Table table({{"board"},
               {"model"},
               {.name = "kind", .rank = 3},
               {.name = "batch", .rank = 3},
               {.name = "finding", .wrap = true},
               {"published_lo", "published from"},
               {"published_hi", "published to"},
               {.name = "modelled_lo", .heading = "modelled from", .digits = 3},
               {.name = "modelled_hi", .heading = "modelled to", .digits = 3},
               {"unit"},
               {"verdict"},
               {.name = "margin", .digits = 3, .rank = 2},
               {.name = "why", .rank = 1, .wrap = true},
               {.name = "source", .rank = 5, .wrap = true},
               {.name = "id", .rank = 4}});
  for (const auto& v : judged) {
    const evaluate::Finding& f = v.finding;
    table.add_row({f.board, f.model, std::string(name_of(f.kind)), std::int64_t{f.batch},
                   f.sentence, closed_end(f.lo), closed_end(f.hi), closed_end(v.lo),
                   closed_end(v.hi), f.unit, std::string(name_of(v.verdict)), f.margin, v.why,
                   f.source, f.id});
  }
  return table;
}

Table board_finding_count_table(const std::vector<evaluate::FindingVerdict>& judged) {
  constexpr std::size_t kVerdicts = 3;
  std::map<std::string, std::array<std::int64_t, kVerdicts>> boards;
  for (const auto& v : judged) ++boards[v.finding.board][static_cast<std::size_t>(v.verdict)];
  Table table({{"board"}, {"findings"}, {"reproduced"}, {"not_reproduced"}, {"cannot_tell"}});
  for (const auto& [board, counts] : boards) {
    table.add_row({board, counts[0] + counts[1] + counts[2], counts[0], counts[1], counts[2]});
  }
  return table;
}

}  // namespace ridgewatt::report
