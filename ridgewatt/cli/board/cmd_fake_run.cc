// ridgewatt fake-run: a workload on a fake board, to be profiled and measured like a real one.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_disturbance.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {
namespace {

struct FakeRunCommand {
  DeviceOptions device;
  std::string model;
  std::int64_t batch = 16;
  WorkloadKind kind = WorkloadKind::kInference;
  int minibatches = 60;
  double speed = 1;
};

// The board must not keep the power of the load.
volatile std::sig_atomic_t asked_to_end = 0;

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

void mark(const char* kind, Clock::time_point time) {
  const char* descriptor = std::getenv("RIDGEWATT_MARK_FD");
  if (descriptor == nullptr) return;
  const std::chrono::duration<double> since_boot = time.time_since_epoch();
  const auto line = fmt::format("{} {:.6f}\n", kind, since_boot.count());
  if (::write(std::atoi(descriptor), line.data(), line.size()) < 0) {
    throw IoError("cannot write a mark");
  }
}

void run(const Context& context, const FakeRunCommand& options) {
  const auto device = options.device.open(context);
  const auto name = platform::fake_board_mark(device.sysfs->root());
  if (name.name.empty()) throw UsageError("is not a fake board", options.device.device);
  const workload::WorkloadCost cost =
      *workload::DeployedWorkload(options.model, {.kind = options.kind})
           .at(static_cast<int>(options.batch));
  say_caveats(context, cost.caveats);
  platform::FakeLoad load(twin::load_twin(load_board(platform::board_of_fake(name.name))), cost,
                          name.seed, name.specimen);
  const platform::FakeRails rails(*device.sysfs);
  auto heat = platform::FakeHeat::open(*device.sysfs);
  std::optional<platform::FakeActivity> activity(std::in_place, *device.sysfs);
  platform::FakeDisturbances disturbances(*device.sysfs);
  auto end = Clock::now();
  const auto started = end;
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });
  int done = 0;
  while (done < options.minibatches && asked_to_end == 0) {
    // The clocks may change while a minibatch runs: it goes on at the new pace.
    const auto begin = end;
    double stall_share = 0;
    for (double left = load.next(); left > 1e-9 && asked_to_end == 0;) {
      const PowerMode clocks = activity->clocks();
      twin::TimePower at = load.at(clocks);
      if (heat) {
        const double power_w = load.truth(clocks).power_w;
        at.power_w = heat->warm_power_w(power_w);
        activity->throttle(heat->load(power_w));
      }
      const std::chrono::duration<double> running = end - started;
      at = disturbances.disturbed(at, options.speed * running.count());
      const double slice_s = std::min(left * at.time_s, platform::FakeActivity::kTickS);
      rails.set(at.power_w);
      end += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(slice_s / options.speed));
      std::this_thread::sleep_until(end);
      left -= slice_s / at.time_s;
      load.warm(slice_s);
      stall_share = load.stall_share(clocks);
      activity->step(load.use(clocks));
    }
    if (asked_to_end != 0) break;
    if (stall_share > 0) {
      mark("fetched",
           begin + std::chrono::duration_cast<Clock::duration>(stall_share * (end - begin)));
    }
    mark("minibatch", end);
    ++done;
  }
  activity.reset();
  platform::FakeRest(*device.sysfs, name).set();
  remark(context,
         fmt::format("fake-run: {} minibatches of {} on {} (modelled by a perturbed twin, seed {})",
                     done, options.model, name.name, name.seed));
}

}  // namespace

void add_fake_run(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "fake-run", "Run a workload on a fake board",
                              "ridgewatt measure --device fake:agx-orin -- ridgewatt fake-run "
                              "zoo:resnet50 --device fake:agx-orin");
  auto options = std::make_shared<FakeRunCommand>();
  add_device_options(*command, options->device);
  command->add_option("MODEL", options->model, "zoo:NAME or an ONNX file")->required();
  quantity(command->add_option("--batch", options->batch, "Minibatch size"),
           count().within(1, 1 << 20));
  add_strict(*command, context);
  add_training(*command, options->kind, "Training steps instead of inference");
  quantity(command->add_option("--minibatches", options->minibatches, "Number of minibatches"),
           count().within(1, 1e9));
  quantity(command->add_option("--speed", options->speed, "Run X times faster than the board"),
           number().within(0.01, 1000));
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
