// ridgewatt microbench: what this machine's processor or GPU reaches in practice.
#include "ridgewatt/measure/microbench.h"

#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/power_watch.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

enum class Target { kCpu, kCuda };
constexpr auto enum_names(Target) {
  return named<Target>({{Target::kCpu, "cpu"}, {Target::kCuda, "cuda"}});
}

struct Arguments {
  Target target = Target::kCpu;
  int gpu = 0;
  double footprint_mib = 512;
  std::string output;
  measure::MicrobenchOptions options;
};

// What a Jetson is set to, so that its points can be told from those of other modes.
std::optional<PowerMode> mode_at_hand(const Context& context) {
  const auto device = platform::open_local_device("local");
  if (!platform::identify_jetson(*device.sysfs)) return std::nullopt;
  try {
    platform::JetsonModeControl::Options look;
    look.dry_run = true;
    const auto state = platform::JetsonModeControl(*device.sysfs, look).state();
    if (!state.gpu_fixed || !state.mem_fixed) {
      remark(context, "clocks are not fixed: the mode's are their upper limits");
    }
    PowerMode mode = state.limits;
    mode.governor.clear();
    return mode;
  } catch (const Error& error) {
    remark(context, fmt::format("the points have no mode: {}", error.what()));
    return std::nullopt;
  }
}

report::Table to_table(const measure::MicrobenchSummary& summary, Target target,
                       const std::optional<PowerMode>& mode) {
  std::vector<PowerMode> modes;
  if (mode) modes.push_back(*mode);
  const auto knobs = report::knob_columns(modes);
  std::vector<report::Column> columns(knobs.begin(), knobs.end());
  report::append(columns, {{"kernel"},
                           {"intensity_flop_per_byte"},
                           {.name = "work_flop", .rank = 2},
                           {.name = "traffic_bytes", .rank = 2},
                           {"time_ms"},
                           {.name = "median_time_ms", .rank = 1},
                           {"gflops", "rate (GFLOP/s)"},
                           {"gbytes_s", "bandwidth (GB/s)"},
                           {.name = "power_w", .rank = 1},
                           {.name = "repetitions", .rank = 3},
                           {.name = "target", .rank = 4},
                           {.name = "device", .rank = 4}});
  report::Table table(columns);
  for (const auto& point : summary.points) {
    std::vector<report::Cell> cells;
    if (mode) cells = report::knob_cells(*mode, knobs);
    report::Cell intensity;
    if (point.traffic_bytes > 0) intensity = point.work_flop / point.traffic_bytes;
    cells.insert(cells.end(),
                 {std::string(name_of(point.kernel)), intensity, point.work_flop,
                  point.traffic_bytes, point.time_s * 1e3, point.median_time_s * 1e3,
                  point.work_flop / point.time_s / 1e9, point.traffic_bytes / point.time_s / 1e9,
                  point.power_w ? report::Cell(*point.power_w) : report::Cell(),
                  std::int64_t{point.repetitions}, std::string(name_of(target)), summary.device});
    table.add_row(std::move(cells));
  }
  return table;
}

void run(const Context& context, const Arguments& arguments) {
  measure::MicrobenchOptions options = arguments.options;
  std::optional<measure::PowerWatch> power;
  std::string powerless;  // why no power is measured
  try {
    power.emplace(platform::open_power_source(platform::Sysfs("")));
  } catch (const Error& error) {
    powerless = error.what();
  }
  constexpr std::size_t kOtherKernels = 5;  // about so many beside the intensities
  Progress progress("microbench", options.intensities.size() + kOtherKernels, context.quiet);
  std::size_t started = 0;
  options.power_start = [&] {
    progress.update(started++);
    if (power) power->start();
  };
  options.power_stop = [&]() -> std::optional<double> {
    return power ? power->stop() : std::nullopt;
  };
  options.footprint_bytes = static_cast<std::size_t>(arguments.footprint_mib * 1048576.0);
  const auto summary = arguments.target == Target::kCuda
                           ? measure::run_cuda_microbench(arguments.gpu, options)
                           : measure::run_cpu_microbench(options);
  if (!powerless.empty()) remark(context, "no power: " + powerless);
  const report::Table table = to_table(summary, arguments.target, mode_at_hand(context));
  if (context.json()) {
    const Json result{{"device", summary.device},
                      {"provenance", name_of(Provenance::kMeasured)},
                      {"peak_flops", summary.peak_flops()},
                      {"peak_bandwidth_bytes_s", summary.peak_bandwidth_bytes_s()},
                      {"ridge_flop_per_byte", summary.ridge_flop_per_byte()},
                      {"points", table.to_json()}};
    return write_output(arguments.output, json_text(context, result));
  }
  if (!arguments.output.empty()) {
    std::ostringstream csv;
    table.print_csv(csv);
    write_output(arguments.output, csv.str());
    if (context.csv()) return;
  }
  print(context, table);
  if (context.csv()) return;
  std::cout << fmt::format("\n{}, measured: peak {}, bandwidth {}, ridge at {:.1f} FLOP/byte\n",
                           summary.device, format_si(summary.peak_flops(), "FLOP/s"),
                           format_si(summary.peak_bandwidth_bytes_s(), "B/s"),
                           summary.ridge_flop_per_byte());
}

}  // namespace

void add_microbench(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "microbench", "Peak, bandwidth and intensity sweep of this machine",
                  "ridgewatt microbench --seconds 1 -o points.csv");
  auto arguments = std::make_shared<Arguments>();
  listed_choice(*command, "--target", arguments->target, "cpu or cuda")->capture_default_str();
  quantity(command->add_option("--gpu", arguments->gpu, "Number of the GPU"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(command->add_option("--threads", arguments->options.threads, "Threads (0: all)"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(
      command->add_option("--seconds", arguments->options.seconds_per_point, "Seconds per point"),
      seconds().positive())
      ->capture_default_str();
  quantity(
      command->add_option("--footprint", arguments->footprint_mib, "Memory walked through (MiB)"),
      mebibytes().within(1, 1048576))
      ->capture_default_str();
  quantity(
      command->add_option("--intensities", arguments->options.intensities, "FLOP per byte, 1,2,4"),
      number().positive())
      ->delimiter(',');
  output_file(
      command->add_option("-o,--output", arguments->output,
                          "Points as CSV for `calibrate --microbench`; JSON with --format json"));
  command->callback([&context, arguments] { run(context, *arguments); });
}

}  // namespace ridgewatt::cli
