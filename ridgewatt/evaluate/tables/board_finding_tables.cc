#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;
using report::Table;

Cell closed_end(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

std::string yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

struct VerdictCounts {
  std::array<std::int64_t, count_of<Verdict>()> of{};
  void add(const FindingVerdict& v) { ++of[static_cast<std::size_t>(v.verdict)]; }
  std::int64_t asked() const { return of[0] + of[1] + of[2]; }
};

}  // namespace

Table board_finding_table(const std::vector<FindingVerdict>& judged) {
  Table table({{"board"},
               {"model"},
               {.name = "kind", .rank = 3},
               {.name = "batch", .rank = 3},
               {.name = "finding", .wrap = true},
               {.name = "at", .heading = "at", .rank = 2, .wrap = true},
               {.name = "to", .heading = "to", .rank = 2, .wrap = true},
               {"published_lo", "published from"},
               {.name = "published_hi", .heading = "published to", .rank = 1},
               {.name = "modelled_lo", .heading = "modelled from", .digits = 3},
               {.name = "modelled_hi", .heading = "modelled to", .digits = 3, .rank = 1},
               {"unit"},
               {"verdict"},
               {.name = "accepted_lo", .heading = "accepted from", .digits = 3, .rank = 4},
               {.name = "accepted_hi", .heading = "accepted to", .digits = 3, .rank = 4},
               {.name = "why", .rank = 3, .wrap = true},
               {.name = "about", .rank = 5},
               {.name = "kept_aside", .rank = 5},
               {.name = "fitted", .rank = 5},
               {.name = "source", .rank = 6, .wrap = true},
               {.name = "place", .rank = 5, .wrap = true},
               {.name = "id", .rank = 4}});
  for (const auto& v : judged) {
    const Finding& f = v.finding;
    table.add_row({f.board,
                   f.model,
                   std::string(name_of(f.kind)),
                   std::int64_t{f.batch},
                   f.sentence,
                   f.at,
                   f.to,
                   closed_end(f.lo),
                   closed_end(f.hi),
                   closed_end(v.lo),
                   closed_end(v.hi),
                   f.unit,
                   std::string(name_of(v.verdict)),
                   closed_end(f.accepted_lo),
                   closed_end(f.accepted_hi),
                   v.why,
                   std::string(name_of(f.about())),
                   yes_or_no(f.kept_aside()),
                   yes_or_no(f.fitted),
                   f.source,
                   f.place,
                   f.id});
  }
  return table;
}

Table board_finding_count_table(const std::vector<FindingVerdict>& judged) {
  std::map<std::pair<FindingKind, std::string>, VerdictCounts> counts;
  for (const auto& v : judged) counts[{v.finding.about(), v.finding.board}].add(v);
  Table table({{"about"},
               {"board"},
               {"findings"},
               {"reproduced"},
               {"not_reproduced"},
               {"cannot_tell"},
               {"cannot_ask"}});
  for (const auto& [key, count] : counts) {
    const auto& [reproduced, different, open, unasked] = count.of;
    table.add_row({std::string(name_of(key.first)), key.second.empty() ? "none" : key.second,
                   count.asked() + unasked, reproduced, different, open, unasked});
  }
  return table;
}

Table board_finding_score_table(const std::vector<FindingVerdict>& judged) {
  Table table({{"about"},
               {.name = "findings", .heading = "facts"},
               {"asked"},
               {"reproduced"},
               {.name = "reproduced_pct", .digits = 3}});
  const std::pair<std::string, bool (*)(const Finding&)> groups[] = {
      {"all", [](const Finding&) { return true; }},
      {"held out", [](const Finding& f) { return f.kept_aside(); }},
      {"held out, and no twin is fitted to it",
       [](const Finding& f) { return f.kept_aside() && !f.fitted; }}};
  for (const auto& [about, word] : kEnumNames<FindingKind>) {
    for (const auto& [name, holds] : groups) {
      VerdictCounts count;
      for (const auto& v : judged) {
        if (v.finding.about() == about && holds(v.finding)) count.add(v);
      }
      if (count.asked() == 0) continue;
      table.add_row(
          {std::string(word), name, count.asked(), count.of[0],
           100.0 * static_cast<double>(count.of[0]) / static_cast<double>(count.asked())});
    }
  }
  return table;
}

Table unasked_finding_table(const std::vector<FindingVerdict>& judged) {
  std::map<std::string, std::int64_t> reasons;
  for (const auto& v : judged) {
    if (v.verdict == Verdict::kCannotAsk) ++reasons[v.why];
  }
  Table table({{.name = "why", .wrap = true}, {"findings"}});
  for (const auto& [why, count] : reasons) table.add_row({why, count});
  table.sort("-findings");
  return table;
}

}  // namespace ridgewatt::evaluate
