// ridgewatt fake-run: runs a workload on a fake board, where it can be profiled and measured.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/platform/fake_board.h"
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

void run(const Context& context, const FakeRunCommand& options) {
  const auto device = options.device.open(context);
  const auto name = platform::fake_board_mark(device.sysfs->root());
  if (name.name.empty())
    throw UsageError("is not a fake board (--device)", options.device.device, "give fake:BOARD");
  const workload::WorkloadCost cost =
      *workload::DeployedWorkload(options.model, {.kind = options.kind})
           .at(static_cast<int>(options.batch));
  say_caveats(context, cost.caveats);
  const int done =
      platform::run_fake_load(*device.sysfs, name, cost, options.minibatches, options.speed);
  remark(context, fmt::format("fake-run: {} of {} on {} (modelled by a perturbed twin, seed {})",
                              counted(done, "minibatch"), options.model, name.name, name.seed));
}

}  // namespace

void add_fake_run(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<FakeRunCommand>(app, context, "fake-run", "Run a workload on a fake board",
                             "ridgewatt measure --device fake:agx-orin -- ridgewatt fake-run "
                             "zoo:resnet50 --device fake:agx-orin",
                             run);
  add_device_options(command, options.device);
  add.model("MODEL", options.model, "zoo:NAME or an ONNX file")->required();
  add.number("--batch", options.batch, count().within(1, 1 << 20), "Minibatch size");
  add_strict(command, context);
  add.training(options.kind, "Training steps instead of inference");
  add.number("--minibatches", options.minibatches, count().within(1, 1e9), "Number of minibatches");
  add.number("--speed", options.speed, number().within(0.01, 1000),
             "Run X times as fast as the board");
}

}  // namespace ridgewatt::cli
