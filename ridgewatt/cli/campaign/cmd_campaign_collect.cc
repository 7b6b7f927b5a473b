// ridgewatt campaign collect: the points of a campaign as a sweep, or as they were measured.
#include <fmt/format.h>

#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/standing.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct CollectCommand {
  std::string plan, output;
  bool raw = false, as_measured = false;
};

report::Cell nonzero(double value) {
  return value > 0 ? report::Cell(value) : report::Cell();
}

report::Cell optional_ms(const std::optional<double>& time_s) {
  return time_s ? report::Cell(1e3 * *time_s) : report::Cell();
}

report::Table raw_table(const std::vector<campaign::BoardRows>& boards) {
  std::vector<report::Column> columns = {{"slot"},     {"board"}, {"serial"},
                                         {"workload"}, {"kind"},  {"batch"}};
  for (const Knob knob : kKnobs) columns.push_back({std::string(knob_field(knob))});
  for (const char* name :
       {"governor", "repeat", "time_ms", "power_w", "energy_j", "time_median_ms", "minibatches",
        "window_s", "idle_power_w", "flags", "started_unix_s", "provenance"}) {
    columns.push_back({name});
  }
  report::Table table(columns);
  for (const auto& board : boards) {
    for (const auto& record : board.records) {
      const auto& seen = record.observation;
      const auto& mode = seen.point.mode;
      std::vector<report::Cell> row = {record.slot,       board.series.board,
                                       board.serial,      board.series.workload,
                                       board.series.kind, std::int64_t{seen.point.batch}};
      for (const Knob knob : kKnobs) row.push_back(nonzero(knob_in_field_unit(mode, knob)));
      row.insert(row.end(), {mode.governor, std::int64_t{record.repeat}, 1e3 * seen.time_s,
                             seen.power_w, seen.energy_j(), optional_ms(seen.time_median_s),
                             std::int64_t{record.minibatches}, record.window_s,
                             nonzero(record.idle_power_w), record.flags.text(),
                             record.started_unix_s, std::string(name_of(board.series.provenance))});
      table.add_row(std::move(row));
    }
  }
  return table;
}

// One sweep per kind; what its boards differ by is taken out, where that is known.
std::string merged_csv(const Context& context, const std::vector<campaign::BoardRows>& rows,
                       bool take_effects_out) {
  std::vector<campaign::MergedSweep> merged;
  for (const auto& kind : campaign::boards_of(rows)) {
    merged.push_back(campaign::merge_boards(kind, take_effects_out));
    if (!take_effects_out) continue;
    for (const auto& line : merged.back().effects.remarks) {
      remark(context, kind.kind_of_board + ": " + line);
    }
    for (const auto& board : merged.back().uncorrected) {
      remark(context,
             fmt::format("{}: rows of {} are as they were measured", kind.kind_of_board, board));
    }
  }
  return campaign::write_merged_csv(merged);
}

void collect(const Context& context, const CollectCommand& options) {
  const campaign::Plan plan = campaign::read_plan(options.plan);
  store::Store store(plan.store, store::Database::Access::kReadOnly);
  const auto rows = campaign::rows_of(plan, store);
  if (rows.empty()) throw NotFoundError("the store has no point of this campaign", plan.name);
  const auto standing = campaign::standing_of(plan, campaign::filled_slots(plan, store), {}, 0);
  if (!standing.complete()) {
    remark(context, fmt::format("{} of {} points are there", standing.done, standing.planned));
  }
  std::string text;
  if (options.raw) {
    std::ostringstream csv;
    raw_table(rows).print_csv(csv);
    text = csv.str();
  } else {
    text = merged_csv(context, rows, !options.as_measured);
  }
  write_output(options.output, text);
}

}  // namespace

void add_campaign_collect(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "collect",
                              "The campaign's points as a sweep per kind of board",
                              "ridgewatt campaign collect sweep7.json -o sweep7.csv");
  auto options = std::make_shared<CollectCommand>();
  input_file(command->add_option("PLAN", options->plan, "Plan of the campaign"))->required();
  output_file(command->add_option("-o,--output", options->output, "Sweep CSV; without it printed"));
  command->add_flag("--raw", options->raw, "Every point as it was measured, with slot and serial");
  command->add_flag("--as-measured", options->as_measured,
                    "Leave in what boards of a kind differ by");
  command->callback([&context, options] { collect(context, *options); });
}

}  // namespace ridgewatt::cli
