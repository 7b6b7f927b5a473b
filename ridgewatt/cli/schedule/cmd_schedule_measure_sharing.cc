// ridgewatt schedule measure-sharing: what two programs do to each other on one device.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/stop_on_signal.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/schedule/measure_sharing.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

struct SharingCommand {
  DeviceOptions device;
  std::string a, b, socket;
  schedule::SharingOptions sharing;
  double rate_hz = 100;
};

// Mean power of the spans of one phase: a value a round.
class PhasePower {
 public:
  PhasePower(const platform::Sysfs& sysfs, const SharingCommand& options) : meter_(sysfs) {
    if (meter_.source() == nullptr) return;
    const double rate_hz = meter_.usable_rate_hz(options.rate_hz);
    const double samples =
        1.5 * rate_hz * (options.sharing.duration_s + options.sharing.start_within_s) + 1000;
    sampler_.emplace(*meter_.source(),
                     measure::Sampler::Options{rate_hz, static_cast<std::size_t>(samples)});
  }

  void stop() {
    if (!sampler_) return;
    sampler_->stop();
    std::vector<measure::PowerSample> samples;
    sampler_->drain(samples);
    for (const auto& sample : samples) {
      const auto total_w = platform::total_power_w(
          meter_.source()->channels(), [&](std::size_t i) { return sample.power_w[i]; });
      times_s_.push_back(sample.time_s);
      powers_w_.push_back(total_w.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }

  // `origin_s`: when the spans' time began.
  MeanInterval of(schedule::SharingPhase phase, const std::vector<schedule::SharingSpan>& spans,
                  double origin_s) const {
    std::vector<double> means_w;
    for (const auto& span : spans) {
      if (span.phase != phase || times_s_.empty()) continue;
      try {
        means_w.push_back(measure::integrate_power(times_s_, powers_w_, origin_s + span.from_s,
                                                   origin_s + span.to_s)
                              .mean_w);
      } catch (const NotSupportedError&) {  // no sample has a value
        return {};
      }
    }
    return student_interval(means_w);
  }

 private:
  platform::PowerMeter meter_;
  std::optional<measure::Sampler> sampler_;
  std::vector<double> times_s_, powers_w_;
};

void add_row(report::Table& table, const std::string& quantity, const std::string& unit,
             const MeanInterval& value, double factor = 1) {
  if (value.count == 0) return;
  table.add_row({quantity, unit, factor * value.mean, factor * value.lo, factor * value.hi,
                 std::int64_t{value.count}});
}

report::Table to_table(const schedule::SharingMeasurement& measured, const PhasePower& power,
                       double origin_s) {
  report::Table table({{"quantity"},
                       {"unit"},
                       {"value"},
                       {.name = "lo", .heading = "from (95 %)"},
                       {.name = "hi", .heading = "to (95 %)"},
                       {.name = "count", .rank = 1}});
  add_row(table, "interference factor", "", measured.factor);
  for (const auto& program : measured.programs) {
    add_row(table, program.name + " alone", "ms", program.alone_s, 1e3);
    add_row(table, program.name + " beside the other", "ms", program.together_s, 1e3);
    add_row(table, program.name + " speed beside the other", "of alone", program.speed);
  }
  for (const auto& cost : measured.switches) {
    table.add_row({"switch to " + cost.worker, "ms", cost.switch_s * 1e3, cost.lo_s * 1e3,
                   cost.hi_s * 1e3, std::int64_t(cost.after_other)});
  }
  const auto of = [&](schedule::SharingPhase phase) {
    return power.of(phase, measured.spans, origin_s);
  };
  add_row(table, "power of " + measured.programs[0].name, "W", of(schedule::SharingPhase::kFirst));
  add_row(table, "power of " + measured.programs[1].name, "W", of(schedule::SharingPhase::kSecond));
  add_row(table, "power in turns", "W", of(schedule::SharingPhase::kTurns));
  add_row(table, "power beside each other", "W", of(schedule::SharingPhase::kTogether));
  return table;
}

void run(const Context& context, const SharingCommand& options) {
  const auto device = options.device.open(context);
  schedule::SharingPolicy policy(options.sharing);
  schedule::ExecutorOptions executor_options;
  executor_options.socket_path =
      options.socket.empty() ? schedule::default_worker_socket() : options.socket;
  executor_options.duration_s = options.sharing.duration_s + options.sharing.start_within_s;
  executor_options.policy = &policy;
  schedule::KeeperOptions keeper_options;
  keeper_options.socket_path = executor_options.socket_path;
  keeper_options.restart = false;
  keeper_options.on_event = [&context](const std::string& text) { remark(context, text); };
  if (!context.quiet) {
    executor_options.on_event = [&context](double time_s, const std::string& text) {
      remark(context, fmt::format("{:.3f} s: {}", time_s, text));
    };
  }
  schedule::Executor executor(executor_options);
  policy.on_end = [&executor] { executor.stop(); };
  const StopOnSignal stop(executor);
  PhasePower power(*device.sysfs, options);
  const auto program = [](const char* name, const std::string& command) {
    return schedule::KeptProgram{name, WorkloadKind::kTraining, {"/bin/sh", "-c", command}};
  };
  schedule::ProgramKeeper keeper({program("A", options.a), program("B", options.b)},
                                 keeper_options);
  const double origin_s = monotonic_s();
  executor.run();
  power.stop();
  keeper.stop();
  RowOrigin origin;
  origin.board = device.name;
  origin.provenance = device.provenance();
  const report::Table table = to_table(policy.result(), power, origin_s);
  print(context, context.csv() || context.json() ? report::with_origin(table, {origin}) : table);
}

}  // namespace

void add_schedule_measure_sharing(CLI::App& schedule, Context& context) {
  auto* command = add_command(
      schedule, context, "measure-sharing",
      "What two programs do to each other: alone, in turns and beside each other",
      "ridgewatt schedule measure-sharing 'python3 a.py' 'python3 b.py' --duration 120");
  auto options = std::make_shared<SharingCommand>();
  command->add_option("A", options->a, "First worker's command, for the shell")->required();
  command->add_option("B", options->b, "Second worker's command")->required();
  quantity(command->add_option("--duration", options->sharing.duration_s,
                               "Seconds to measure, from when both have come"),
           seconds().positive())
      ->capture_default_str();
  quantity(command->add_option("--rounds", options->sharing.rounds,
                               "Rounds of: A, B, in turns, beside each other"),
           count().within(2, 1000))
      ->capture_default_str();
  quantity(command->add_option("--start-within", options->sharing.start_within_s,
                               "Seconds in which both workers have to come"),
           seconds().positive())
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", options->rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  command->add_option("--socket", options->socket,
                      "Unix socket to serve, mode 0600 (default: ridgewatt.sock in "
                      "$XDG_RUNTIME_DIR)");
  add_device_options(*command, options->device);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
