// ridgewatt store: contents of a store of profiled points; export and import of sweeps.
#include <fmt/format.h>

#include <ctime>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/report/campaign_report.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::cli {
namespace {

using store::Store;

struct StoreArguments {
  std::string database, other, file, board;
  store::SeriesFilter filter;
  bool merge_boards = false;
  std::optional<double> points_s, samples_s, failures_s;  // minimum ages to delete
  store::PruneRules rules;
  bool dry_run = false;
};

constexpr const char* kStoreHelp = "Store: a file, or postgresql://USER@HOST/DATABASE";

void remark_superseded(const Context& context, Store& store, const store::SeriesFilter& filter) {
  const std::int64_t superseded = store.superseded(filter);
  if (superseded == 0) return;
  remark(context, fmt::format("not counted, because their points were measured again (`ridgewatt "
                              "campaign rerun`): {}",
                              counted(superseded, "measurement")));
}

void list(const Context& context, const StoreArguments& arguments) {
  Store store(arguments.database, store::Database::Access::kReadOnly);
  print(context, report::holdings_table(store.holdings()));
  remark_superseded(context, store, {});
}

// Writes one sweep per kind of board. Remarks state the differences between the boards.
void export_merged(const Context& context, Store& store, const StoreArguments& arguments) {
  const auto merged = campaign::merged_by_kind(store, arguments.filter, arguments.database);
  for (const auto& one : merged) {
    for (const auto& text : report::merge_remarks(one)) remark(context, text);
    const std::size_t boards = one.effects.boards.size(),
                      corrected = boards - one.uncorrected.size();
    remark(context,
           fmt::format(
               "{}: {} of {}{}", describe(one.sweep.origin()),
               counted(one.sweep.observations.size(), "row"), counted(boards, "board"),
               corrected == 0
                   ? ""
                   : fmt::format("; corrected for the differences between boards: {}", corrected)));
    remark_flags(context, one.sweep);
  }
  write_output(arguments.file, campaign::write_merged_csv(merged));
}

void export_sweeps(const Context& context, const StoreArguments& arguments) {
  refuse_all_but_csv(context);
  Store store(arguments.database, store::Database::Access::kReadOnly);
  remark_superseded(context, store, arguments.filter);
  if (arguments.merge_boards) return export_merged(context, store, arguments);
  const auto sweeps = store.sweeps(arguments.filter);
  if (sweeps.empty() && !store.all_series().empty()) {
    throw campaign::no_such_points(arguments.database);
  }
  for (const auto& sweep : sweeps) remark_flags(context, sweep);
  write_output(arguments.file, write_sweep_csv(sweeps));
}

void remark_differing(const Context& context, std::size_t differing, const char* what) {
  if (differing == 0) return;
  remark(context, fmt::format("added as repeats of points that the store has with other values: "
                              "{} (`ridgewatt store export` writes the median of the repeats)",
                              counted(static_cast<std::int64_t>(differing), what)));
}

// Throws if the rows state another board than --device. A remark says if their clocks fit no
// release of the board's software, since predict and tune would refuse them.
void check_board(const Context& context, const std::vector<Sweep>& sweeps,
                 const std::string& device) {
  const auto name = find_meant(fake_name(device).value_or(device), board_names());
  if (!name) return;
  const Board board = load_board(*name);
  for (const auto& sweep : sweeps) {
    refuse_other_board(sweep, board);
    if (fitting_release(trusted_rows(sweep, check_quality(sweep)), board) != nullptr) continue;
    remark(context, fmt::format("{} has clocks that board {} lacks; predict and tune refuse them",
                                sweep.source, board.name));
  }
}

void import_sweeps(const Context& context, const StoreArguments& arguments) {
  const auto sweeps = read_sweeps(arguments.file);
  check_table_options(context, report::imported_table({}));
  if (!arguments.board.empty()) check_board(context, sweeps, arguments.board);
  Store store(arguments.database);
  const auto imported = store.import(sweeps, arguments.board);
  print(context, report::imported_table(imported));
  std::size_t flagged = 0, differing = 0;
  for (const auto& sweep : imported) differing += sweep.differing;
  remark_differing(context, differing, "row");
  for (const auto& sweep : sweeps) flagged += check_quality(sweep).flagged_rows();
  if (flagged == 0) return;
  remark(context, fmt::format("the quality check flags {} ({} prints the reasons)",
                              counted(static_cast<std::int64_t>(flagged), "row"),
                              "`ridgewatt sweep check " + arguments.file + "`"));
}

void merge_stores(const Context& context, const StoreArguments& arguments) {
  check_table_options(context, report::handed_in_table({}));
  Store from(arguments.database, store::Database::Access::kReadOnly);
  Store to = Store::made_at_first_write(arguments.other);
  Progress progress("merge", static_cast<std::size_t>(from.size()), context.quiet);
  const auto done = to.take_from(from, [&](std::size_t seen) { progress.update(seen); });
  print(context, report::handed_in_table({done}));
  remark_differing(context, done.differing, "point");
}

std::optional<std::int64_t> before(const std::optional<double>& age_s) {
  if (!age_s) return std::nullopt;
  return std::time(nullptr) - static_cast<std::int64_t>(*age_s);
}

void prune(const Context& context, const StoreArguments& arguments) {
  store::PruneRules rules = arguments.rules;
  rules.filter = arguments.filter;
  rules.points_unix_s = before(arguments.points_s);
  rules.samples_unix_s = before(arguments.samples_s);
  rules.failures_unix_s = before(arguments.failures_s);
  rules.check();
  check_table_options(context, report::pruned_table({}));
  using Access = store::Database::Access;
  Store(arguments.database, Access::kReadOnly);  // throws if there is no store
  Store store(arguments.database, arguments.dry_run ? Access::kReadOnly : Access::kCreate);
  print(context, report::pruned_table({store.prune(rules, arguments.dry_run)}));
  if (arguments.dry_run) remark(context, "nothing was deleted (--dry-run)");
}

void check_store(const Context& context, const StoreArguments& arguments) {
  Store store(arguments.database, store::Database::Access::kReadOnly);
  const auto faults = store.check();
  print(context, report::store_check_table(faults));
  std::int64_t rows = 0;
  for (const auto& fault : faults) {
    rows += fault.rows;
    if (!fault.remark.empty()) remark(context, fault.remark);
  }
  if (rows == 0) return;
  std::cout.flush();
  throw Error("the store has " + counted(rows, "implausible row"), store.path(),
              "check these rows, then delete wrong ones or measure their points again");
}

void add_filter(const OptionAdder& add, store::SeriesFilter& filter) {
  add.text("--workload", filter.workload, "Only points of this workload");
  add.words("--kind", filter.kind, {answer::names_of<WorkloadKind>},
            "Only points of this kind of workload: training, inference, ..");
  add.board("--device", filter.board, "Only points of this board");
  add.text("--serial", filter.serial, "Only points of the board with this serial number");
}

void add_prune(const OptionAdder& add, StoreArguments& arguments) {
  const auto age = [&](const char* name, std::optional<double>& target, const char* help) {
    add.optional(name, target, hours().within(0, 1e6), help);
  };
  age("--points", arguments.points_s, "Delete points that are older than this, such as 90d");
  age("--samples", arguments.samples_s,
      "Delete the raw samples of points that are older than this");
  age("--failures", arguments.failures_s,
      "Delete the failed attempts of campaigns that are older than this");
  add.optional("--repeats", arguments.rules.repeats, count().within(1, 1e9),
               "Keep only the N newest repeats of each point");
  add.flag(
      "--campaigns", arguments.rules.campaigns,
      "Also delete points that belong to a campaign; the campaign would then measure them again");
  add.flag("--dry-run", arguments.dry_run, "Print what would be deleted, but delete nothing");
  add_filter(add, arguments.filter);
}

void upgrade(const Context& context, const StoreArguments& arguments) {
  check_table_options(context, report::schema_table({}));
  const Store store(arguments.database);
  print(context, report::schema_table({{store.path(), store.schema()}}));
}

}  // namespace

void add_store(CLI::App& app, Context& context) {
  auto* store = command_named(app, "store", "Profiled points in an SQLite file or PostgreSQL");
  store->require_subcommand(1);
  const auto on_store = [&](const char* name, const char* description, const char* example,
                            void (*run)(const Context&, const StoreArguments&)) {
    return define<StoreArguments>(*store, context, name, description, example, run);
  };
  const auto on_file = [&](const char* name, const char* description, const char* example,
                           void (*run)(const Context&, const StoreArguments&)) {
    auto made = on_store(name, description, example, run);
    made.add.input("DATABASE", made.options.database, kStoreHelp)->required();
    return made;
  };
  on_file("list", "List the contents of a store", "ridgewatt store list profile.db", list);
  const auto [exporting, exported, add_export] =
      on_file("export", "Write the points of a store as sweep CSV",
              "ridgewatt store export profile.db -o sweep.csv", export_sweeps);
  add_export.output("-o,--output", exported.file, "Sweep CSV (default: standard output)");
  add_filter(add_export, exported.filter);
  add_export.flag(
      "--merge-boards", exported.merge_boards,
      "Merge the boards of a kind into one sweep, corrected for the differences between boards");
  const auto [importing, imported, add_import] =
      on_file("import", "Add the rows of a sweep CSV to a store",
              "ridgewatt store import profile.db sweep.csv --device agx-orin", import_sweeps);
  add_import.input("FILE", imported.file, "Sweep CSV")->required();
  add_import.board("--device", imported.board, "Board of the sweep, if the file does not state it");
  const auto [upgrading, upgraded, add_upgrade] = on_store(
      "upgrade",
      "Create the tables of a store, or upgrade those of an older version (run it as the owner of "
      "the schema)",
      "ridgewatt store upgrade postgresql://owner@db/points", upgrade);
  add_upgrade.place("DATABASE", upgraded.database, kStoreHelp)->required();
  const auto [pruning, pruned, add_to_prune] =
      on_file("prune", "Delete old points, raw samples or repeats from a store",
              "ridgewatt store prune points.db --samples 90d --dry-run", prune);
  add_prune(add_to_prune, pruned);
  on_file("check", "Check a store for damaged pages and implausible rows",
          "ridgewatt store check points.db", check_store);
  const auto [merging, merged, add_merge] =
      on_store("merge", "Copy points from one store to another store that lacks them",
               "ridgewatt store merge spool.db all.db", merge_stores);
  add_merge.input("FROM", merged.database, "Store to read")->required();
  add_merge.place("TO", merged.other, "Store to add to")->required();
}

}  // namespace ridgewatt::cli
