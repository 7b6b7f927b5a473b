// ridgewatt evaluate groups: the groups of common workloads for predictions from few profiles.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/workload_groups.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateGroups {
  evaluate::GroupOptions groups;
  std::vector<std::string> twin_sweeps;
};

void run(const Context& context, EvaluateGroups& options) {
  options.groups.twin_sweeps = twin::parse_sweep_specs(options.twin_sweeps);
  print(context, evaluate::workload_group_table(evaluate::zoo_workload_groups(options.groups)));
}

}  // namespace

void add_evaluate_groups(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateGroups>(
      evaluate, context, "groups",
      "Group workloads that are similar on the twin; predict uses these groups as a prior",
      "ridgewatt evaluate groups --device agx-orin --format csv -o workload_groups.csv", run);
  evaluate::GroupOptions& groups = options.groups;
  add.board("--device", groups.device, "Board whose twin models the workloads")
      ->capture_default_str();
  add.inputs("--twin-sweep", options.twin_sweeps,
             "Sweep CSV to which the twin is fitted, instead of the board's own");
  add.list("--without", groups.without, "Workloads and architectures to leave out")
      ->capture_default_str();
  add.number("--groups", groups.groups, count().within(1, 20), "Groups for each kind of workload");
}

}  // namespace ridgewatt::cli
