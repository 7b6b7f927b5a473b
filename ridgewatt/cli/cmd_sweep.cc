// ridgewatt sweep: what a sweep file holds.
#include "ridgewatt/sweep/sweep.h"

#include "ridgewatt/cli/commands.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, const std::string& path) {
  Table table({{"workload", ""}, {"kind", ""}, {"rows", ""}, {"modes", ""}, {"batches", ""}});
  for (const auto& sweep : read_sweeps(path)) {
    table.add_row({sweep.workload, sweep.kind, static_cast<std::int64_t>(sweep.observations.size()),
                   static_cast<std::int64_t>(sweep.space().size()),
                   static_cast<std::int64_t>(sweep.batches().size())});
  }
  print(context, table);
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "sweep", "Describe a sweep file", "ridgewatt sweep sweep.csv");
  auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "Sweep CSV")->required();
  command->callback([&context, path] { run(context, *path); });
}

}  // namespace ridgewatt::cli
