// ridgewatt compare: which of two commands, or of two power modes, costs more.
#include <array>
#include <memory>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/measure/compare.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/campaign_report.h"
#include "ridgewatt/report/measure_report.h"

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

void run(const Context& context, const CompareCommand& options) {
  if (options.a.empty()) {
    throw UsageError("compare needs two commands, or one command and two modes", "",
                     "to compare boards, use `ridgewatt compare boards STORE`");
  }
  const bool modes = !options.mode_a.empty() || !options.mode_b.empty();
  if (options.b.empty() && !modes) {
    throw UsageError("compare needs two commands, or one command and two modes", "",
                     "give a second command, or --mode-a and --mode-b");
  }
  if (options.mode_a.empty() != options.mode_b.empty()) {
    throw UsageError("only one of --mode-a and --mode-b is given", "", "give both");
  }
  const auto device = options.device.open(context);
  check_table_options(context, report::comparison_result({}, device.name, device.provenance()));
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
    compare.prepare = [&, said = std::array<bool, 2>{}](bool b) mutable {
      const std::string& mode = b ? options.mode_b : options.mode_a;
      const auto summary = apply_mode(*control, mode);
      if (!std::exchange(said[b ? 1 : 0], true)) remark_on_clocks(context, mode, summary);
    };
  }
  InterruptNote note;
  note.set("nothing is kept, because compare writes its result at the end");
  Progress progress("compare", static_cast<std::size_t>(2 * options.repeats), context.quiet);
  const auto compared = measure::compare_commands(*device.sysfs, compare, [&](int done) {
    if (control) control->check_safety();
    progress.update(static_cast<std::size_t>(done));
  });
  if (control) control->restore();
  print(context, report::comparison_result(compared, device.name, device.provenance()));
}

struct CompareBoardsCommand {
  std::string database;
  store::SeriesFilter filter;
};

void run(const Context& context, const CompareBoardsCommand& options) {
  store::Store store(options.database, store::Database::Access::kReadOnly);
  print(context, report::board_effects_result(
                     campaign::merged_by_kind(store, options.filter, options.database)));
}

}  // namespace

void add_compare_boards(CLI::App& compare, Context& context) {
  const auto [command, options, add] = define<CompareBoardsCommand>(
      compare, context, "boards", "Differences between boards of one kind",
      "ridgewatt compare boards campaign.db --device agx-orin", run);
  add.input("STORE", options.database, "Store with points of several boards of one kind")
      ->required();
  add.text("--workload", options.filter.workload, "Compare only points of this workload");
  add.words("--kind", options.filter.kind, {answer::names_of<WorkloadKind>},
            "Only points of this kind of workload: training, inference, ..");
  add.board("--device", options.filter.board, "Compare only boards of this kind, such as agx-orin");
}

void add_compare(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<CompareCommand>(
      app, context, "compare",
      "Whether one of two commands or modes needs more time or energy; differences between boards",
      "ridgewatt compare 'python3 train.py' 'docker run image train.py'\n"
      "  ridgewatt compare --mode-a MODE_30W --mode-b governor=schedutil 'python3 train.py'",
      run);
  add_device_options(command, options.device);
  add.text("A", options.a, "First command, for the shell");
  add.text("B", options.b, "Second command [the first, in another mode]");
  add.words("--mode-a", options.mode_a, {answer::presets},
            std::string("Power mode of A: ") + kModeText);
  add.words("--mode-b", options.mode_b, {answer::presets}, "Power mode of B");
  add.number("--repeats", options.repeats, count().within(2, 1000), "Runs of each side");
  add.sampling(options.rate_hz);
  add.number("--pause", options.idle_s, seconds().within(0, 3600), "Seconds between runs");
  add_output_option(command, context);
  add_compare_boards(command, context);
}

}  // namespace ridgewatt::cli
