// ridgewatt evaluate groups: the groups of usual workloads that predictions from few profiles use.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/workload_groups.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateGroups {
  evaluate::GroupOptions groups;
  std::vector<std::string> twin_sweeps;
};

void run(const Context& context, EvaluateGroups& options) {
  for (const auto& text : options.twin_sweeps) {
    options.groups.twin_sweeps.push_back(twin::parse_sweep_spec(text));
  }
  print(context, evaluate::workload_group_table(evaluate::zoo_workload_groups(options.groups)));
}

}  // namespace

void add_evaluate_groups(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateGroups>(
      evaluate, context, "groups",
      "Group workloads that are similar on the twin; predict uses these groups as a prior",
      "ridgewatt evaluate groups --device agx-orin --format csv -o workload_groups.csv", run);
  evaluate::GroupOptions& groups = options.groups;
  add.named("--device", groups.device, "Board whose twin models the workloads");
  add.input("--twin-sweep", options.twin_sweeps,
            "Sweep CSV to which the twin is fitted, instead of the board's own")
      ->allow_extra_args(false);
  add.named("--without", groups.without, "Workloads and architectures to leave out")
      ->delimiter(',');
  add.number("--groups", groups.groups, count().within(1, 20), "Groups for each kind of workload");
}

}  // namespace ridgewatt::cli
