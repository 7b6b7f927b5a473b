// ridgewatt evaluate govern: how well a governor holds goals on random days of a twin.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/govern_scores.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateGovern {
  evaluate::GovernScoreOptions score;
  bool days = false;
};

report::Table score_table(const std::vector<evaluate::GovernScore>& scores) {
  const auto share = [](std::string name, std::string heading, int rank = 0) {
    return report::Column{
        .name = std::move(name), .heading = std::move(heading), .digits = 3, .rank = rank};
  };
  report::Table table({{"goal"},
                       {"days"},
                       share("tolerance_pct", "within (%)"),
                       share("held_pct", "held (% of days)"),
                       share("median_miss_pct", "miss, median (%)"),
                       share("worst_miss_pct", "worst (%)"),
                       {.name = "compared", .rank = 3},
                       share("median_cost_pct", "cost over best fixed, median (%)"),
                       share("mean_cost_pct", "mean (%)", 1),
                       share("p95_cost_pct", "95 % of days (%)", 1),
                       share("worst_cost_pct", "worst cost (%)", 2),
                       share("within_5_pct", "within 5 % (% of days)"),
                       {.name = "switches", .heading = "switches per day", .digits = 3, .rank = 2},
                       {.name = "trials", .heading = "trials per day", .digits = 3, .rank = 3}});
  for (const auto& score : scores) {
    table.add_row({std::string(name_of(score.goal)), static_cast<std::int64_t>(score.days.size()),
                   100 * score.tolerance, 100 * score.held, 100 * score.median_miss,
                   100 * score.worst_miss, static_cast<std::int64_t>(score.compared),
                   100 * score.median_cost, 100 * score.mean_cost, 100 * score.p95_cost,
                   100 * score.worst_cost, 100 * score.within_5, score.switches, score.trials});
  }
  return table;
}

report::Table day_table(const std::vector<evaluate::GovernScore>& scores) {
  report::Table table({{"goal"},
                       {"model"},
                       {"length_h"},
                       {"miss_pct"},
                       {"cost_pct"},
                       {"energy_wh"},
                       {"minibatches"},
                       {"fixed_energy_wh"},
                       {"fixed_minibatches"},
                       {"fixed_mode"},
                       {"switches"},
                       {"trials"}});
  for (const auto& score : scores) {
    for (const auto& day : score.days) {
      std::vector<report::Cell> row = {std::string(name_of(score.goal)), day.model,
                                       day.goal.end_s / 3600, 100 * day.miss};
      row.emplace_back(day.has_fixed ? report::Cell(100 * day.cost) : report::Cell());
      row.emplace_back(day.held.energy_j / 3600);
      row.emplace_back(day.held.minibatches);
      row.emplace_back(day.has_fixed ? report::Cell(day.fixed.energy_j / 3600) : report::Cell());
      row.emplace_back(day.has_fixed ? report::Cell(day.fixed.minibatches) : report::Cell());
      row.emplace_back(day.has_fixed ? report::Cell(describe(day.fixed_mode)) : report::Cell());
      row.emplace_back(static_cast<std::int64_t>(day.held.switches));
      row.emplace_back(static_cast<std::int64_t>(day.held.trials));
      table.add_row(std::move(row));
    }
  }
  return table;
}

void run(const Context& context, EvaluateGovern command) {
  command.score.seed = context.seed;
  const auto scores = evaluate::score_governor(command.score);
  if (context.json()) {
    return print(context, Json{{"provenance", name_of(Provenance::kModelled)},
                               {"goals", score_table(scores).to_json()},
                               {"days", day_table(scores).to_json()}});
  }
  print(context, command.days ? day_table(scores) : score_table(scores));
}

}  // namespace

void add_evaluate_govern(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "govern",
      "Goals held by a governor on random days of a twin, against the best fixed mode known "
      "afterwards",
      "ridgewatt evaluate govern --days 100");
  auto options = std::make_shared<EvaluateGovern>();
  command->add_option("--device", options->score.board, "Board whose twin is played")
      ->capture_default_str();
  command
      ->add_option("--model", options->score.models,
                   "Models, one per day in turn: zoo:NAME or an ONNX file")
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--batch", options->score.batch, "Minibatch size of training"),
           count().within(1, 1 << 20))
      ->capture_default_str();
  listed_choices(*command, "--goal", options->score.goals, "Goals that are held")
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--days", options->score.days, "Random days of each goal"),
           count().within(1, 100000))
      ->capture_default_str();
  command->add_flag("--every-day", options->days, "A line per day");
  quantity(command->add_option("--threads", options->score.threads, "Threads, 0: all"),
           count().within(0, 1024))
      ->capture_default_str();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
