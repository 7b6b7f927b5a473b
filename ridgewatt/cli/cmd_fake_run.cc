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
#include "ridgewatt/cli/device_options.h"
#include "ridgewatt/cli/fake_workload.h"
#include "ridgewatt/cli/vocabulary.h"
#include "ridgewatt/cli/workload_options.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::cli {
namespace {

struct FakeRunCommand {
  DeviceOptions device;
  std::string model;
  std::int64_t batch = 16;
  bool training = false;
  int minibatches = 60;
  double speed = 1;
};

// The board must not keep the power of the load.
volatile std::sig_atomic_t asked_to_end = 0;

void mark() {
  const char* descriptor = std::getenv("RIDGEWATT_MARK_FD");
  if (descriptor == nullptr) return;
  static constexpr char kLine[] = "minibatch\n";
  if (::write(std::atoi(descriptor), kLine, sizeof kLine - 1) < 0) {
    throw IoError("cannot write a mark");
  }
}

void run(const Context& context, const FakeRunCommand& options) {
  const auto device = options.device.open(context);
  const auto name = fake_board_mark(device.sysfs->root());
  if (name.name.empty()) throw UsageError("is not a fake board", options.device.device);
  const FakeBoardSpec spec = fake_board_spec(name.name);
  const std::string board = spec.board == "orin-nano" ? "orin-nano-8gb" : spec.board;
  const WorkloadCost cost = fake_workload(options.model, options.batch, options.training);
  say_caveats(context, cost.caveats);
  FakeLoad load(load_twin(load_board(board)), cost, name.seed);
  const JetsonModeControl control(*device.sysfs, {options.device.state_folder, 100, true});
  const PowerMode mode = control.state().limits;
  const FakeRails rails(*device.sysfs);
  std::optional<FakeActivity> activity(std::in_place, *device.sysfs);
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now();
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });
  int done = 0;
  for (; done < options.minibatches && asked_to_end == 0; ++done) {
    const TimePower at = load.next(mode);
    rails.set(at.power_w);
    end += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(at.time_s / options.speed));
    std::this_thread::sleep_until(end);
    mark();
  }
  activity.reset();
  rails.set(load.idle_w(mode));
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
  command->add_flag("--training", options->training, "Training steps instead of inference");
  quantity(command->add_option("--minibatches", options->minibatches, "Number of minibatches"),
           count().within(1, 1e9));
  quantity(command->add_option("--speed", options->speed, "Run X times faster than the board"),
           number().within(0.01, 1000));
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
