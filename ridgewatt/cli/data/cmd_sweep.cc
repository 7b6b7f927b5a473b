// ridgewatt sweep: contents of a sweep file, and its unreliable rows.
#include "ridgewatt/sweep/sweep.h"

#include <fmt/format.h>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/platform/example_sweep.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct CheckOptions {
  std::string path;
  std::string output;
  QualityOptions quality;
};

void check(const Context& context, const CheckOptions& options) {
  std::vector<report::CheckedSweep> checked;
  for (auto& sweep : read_sweeps(options.path)) {
    const auto quality = check_quality(sweep, options.quality);
    checked.push_back({std::move(sweep), quality});
  }
  const auto result = report::quality_result(checked);
  check_table_options(context, result);
  if (!options.output.empty()) {
    std::vector<Sweep> trusted;
    for (const auto& one : checked) trusted.push_back(trusted_rows(one.sweep, one.quality));
    write_output(options.output, write_sweep_csv(trusted));
  }
  print(context, result);
}

struct ExampleCommand {
  std::string output, board = "agx-orin";
  std::vector<std::string> workloads;
  std::vector<int> batches;
  platform::ExampleSweepOptions sweep;
};

void write_example(const Context& context, const ExampleCommand& command) {
  refuse_all_but_csv(context);
  platform::ExampleSweepOptions options = command.sweep;
  options.seed = context.seed;
  if (!command.workloads.empty()) {
    options.workloads.clear();
    for (const auto& text : command.workloads) {
      options.workloads.push_back(platform::parse_example_workload(text));
    }
  }
  for (auto& workload : options.workloads) workload.batches = command.batches;
  const auto sweeps = platform::example_sweeps(load_board(command.board), options);
  write_output(command.output, write_sweep_csv(sweeps));
  for (const auto& sweep : sweeps) {
    remark(context, fmt::format("{}: {} over {}", describe(sweep.origin()),
                                counted(sweep.observations.size(), "row"),
                                counted(sweep.space().size(), "mode")));
  }
}

void add_sweep_example(CLI::App& sweep, Context& context) {
  const auto [command, options, add] = define<ExampleCommand>(
      sweep, context, "example", "Write a small sweep of simulated rows, to try the other commands",
      "ridgewatt sweep example -o sweep.csv\n"
      "  ridgewatt sweep example --device orin-nano-8gb --workload yolov8n --batch 1,4 "
      "-o yolo.csv",
      write_example);
  add.output("-o,--output", options.output, "Sweep CSV to write (default: standard output)");
  add.board("--device", options.board, "Board to simulate")->capture_default_str();
  add.words("--workload", options.workloads, {answer::model_names},
            "MODEL[:training|:inference], a zoo name or a file (default: "
            "resnet18:training and mobilenet_v3_large:inference)")
      ->allow_extra_args(false);
  add.optional(
         "--batch", options.batches, count().within(1, 65536),
         "Minibatch sizes of every workload (default: 16 for training; 1, 4 and 16 for inference)")
      ->delimiter(',');
  add.number("--mode-count", options.sweep.modes, count().positive(),
             "Maximum number of power modes; they form a grid");
}

void describe_sweeps(const Context& context, const std::string& path) {
  if (path.empty()) throw CLI::RequiredError("FILE");
  print(context, report::sweeps_table(read_sweeps(path)));
}

void add_sweep_check(CLI::App& sweep, Context& context) {
  const auto [command, options, add] = define<CheckOptions>(
      sweep, context, "check",
      "Print the rows that the quality check flags, with line numbers and reasons",
      "ridgewatt sweep check sweep.csv -o trusted.csv", check);
  add.input("FILE", options.path, "Sweep CSV")->required();
  add.output("-o,--output", options.output,
             "Write the rows that are not flagged to this sweep CSV");
  const auto deviation = [&add = add](const char* name, double& target, const std::string& of) {
    add.number(name, target, number().positive(),
               "Flag rows whose ln(" + of + ") deviates from the neighbors by more than this");
  };
  deviation("--time-deviation", options.quality.time_deviation, "time");
  deviation("--power-deviation", options.quality.power_deviation, "power");
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  const auto [command, path, add] = define<std::string>(
      app, context, "sweep", "Describe a sweep file, check its rows, or make an example",
      "ridgewatt sweep sweep.csv\n  ridgewatt sweep check sweep.csv\n  "
      "ridgewatt sweep example -o sweep.csv",
      describe_sweeps);
  add.input("FILE", path, "Sweep CSV");
  command.require_subcommand(0, 1);
  add_sweep_check(command, context);
  add_sweep_example(command, context);
}

}  // namespace ridgewatt::cli
