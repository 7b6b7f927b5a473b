// ridgewatt microbench: rates and bandwidths that this machine's CPU or GPU reaches in practice.
#include "ridgewatt/measure/microbench.h"

#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct MicrobenchCommand {
  measure::MicrobenchTarget target = measure::MicrobenchTarget::kCpu;
  int gpu = 0;
  double footprint_bytes = 512.0 * (1 << 20);
  std::string output;
  measure::MicrobenchOptions options;
};

void run(const Context& context, MicrobenchCommand& command) {
  check_table_options(context, report::microbench_result({}));
  constexpr std::size_t kOtherKernels = 5;  // approximate number in addition to the intensities
  Progress progress("microbench", command.options.intensities.size() + kOtherKernels,
                    context.quiet);
  command.options.footprint_bytes = static_cast<std::size_t>(command.footprint_bytes);
  const auto result = report::microbench_result(
      measure::bench_machine(command.target, command.gpu, command.options,
                             [&](std::size_t point) { progress.update(point); }));
  if (command.output.empty()) return print(context, result);
  write_output(command.output,
               context.json() ? json_text(context, result.json) : result.table.csv());
  if (context.format == OutputFormat::kTable) return print(context, result);
  for (const auto& text : result.remarks) remark(context, text);
}

}  // namespace

void add_microbench(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<MicrobenchCommand>(
      app, context, "microbench", "Peak, bandwidth and intensity sweep of this machine",
      "ridgewatt microbench --seconds 1 -o points.csv", run);
  add.choice("--target", options.target, "cpu or cuda");
  add.number("--gpu", options.gpu, count().within(0, 1024), "Number of the GPU");
  add.threads(options.options.threads, "Threads (0: all)");
  add.number("--seconds", options.options.seconds_per_point, seconds().positive(),
             "Seconds per point");
  add.number("--footprint", options.footprint_bytes, mebibytes().within(1, 1048576),
             "Size of the memory that is read and written (MiB)");
  add.optional("--intensities", options.options.intensities, number().positive(),
               "Arithmetic intensities to measure, in FLOP per byte: 1,2,4")
      ->delimiter(',');
  add.output("-o,--output", options.output,
             "Points as CSV for `calibrate --microbench`; JSON with --format json");
}

}  // namespace ridgewatt::cli
