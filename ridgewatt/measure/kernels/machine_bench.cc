#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/microbench.h"
#include "ridgewatt/measure/sampling/power_watch.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::measure {
namespace {

// The current mode of a Jetson. Empty on other machines; empty with a remark if it cannot be read.
std::optional<PowerMode> current_mode(std::vector<std::string>& remarks) {
  const auto device = platform::open_local_device("local");
  if (!platform::identify_jetson(*device.sysfs)) return std::nullopt;
  try {
    platform::JetsonModeControl::Options look;
    look.dry_run = true;
    const auto state = platform::JetsonModeControl(*device.sysfs, look).state();
    if (!state.gpu_fixed || !state.mem_fixed) {
      remarks.emplace_back("the clocks are not fixed; the stated mode has their upper limits");
    }
    PowerMode mode = state.limits;
    mode.governor.clear();
    return mode;
  } catch (const Error& error) {
    remarks.push_back(fmt::format("the power mode of the points is not known: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace

MachineBench bench_machine(MicrobenchTarget target, int gpu, MicrobenchOptions options,
                           const std::function<void(std::size_t)>& progress) {
  std::optional<PowerWatch> power;
  MachineBench bench;
  bench.target = target;
  try {
    power.emplace(platform::open_power_source(platform::Sysfs("")));
  } catch (const Error& error) {
    bench.remarks.push_back(std::string("power is not measured: ") + error.what());
  }
  std::size_t started = 0;
  options.power_start = [&] {
    progress(started++);
    if (power) power->start();
  };
  options.power_stop = [&]() -> std::optional<double> {
    return power ? power->stop() : std::nullopt;
  };
  bench.summary = target == MicrobenchTarget::kCuda ? run_cuda_microbench(gpu, options)
                                                    : run_cpu_microbench(options);
  bench.mode = current_mode(bench.remarks);
  return bench;
}

}  // namespace ridgewatt::measure
