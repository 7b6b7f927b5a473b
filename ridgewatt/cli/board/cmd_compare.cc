// ridgewatt compare: which of two commands, or of two power modes, costs more.
#include <memory>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/compare.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

struct CompareCommand {
  DeviceOptions device;
  std::string a, b;
  std::string mode_a, mode_b;
  int repeats = 5;
  double rate_hz = 100;
  double idle_s = 0;
};

report::Table to_table(const std::vector<measure::Comparison>& comparisons) {
  report::Table table({{"quantity"},
                       {"unit"},
                       {"a", "A"},
                       {"b", "B"},
                       {"ratio", "B / A"},
                       {.name = "ratio_lo", .heading = "ratio from (95 %)", .rank = 1},
                       {.name = "ratio_hi", .heading = "ratio to (95 %)", .rank = 1},
                       {.name = "pairs", .rank = 2},
                       {"verdict"}});
  for (const auto& entry : comparisons) {
    table.add_row(
        {entry.quantity, entry.unit, entry.a, entry.b, entry.ratio, entry.ratio_lo, entry.ratio_hi,
         std::int64_t{entry.pairs},
         entry.differs() ? (entry.ratio > 1 ? "B is more" : "B is less") : "no difference"});
  }
  return table;
}

void run(const Context& context, const CompareCommand& options) {
  if (options.a.empty()) {
    throw UsageError("nothing to compare", "compare", "give a command, or `compare boards STORE`");
  }
  const bool modes = !options.mode_a.empty() || !options.mode_b.empty();
  if (options.b.empty() && !modes) {
    throw UsageError("nothing to compare with", "compare", "give a second command or two modes");
  }
  if (options.mode_a.empty() != options.mode_b.empty()) {
    throw UsageError("give both --mode-a and --mode-b", "compare");
  }
  const auto device = options.device.open(context);
  measure::CompareOptions compare;
  compare.a.command = {"/bin/sh", "-c", options.a};
  compare.b.command = {"/bin/sh", "-c", options.b.empty() ? options.a : options.b};
  for (auto* measure : {&compare.a, &compare.b}) {
    measure->rate_hz = options.rate_hz;
    measure->idle_s = options.idle_s;
  }
  compare.repeats = options.repeats;
  compare.seed = context.seed;
  std::unique_ptr<platform::JetsonModeControl> control;
  if (modes) {
    control = std::make_unique<platform::JetsonModeControl>(
        *device.sysfs,
        platform::JetsonModeControl::Options{options.device.state_folder, 100, false});
    compare.prepare = [&](bool b) { apply_mode(*control, b ? options.mode_b : options.mode_a); };
  }
  Progress progress("compare", static_cast<std::size_t>(2 * options.repeats), context.quiet);
  const auto comparisons = measure::compare_commands(*device.sysfs, compare, [&](int done) {
    if (control) control->check_safety();
    progress.update(static_cast<std::size_t>(done));
  });
  if (control) control->restore();
  RowOrigin origin;
  origin.board = device.name;
  origin.provenance = device.provenance();
  const report::Table table = to_table(comparisons);
  print(context, context.csv() || context.json() ? report::with_origin(table, {origin}) : table);
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "compare", "Which of two commands or modes costs more; what boards differ by",
      "ridgewatt compare 'python3 train.py' 'docker run image train.py'\n"
      "  ridgewatt compare --mode-a MODE_30W --mode-b governor=schedutil 'python3 train.py'");
  auto options = std::make_shared<CompareCommand>();
  add_device_options(*command, options->device);
  command->add_option("A", options->a, "First command, for the shell");
  command->add_option("B", options->b, "Second command; left out: the first in another mode");
  command->add_option("--mode-a", options->mode_a, std::string("Mode of A: ") + kModeText);
  command->add_option("--mode-b", options->mode_b, "Mode of B");
  quantity(command->add_option("--repeats", options->repeats, "Runs of each"),
           count().within(2, 1000))
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", options->rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--pause", options->idle_s, "Seconds between runs"),
           seconds().within(0, 3600))
      ->capture_default_str();
  output_file(
      command->add_option("-o,--output", context.output.path, "Write the result to this file"))
      ->group("Options of every command");
  add_compare_boards(*command, context);
  command->callback([&context, command, options] {
    if (command->get_subcommands().empty()) run(context, *options);
  });
}

}  // namespace ridgewatt::cli
