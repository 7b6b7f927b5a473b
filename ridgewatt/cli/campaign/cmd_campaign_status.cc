// ridgewatt campaign status, watch and resume: where a campaign stands, and seeing to it.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/utc_cell.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct FollowCommand {
  std::string plan;
  campaign::FollowOptions options;
};

report::Cell known(const std::optional<double>& value) {
  return value ? report::Cell(*value) : report::Cell();
}

std::int64_t whole(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

report::Table kinds_table(const campaign::Standing& standing) {
  report::Table table({{"board"},
                       {"planned"},
                       {"done"},
                       {.name = "eta_s", .digits = 3},
                       {"queued"},
                       {"running"},
                       {"held"},
                       {"failed"},
                       {.name = "boards", .rank = 1},
                       {.name = "calibrated", .rank = 1}});
  for (const auto& kind : standing.kinds) {
    table.add_row({kind.name, whole(kind.planned), whole(kind.done), known(kind.eta_s),
                   whole(kind.queued), whole(kind.running), whole(kind.held), whole(kind.failed),
                   whole(kind.boards), whole(kind.calibrated)});
  }
  return table;
}

report::Table boards_table(const campaign::Standing& standing) {
  report::Table table({{"board"},
                       {"serial"},
                       {"points"},
                       {"calibration"},
                       {.name = "points_per_h", .digits = 3},
                       {"straggler"},
                       {.name = "newest", .heading = "newest point began", .rank = 1}});
  for (const auto& board : standing.boards) {
    table.add_row({board.kind, board.serial, whole(board.points), whole(board.calibration),
                   known(board.points_per_h), std::string(board.straggler ? "yes" : ""),
                   utc_cell(board.newest_unix_s)});
  }
  return table;
}

report::Table faults_table(const campaign::Standing& standing) {
  report::Table table({{"board"},
                       {"task"},
                       {"state"},
                       {.name = "missing", .heading = "points missing"},
                       {.name = "job", .rank = 1},
                       {.name = "node", .rank = 1},
                       {.name = "why", .wrap = true}});
  for (const auto& fault : standing.faults) {
    table.add_row({fault.kind, std::int64_t{fault.task},
                   std::string(fault.held ? "held" : "failed"), whole(fault.missing), fault.job,
                   fault.node, fault.why});
  }
  return table;
}

void print_standing(const Context& context, const std::string& name,
                    const campaign::Standing& standing) {
  if (context.json()) {
    Json json = {{"name", name},
                 {"planned", standing.planned},
                 {"done", standing.done},
                 {"complete", standing.complete()},
                 {"eta_s", nullptr},
                 {"engine_fault", standing.engine_fault},
                 {"kinds", kinds_table(standing).to_json()},
                 {"boards", boards_table(standing).to_json()},
                 {"faults", faults_table(standing).to_json()}};
    if (standing.eta_s) json["eta_s"] = *standing.eta_s;
    print(context, json);
    return;
  }
  print(context, kinds_table(standing));
  if (!standing.boards.empty()) {
    std::cout << '\n';
    print_aside(context, boards_table(standing));
  }
  if (!standing.faults.empty()) {
    std::cout << '\n';
    print_aside(context, faults_table(standing));
  }
  if (!standing.engine_fault.empty()) remark(context, standing.engine_fault);
}

void show_status(const Context& context, const std::string& path) {
  const campaign::Plan plan = campaign::read_plan(path);
  print_standing(context, plan.name, campaign::look(plan));
}

std::string progress_line(const campaign::Standing& standing) {
  std::string line = fmt::format("{} of {} points", standing.done, standing.planned);
  for (const auto& kind : standing.kinds) {
    line += fmt::format("; {}: {} left, {} running, {} queued, {} held", kind.name,
                        kind.planned - kind.done, kind.running, kind.queued, kind.held);
  }
  if (standing.eta_s) line += fmt::format("; {:.0f} s to go", *standing.eta_s);
  return line;
}

void follow_campaign(const Context& context, FollowCommand& options) {
  auto& follow = options.options;
  std::string last;
  follow.say = [&](const std::string& text) { remark(context, text); };
  follow.told = [&](const campaign::Standing& standing) {
    const std::string line = progress_line(standing);
    if (line != last) remark(context, line);
    last = line;
  };
  const auto standing = campaign::follow(options.plan, follow);
  print_standing(context, campaign::read_plan(options.plan).name, standing);
  if (standing.complete() || follow.once) return;
  std::cout.flush();
  const auto& faults = standing.faults;
  throw Error(fmt::format("{} of {} points are missing, and nothing runs any more",
                          standing.planned - standing.done, standing.planned),
              faults.empty() ? "" : faults.front().why,
              fmt::format("tasks were tried {} times; --attempts allows more", follow.attempts));
}

void add_attempts(CLI::App& command, FollowCommand& options) {
  input_file(command.add_option("PLAN", options.plan, "Plan of the campaign"))->required();
  quantity(command.add_option("--attempts", options.options.attempts,
                              "Times that a task is given away before it is left alone"),
           count().within(1, 1e6))
      ->capture_default_str();
}

}  // namespace

void add_campaign_status(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "status",
                              "Progress, boards, stragglers, what is held or failed and why",
                              "ridgewatt campaign status sweep7.json");
  auto plan = std::make_shared<std::string>();
  input_file(command->add_option("PLAN", *plan, "Plan of the campaign"))->required();
  command->callback([&context, plan] { show_status(context, *plan); });
}

void add_campaign_watch(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "watch",
                              "See to it until every point is there: free what is held, give away "
                              "again what was lost",
                              "ridgewatt campaign watch sweep7.json");
  auto options = std::make_shared<FollowCommand>();
  add_attempts(*command, *options);
  quantity(command->add_option("--interval", options->options.interval_s, "Time between two looks"),
           seconds().within(0.1, 86400))
      ->capture_default_str();
  quantity(command->add_option("--at-most", options->options.at_most_s,
                               "Give up after this time (0: never)"),
           seconds().within(0, 3.15e8))
      ->capture_default_str();
  command->callback([&context, options] { follow_campaign(context, *options); });
}

void add_campaign_resume(CLI::App& campaign, Context& context) {
  auto* command = add_command(campaign, context, "resume",
                              "Give away again what is missing and no job holds, once",
                              "ridgewatt campaign resume sweep7.json");
  auto options = std::make_shared<FollowCommand>();
  options->options.once = true;
  add_attempts(*command, *options);
  command->callback([&context, options] { follow_campaign(context, *options); });
}

}  // namespace ridgewatt::cli
