// ridgewatt store: what a store of profiled points holds; sweeps out of it and into it.
#include <fmt/format.h>

#include <cstdint>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/utc_cell.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::cli {
namespace {

struct StoreArguments {
  std::string database;
  std::string other;
  std::string file;
  std::string board;
  store::SeriesFilter filter;
  bool merge_boards = false;
};

constexpr const char* kUnknownBoard = "unknown";
constexpr const char* kStoreHelp = "Store: a file, or postgresql://USER@HOST/DATABASE";

void list(const Context& context, const StoreArguments& arguments) {
  store::Store store(arguments.database, store::Database::Access::kReadOnly);
  report::Table table({{"board"},
                       {.name = "serial", .rank = 1},
                       {"workload"},
                       {"kind"},
                       {"provenance"},
                       {"points"},
                       {.name = "planned", .rank = 1},
                       {.name = "modes", .rank = 2},
                       {.name = "batches", .rank = 3},
                       {"flagged"},
                       {.name = "newest", .heading = "newest point began", .rank = 1}});
  for (const auto& held : store.holdings()) {
    const auto& series = held.series;
    table.add_row({series.board,
                   series.serial.empty() ? report::Cell() : report::Cell(series.serial),
                   series.workload, series.kind, std::string(name_of(series.provenance)),
                   held.points, held.planned ? report::Cell(*held.planned) : report::Cell(),
                   held.modes, held.batches, held.flagged, utc_cell(held.newest_unix_s)});
  }
  print(context, table);
}

// A measurement of another store is a recording here; what is fake or modelled stays so.
Provenance imported_provenance(const Sweep& sweep) {
  return derived_provenance(sweep.provenance, Provenance::kReplayed);
}

// The boards of a kind as one, and on standard error what they differ by.
void export_merged(const Context& context, store::Store& store, const StoreArguments& arguments) {
  std::vector<campaign::MergedSweep> merged;
  for (const auto& kind : campaign::boards_by_kind(store, arguments.filter)) {
    merged.push_back(campaign::merge_boards(kind));
    const auto& one = merged.back();
    const std::string name = describe(one.sweep.origin());
    for (const auto& text : one.effects.remarks) remark(context, name + ": " + text);
    remark(context, fmt::format("{}: {} rows of {} boards, effects of {} taken out", name,
                                one.sweep.observations.size(), one.effects.boards.size(),
                                one.effects.boards.size() - one.uncorrected.size()));
  }
  if (!merged.empty()) write_output(arguments.file, campaign::write_merged_csv(merged));
  if (merged.empty()) {
    throw UsageError("the store holds no points of this workload, kind and board",
                     arguments.database, "`ridgewatt store list` names what it holds");
  }
}

void export_sweeps(const Context& context, const StoreArguments& arguments) {
  store::Store store(arguments.database, store::Database::Access::kReadOnly);
  if (arguments.merge_boards) return export_merged(context, store, arguments);
  const auto sweeps = store.sweeps(arguments.filter);
  if (sweeps.empty() && !store.all_series().empty()) {
    throw UsageError("the store holds no points of this workload, kind and board",
                     arguments.database, "`ridgewatt store list` names what it holds");
  }
  write_output(arguments.file, write_sweep_csv(sweeps));
}

void import_sweeps(const Context& context, const StoreArguments& arguments) {
  const auto sweeps = read_sweeps(arguments.file);
  store::Store store(arguments.database);
  report::Table table({{"workload"}, {"kind"}, {"rows"}, {"added"}});
  for (const auto& sweep : sweeps) {
    std::string board = arguments.board.empty() ? sweep.board : arguments.board;
    if (board.empty()) board = kUnknownBoard;
    const auto added = store.import(sweep, board, imported_provenance(sweep));
    table.add_row({sweep.workload, sweep.kind, static_cast<std::int64_t>(sweep.observations.size()),
                   static_cast<std::int64_t>(added)});
  }
  print(context, table);
}

void merge_stores(const Context& context, const StoreArguments& arguments) {
  store::Store from(arguments.database, store::Database::Access::kReadOnly);
  store::Store to(arguments.other);
  Progress progress("merge", static_cast<std::size_t>(from.size()), context.quiet);
  const auto done = to.take_from(from, [&](std::size_t seen) { progress.update(seen); });
  report::Table table({{"added"}, {"present"}, {"superseded"}});
  table.add_row({static_cast<std::int64_t>(done.added), static_cast<std::int64_t>(done.present),
                 static_cast<std::int64_t>(done.superseded)});
  print(context, table);
}

void upgrade(const Context& context, const StoreArguments& arguments) {
  const store::Store store(arguments.database);
  report::Table table({{"store"}, {.name = "version", .heading = "schema"}});
  table.add_row({store.path(), store.schema()});
  print(context, table);
}

}  // namespace

void add_store(CLI::App& app, Context& context) {
  auto* store = command_named(app, "store", "Profiled points in an SQLite file or PostgreSQL");
  store->require_subcommand(1);
  auto arguments = std::make_shared<StoreArguments>();

  auto* list_command = add_command(*store, context, "list", "What the store holds",
                                   "ridgewatt store list profile.db");
  input_file(list_command->add_option("DATABASE", arguments->database, kStoreHelp))->required();
  list_command->callback([&context, arguments] { list(context, *arguments); });

  auto* export_command = add_command(*store, context, "export", "Its points as sweep CSV",
                                     "ridgewatt store export profile.db -o sweep.csv");
  input_file(export_command->add_option("DATABASE", arguments->database, kStoreHelp))->required();
  output_file(export_command->add_option("-o,--output", arguments->file,
                                         "Sweep CSV (default: standard output)"));
  export_command->add_option("--workload", arguments->filter.workload, "Only this workload");
  export_command->add_option("--kind", arguments->filter.kind, "Only training, inference, ..");
  export_command->add_option("--device", arguments->filter.board, "Only points of this board");
  export_command->add_option("--serial", arguments->filter.serial,
                             "Only points of the board of this serial number");
  export_command->add_flag("--merge-boards", arguments->merge_boards,
                           "Boards of a kind as one sweep, with what they differ by taken out");
  export_command->callback([&context, arguments] { export_sweeps(context, *arguments); });

  auto* import_command =
      add_command(*store, context, "import", "Add the rows of a sweep CSV",
                  "ridgewatt store import profile.db sweep.csv --device agx-orin");
  input_file(import_command->add_option("DATABASE", arguments->database, kStoreHelp))->required();
  input_file(import_command->add_option("FILE", arguments->file, "Sweep CSV"))->required();
  import_command->add_option("--device", arguments->board,
                             "Board that the sweep is of, where the file does not say");
  import_command->callback([&context, arguments] { import_sweeps(context, *arguments); });

  auto* upgrade_command = add_command(
      *store, context, "upgrade",
      "Make the tables, or bring those of an older version up to date; as the schema's owner",
      "ridgewatt store upgrade postgresql://owner@db/points");
  output_file(upgrade_command->add_option("DATABASE", arguments->database, kStoreHelp))->required();
  upgrade_command->callback([&context, arguments] { upgrade(context, *arguments); });

  auto* merge_command =
      add_command(*store, context, "merge", "Add the points of a store that another lacks",
                  "ridgewatt store merge spool.db all.db");
  input_file(merge_command->add_option("FROM", arguments->database, "Store to read"))->required();
  output_file(merge_command->add_option("TO", arguments->other, "Store to add to"))->required();
  merge_command->callback([&context, arguments] { merge_stores(context, *arguments); });
}

}  // namespace ridgewatt::cli
