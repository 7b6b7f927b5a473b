// ridgewatt compare: which of two commands costs more.
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/device_options.h"
#include "ridgewatt/measure/compare.h"

namespace ridgewatt::cli {
namespace {

struct Options {
  DeviceOptions device;
  std::string a;
  std::string b;
  int repeats = 5;
  double rate_hz = 100;
};

void run(const Context& context, const Options& options) {
  const auto device = options.device.open(context);
  CompareOptions compare;
  for (const auto& [text, measure] :
       {std::pair{&options.a, &compare.a}, {&options.b, &compare.b}}) {
    measure->command = {"/bin/sh", "-c", *text};
    measure->rate_hz = options.rate_hz;
    measure->idle_s = 0;
  }
  compare.repeats = options.repeats;
  compare.seed = context.seed;
  Progress progress("compare", static_cast<std::size_t>(2 * options.repeats), context.quiet);
  const auto comparisons = compare_commands(
      *device.sysfs, compare, [&](int done) { progress.update(static_cast<std::size_t>(done)); });
  Table table({{"quantity"},
               {"unit"},
               {"a", "A"},
               {"b", "B"},
               {"ratio", "B / A"},
               {"ratio_lo", "95 % from"},
               {"ratio_hi", "to"},
               {"pairs"},
               {"verdict"}});
  for (const auto& entry : comparisons) {
    table.add_row(
        {entry.quantity, entry.unit, entry.a, entry.b, entry.ratio, entry.ratio_lo, entry.ratio_hi,
         std::int64_t{entry.pairs},
         entry.differs() ? (entry.ratio > 1 ? "B is more" : "B is less") : "no difference"});
  }
  print(context, table);
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "compare", "Which of two commands costs more",
                              "ridgewatt compare 'python3 train.py' 'docker run image train.py'");
  auto options = std::make_shared<Options>();
  add_device_options(*command, options->device);
  command->add_option("A", options->a, "First command, for the shell")->required();
  command->add_option("B", options->b, "Second command")->required();
  command->add_option("--repeats", options->repeats, "Runs of each")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--rate", options->rate_hz, "Power samples a second")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
