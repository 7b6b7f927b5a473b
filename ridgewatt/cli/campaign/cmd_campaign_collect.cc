// ridgewatt campaign collect: the points of a campaign, as a sweep or as raw rows.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/standing.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct CollectCommand {
  std::string plan, output;
  bool raw = false, as_measured = false;
};

// Returns one sweep per kind of board. `take_effects_out`: corrects for known differences between
// boards.
std::string merged_csv(const Context& context, const std::vector<campaign::BoardRows>& rows,
                       bool take_effects_out) {
  std::vector<campaign::MergedSweep> merged;
  for (const auto& kind : campaign::boards_of(rows)) {
    merged.push_back(campaign::merge_boards(kind, take_effects_out));
    remark_flags(context, merged.back().sweep);
    if (!take_effects_out) continue;
    for (const auto& line : merged.back().effects.remarks) {
      remark(context, kind.kind_of_board + ": " + line);
    }
    for (const auto& board : merged.back().uncorrected) {
      remark(context,
             fmt::format(
                 "{}: the rows of board {} could not be corrected for differences between boards",
                 kind.kind_of_board, board));
    }
  }
  return campaign::write_merged_csv(merged);
}

void collect(const Context& context, const CollectCommand& options) {
  refuse_all_but_csv(context);
  const campaign::Plan plan = campaign::read_plan(options.plan);
  store::Store store(plan.store, store::Database::Access::kReadOnly);
  const auto rows = campaign::rows_of(plan, store);
  const auto standing = campaign::standing_of(plan, campaign::filled_slots(plan, store), {}, 0);
  if (rows.empty()) {
    std::size_t again = 0;
    for (const auto& kind : standing.kinds) again += kind.to_rerun;
    if (again > 0) {
      throw NotFoundError(
          fmt::format("every measured point is marked to be measured again ({})", again), plan.name,
          "`ridgewatt campaign watch PLAN` measures them");
    }
    throw NotFoundError("the store has no point of this campaign", plan.name,
                        "`ridgewatt campaign status PLAN` prints what was measured");
  }
  if (!standing.complete()) {
    remark(context, fmt::format("the store has {} of {}", standing.done,
                                counted(static_cast<std::int64_t>(standing.planned), "point")));
  }
  write_output(options.output, options.raw ? report::raw_points_table(rows).csv()
                                           : merged_csv(context, rows, !options.as_measured));
}

}  // namespace

void add_campaign_collect(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<CollectCommand>(
      campaign, context, "collect", "The campaign's points as a sweep per kind of board",
      "ridgewatt campaign collect sweep7.json -o sweep7.csv", collect);
  add.input("PLAN", options.plan, "Plan of the campaign")->required();
  add.output("-o,--output", options.output,
             "Sweep CSV of the points to write (default: standard output)");
  add.flag("--raw", options.raw,
           "Write each measurement by itself, with its slot in the plan and the serial number of "
           "the board");
  add.flag("--as-measured", options.as_measured,
           "Do not correct the differences between boards of a kind");
}

}  // namespace ridgewatt::cli
