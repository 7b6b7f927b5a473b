// ridgewatt sweep: what a sweep file holds, and which of its rows cannot be trusted.
#include "ridgewatt/sweep/sweep.h"

#include <fmt/format.h>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/platform/example_sweep.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::cli {
namespace {

void describe_file(const Context& context, const std::string& path) {
  report::Table table(
      {{"workload"}, {"kind"}, {"board"}, {"provenance"}, {"rows"}, {"modes"}, {"batches"}});
  for (const auto& sweep : read_sweeps(path)) {
    table.add_row({sweep.workload, sweep.kind,
                   sweep.board.empty() ? report::Cell() : report::Cell(sweep.board),
                   std::string(name_of(sweep.provenance)),
                   static_cast<std::int64_t>(sweep.observations.size()),
                   static_cast<std::int64_t>(sweep.space().size()),
                   static_cast<std::int64_t>(sweep.batches().size())});
  }
  print(context, table);
}

struct CheckOptions {
  std::string path;
  std::string output;
  QualityOptions quality;
};

Json report_json(const Sweep& sweep, const QualityReport& report) {
  Json flags = Json::array();
  for (const auto& flag : report.flags) {
    const auto& point = sweep.observations[flag.row].point;
    flags.push_back({{"line", flag.line},
                     {"fault", name_of(flag.fault)},
                     {"mode", report::mode_to_json(point.mode)},
                     {"batch", point.batch},
                     {"detail", flag.detail}});
  }
  return {{"workload", sweep.workload},
          {"kind", sweep.kind},
          {"rows", sweep.observations.size()},
          {"flagged_rows", report.flagged_rows()},
          {"flagged_share", report.flagged_share()},
          {"remarks", report.remarks},
          {"flags", flags}};
}

void check(const Context& context, const CheckOptions& options) {
  Json reports = Json::array();
  report::Table table({{"line"},
                       {.name = "workload", .rank = 2},
                       {.name = "kind", .rank = 2},
                       {.name = "batch", .rank = 3},
                       {.name = "mode", .rank = 1},
                       {"fault"},
                       {.name = "detail", .wrap = true}});
  std::vector<Sweep> trusted;
  for (const auto& sweep : read_sweeps(options.path)) {
    const QualityReport report = check_quality(sweep, options.quality);
    reports.push_back(report_json(sweep, report));
    for (const auto& flag : report.flags) {
      const auto& point = sweep.observations[flag.row].point;
      table.add_row({static_cast<std::int64_t>(flag.line), sweep.workload, sweep.kind,
                     static_cast<std::int64_t>(point.batch), describe(point.mode),
                     std::string(name_of(flag.fault)), flag.detail});
    }
    trusted.push_back(trusted_rows(sweep, report));
    if (context.json()) continue;
    remark(context, fmt::format("{} {}: {} of {} rows flagged ({:.2f} %)", sweep.workload,
                                sweep.kind, report.flagged_rows(), sweep.observations.size(),
                                100 * report.flagged_share()));
    for (const auto& text : report.remarks) remark(context, "  " + text);
  }
  if (!options.output.empty()) write_output(options.output, write_sweep_csv(trusted));
  if (context.json())
    print(context, reports);
  else
    print(context, table);
}

struct ExampleCommand {
  std::string output, board = "agx-orin";
  std::vector<std::string> workloads;
  std::vector<int> batches;
  platform::ExampleSweepOptions sweep;
};

void write_example(const Context& context, const ExampleCommand& command) {
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
    remark(context, fmt::format("{}: {} rows over {} modes", describe(sweep.origin()),
                                sweep.observations.size(), sweep.space().size()));
  }
}

void add_sweep_example(CLI::App& sweep, Context& context) {
  auto* command =
      add_command(sweep, context, "example",
                  "Write a small sweep to try the other commands with; its rows are fake",
                  "ridgewatt sweep example -o sweep.csv\n"
                  "  ridgewatt sweep example --device orin-nano-8gb --workload yolov8n --batch 1,4 "
                  "-o yolo.csv");
  auto options = std::make_shared<ExampleCommand>();
  output_file(command->add_option("-o,--output", options->output,
                                  "Sweep CSV to write (default: standard output)"));
  command->add_option("--device", options->board, "Board that is played")->capture_default_str();
  command
      ->add_option("--workload", options->workloads,
                   "MODEL[:training|:inference], a zoo name or a file; may be repeated "
                   "(default: resnet18:training and mobilenet_v3_large:inference)")
      ->allow_extra_args(false);
  quantity(command->add_option(
               "--batch", options->batches,
               "Batches of every workload (default: 16 of training, 1, 4, 16 of inference)"),
           count().within(1, 65536))
      ->delimiter(',');
  quantity(
      command->add_option("--mode-count", options->sweep.modes, "At most N power modes, as a grid"),
      count().positive())
      ->capture_default_str();
  command->callback([&context, options] { write_example(context, *options); });
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "sweep",
                              "Describe a sweep file, check its rows, or make one to play with",
                              "ridgewatt sweep sweep.csv\n  ridgewatt sweep check sweep.csv\n  "
                              "ridgewatt sweep example -o sweep.csv");
  auto path = std::make_shared<std::string>();
  input_file(command->add_option("FILE", *path, "Sweep CSV"));
  command->require_subcommand(0, 1);
  command->callback([&context, path, command] {
    if (!command->get_subcommands().empty()) return;
    if (path->empty()) throw CLI::RequiredError("FILE");
    describe_file(context, *path);
  });

  auto* checker = add_command(*command, context, "check",
                              "Rows that cannot be trusted, with line numbers and reasons",
                              "ridgewatt sweep check sweep.csv -o trusted.csv");
  auto options = std::make_shared<CheckOptions>();
  input_file(checker->add_option("FILE", options->path, "Sweep CSV"))->required();
  output_file(checker->add_option("-o,--output", options->output,
                                  "Write the trusted rows to this sweep CSV"));
  quantity(checker->add_option(
               "--time-deviation", options->quality.time_deviation,
               "Smallest deviation of ln(time) from the neighbors that counts as a fault"),
           number().positive())
      ->capture_default_str();
  quantity(checker->add_option(
               "--power-deviation", options->quality.power_deviation,
               "Smallest deviation of ln(power) from the neighbors that counts as a fault"),
           number().positive())
      ->capture_default_str();
  checker->callback([&context, options] { check(context, *options); });
  add_sweep_example(*command, context);
}

}  // namespace ridgewatt::cli
