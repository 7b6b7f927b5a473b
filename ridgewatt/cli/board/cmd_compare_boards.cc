// ridgewatt compare boards: what boards of one kind differ by, from the points that they share.
#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

using campaign::BoardEffect;
using campaign::MergedSweep;
using campaign::QuantityEffect;
using report::Cell;

struct CompareBoardsCommand {
  std::string database;
  store::SeriesFilter filter;
};

// ln of a factor as a percentage more.
double percent_more(double logarithm) {
  return 100 * std::expm1(logarithm);
}
// A slope as what each doubling of the kind's own value adds.
double percent_by_doubling(double slope) {
  return percent_more(slope * std::log(2));
}

void add_columns(std::vector<report::Column>& columns, const std::string& quantity) {
  const std::string doubling = " by doubling";
  columns.push_back({.name = quantity + "_pct", .digits = 2});
  columns.push_back({.name = quantity + "_lo_pct", .digits = 2, .rank = 1});
  columns.push_back({.name = quantity + "_hi_pct", .digits = 2, .rank = 1});
  columns.push_back({.name = quantity + "_slope_pct",
                     .heading = quantity + doubling + " (%)",
                     .digits = 2,
                     .rank = 2});
  columns.push_back({.name = quantity + "_slope_lo_pct", .digits = 2, .rank = 4});
  columns.push_back({.name = quantity + "_slope_hi_pct", .digits = 2, .rank = 4});
  columns.push_back({.name = quantity + "_noise_pct", .digits = 2, .rank = 3});
}

void add_cells(std::vector<Cell>& row, const BoardEffect& board, const QuantityEffect& effect) {
  if (!board.known) {
    row.resize(row.size() + 7);
    return;
  }
  const auto& offsets = effect.offset_interval;
  const auto& slopes = effect.slope_interval;
  row.emplace_back(percent_more(effect.offset));
  row.push_back(offsets ? Cell(percent_more(offsets->lo)) : Cell());
  row.push_back(offsets ? Cell(percent_more(offsets->hi)) : Cell());
  row.push_back(effect.slope ? Cell(percent_by_doubling(*effect.slope)) : Cell());
  row.push_back(slopes ? Cell(percent_by_doubling(slopes->lo)) : Cell());
  row.push_back(slopes ? Cell(percent_by_doubling(slopes->hi)) : Cell());
  row.push_back(offsets ? Cell(100 * effect.noise) : Cell());
}

// "time", "time, power"; unsteady ones too: "power unsteady".
Cell odd_in(const BoardEffect& board) {
  std::string text;
  const auto add = [&](const char* what) {
    text += (text.empty() ? "" : ", ") + std::string(what);
  };
  if (board.time.outlier) add("time");
  if (board.power.outlier) add("power");
  if (board.time.unsteady) add("time unsteady");
  if (board.power.unsteady) add("power unsteady");
  return text.empty() ? Cell() : Cell(text);
}

report::Table to_table(const std::vector<MergedSweep>& kinds) {
  std::vector<report::Column> columns = {{"serial"}};
  add_columns(columns, "time");
  add_columns(columns, "power");
  columns.push_back({.name = "outlier", .heading = "outlier in"});
  columns.push_back({.name = "points", .rank = 1});
  columns.push_back({.name = "shared", .heading = "shared points"});
  report::Table table(columns);
  std::vector<RowOrigin> origins;
  for (const auto& kind : kinds) {
    for (const auto& board : kind.effects.boards) {
      std::vector<Cell> row = {board.board};
      add_cells(row, board, board.time);
      add_cells(row, board, board.power);
      row.push_back(odd_in(board));
      row.emplace_back(static_cast<std::int64_t>(board.points));
      row.emplace_back(static_cast<std::int64_t>(board.shared));
      table.add_row(std::move(row));
      origins.push_back(kind.sweep.origin());
    }
  }
  return report::with_origin(table, origins);
}

// What the table does not say: what could not be told, and points that were set aside.
std::vector<std::string> remarks_of(const MergedSweep& kind) {
  std::vector<std::string> remarks;
  const std::string name = describe(kind.sweep.origin());
  for (const auto& text : kind.effects.remarks) remarks.push_back(name + ": " + text);
  for (const auto& aside : kind.effects.set_aside) {
    remarks.push_back(fmt::format("{}: {} at {}, batch {}: {} {:+.0f} % off, set aside", name,
                                  aside.board, describe(aside.point.mode), aside.point.batch,
                                  aside.quantity, percent_more(aside.deviation)));
  }
  return remarks;
}

void run(const Context& context, const CompareBoardsCommand& options) {
  store::Store store(options.database, store::Database::Access::kReadOnly);
  std::vector<MergedSweep> kinds;
  for (const auto& kind : campaign::boards_by_kind(store, options.filter)) {
    kinds.push_back(campaign::merge_boards(kind));
  }
  if (kinds.empty()) {
    throw UsageError("the store holds no points of this workload, kind and board", options.database,
                     "`ridgewatt store list` names what it holds");
  }
  print(context, to_table(kinds));
  for (const auto& kind : kinds) {
    for (const auto& text : remarks_of(kind)) remark(context, text);
  }
}

}  // namespace

void add_compare_boards(CLI::App& compare, Context& context) {
  auto* command = add_command(compare, context, "boards", "What boards of one kind differ by",
                              "ridgewatt compare boards campaign.db --device agx-orin");
  auto options = std::make_shared<CompareBoardsCommand>();
  input_file(command->add_option("STORE", options->database,
                                 "Store with points of several boards of a kind"))
      ->required();
  command->add_option("--workload", options->filter.workload, "Only this workload");
  command->add_option("--kind", options->filter.kind, "Only training, inference, ..");
  command->add_option("--device", options->filter.board, "Only boards of this kind");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
