// ridgewatt store: what a store of profiled points holds; sweeps out of it and into it.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::cli {
namespace {

struct StoreArguments {
  std::string database;
  std::string file;
  std::string board;
  store::CampaignFilter filter;
};

constexpr const char* kUnknownBoard = "unknown";

// "2026-11-23T04:05:06Z"; empty for what was imported, which has no time.
report::Cell utc_text(std::int64_t unix_s) {
  if (unix_s <= 0) return {};
  const std::time_t time = unix_s;
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return std::string(text);
}

void list(const Context& context, const StoreArguments& arguments) {
  store::Store store(arguments.database, store::Database::Access::kReadOnly);
  report::Table table({{"board"},
                       {"workload"},
                       {"kind"},
                       {"provenance"},
                       {"points"},
                       {.name = "planned", .rank = 1},
                       {.name = "modes", .rank = 2},
                       {.name = "batches", .rank = 3},
                       {"flagged"},
                       {.name = "newest", .heading = "newest point began", .rank = 1}});
  for (const auto& campaign : store.campaigns()) {
    std::int64_t flagged = 0;
    std::int64_t newest_s = 0;
    std::set<PowerMode> modes;
    std::set<int> batches;
    const auto id = store.campaign(campaign);
    const auto points = store.points(id);
    for (const auto& point : points) {
      flagged += point.flags.empty() ? 0 : 1;
      newest_s = std::max(newest_s, point.started_unix_s);
      modes.insert(point.observation.point.mode);
      batches.insert(point.observation.point.batch);
    }
    const auto planned = store.planned(id);
    table.add_row(
        {campaign.board, campaign.workload, campaign.kind,
         std::string(name_of(campaign.provenance)), static_cast<std::int64_t>(points.size()),
         planned ? report::Cell(*planned) : report::Cell(), static_cast<std::int64_t>(modes.size()),
         static_cast<std::int64_t>(batches.size()), flagged, utc_text(newest_s)});
  }
  print(context, table);
}

// A measurement of another store is a recording here; what is fake or modelled stays so.
Provenance imported_provenance(const Sweep& sweep) {
  return derived_provenance(sweep.provenance, Provenance::kReplayed);
}

void export_sweeps(const StoreArguments& arguments) {
  store::Store store(arguments.database, store::Database::Access::kReadOnly);
  const auto sweeps = store.sweeps(arguments.filter);
  if (sweeps.empty() && !store.campaigns().empty()) {
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

}  // namespace

void add_store(CLI::App& app, Context& context) {
  auto* store = command_named(app, "store", "Profiled points in an SQLite file");
  store->require_subcommand(1);
  auto arguments = std::make_shared<StoreArguments>();

  auto* list_command = add_command(*store, context, "list", "What the store holds",
                                   "ridgewatt store list profile.db");
  input_file(list_command->add_option("DATABASE", arguments->database, "Store"))->required();
  list_command->callback([&context, arguments] { list(context, *arguments); });

  auto* export_command = add_command(*store, context, "export", "Its points as sweep CSV",
                                     "ridgewatt store export profile.db -o sweep.csv");
  input_file(export_command->add_option("DATABASE", arguments->database, "Store"))->required();
  output_file(export_command->add_option("-o,--output", arguments->file,
                                         "Sweep CSV (default: standard output)"));
  export_command->add_option("--workload", arguments->filter.workload, "Only this workload");
  export_command->add_option("--kind", arguments->filter.kind, "Only training, inference, ..");
  export_command->add_option("--device", arguments->filter.board, "Only points of this board");
  export_command->callback([arguments] { export_sweeps(*arguments); });

  auto* import_command =
      add_command(*store, context, "import", "Add the rows of a sweep CSV",
                  "ridgewatt store import profile.db sweep.csv --device agx-orin");
  input_file(import_command->add_option("DATABASE", arguments->database, "Store"))->required();
  input_file(import_command->add_option("FILE", arguments->file, "Sweep CSV"))->required();
  import_command->add_option("--device", arguments->board,
                             "Board that the sweep is of, where the file does not say");
  import_command->callback([&context, arguments] { import_sweeps(context, *arguments); });
}

}  // namespace ridgewatt::cli
