#include "ridgewatt/platform/fake_load.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake/clock_counters.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/platform/jetson/online_cpus.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/jetson_power.h"

namespace ridgewatt::platform {
namespace {

constexpr double kParameterError = 0.2;
constexpr double kModeError = 0.03;
constexpr double kMinibatchNoise = 0.02;
constexpr double kSlowShare = 0.01;
constexpr double kSlowFactor = 1.5;
constexpr double kHotLeakage = 0.04;     // additional power of a warm board
constexpr double kWarmUpS = 30;          // time constant
constexpr double kCurrentStepA = 0.008;  // with a shunt of 5 mOhm
constexpr double kVoltageV = 5;
// Parameters of the governors.
constexpr double kHeadroom = 1.25;  // schedutil
constexpr double kUpThreshold = 0.8, kDownThreshold = 0.2, kStep = 0.05;
constexpr double kGpuTarget = 0.7;
constexpr const char* kLoadMark = "/.ridgewatt-fake-load";

twin::Twin perturbed(twin::Twin twin, std::uint64_t seed) {
  Random random = Random(seed).fork(1);
  for (double& value : twin.values) value *= 1 + random.uniform(-kParameterError, kParameterError);
  return twin;
}

std::uint64_t mode_number(const PowerMode& mode) {
  std::uint64_t number = static_cast<std::uint64_t>(mode.cpu_cores);
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    number = number * 1000003 + static_cast<std::uint64_t>(std::llround(mode.get(knob) / 1e3));
  }
  return number;
}

void write_number(const Sysfs& sysfs, const std::string& path, double value) {
  // The file may not exist.
  overwrite_board_file(sysfs.host_path(path), fmt::format("{:.0f}\n", value));
}

// Share of the module's power on a rail. The rails of a total add up to 1.
double share_of(const std::string& rail) {
  static const std::pair<const char*, double> kShares[] = {{"VDD_GPU_SOC", 0.55},
                                                           {"VDD_CPU_CV", 0.15},
                                                           {"VIN_SYS_5V0", 0.30},
                                                           {"VDD_IN", 1},
                                                           {"VIN", 1},
                                                           {"POM_5V_IN", 1},
                                                           {"VDD_CPU_GPU_CV", 0.45},
                                                           {"VDD_SOC", 0.25},
                                                           {"VDD_GPU", 0.35},
                                                           {"VDD_CPU_SOC_MSS", 0.3},
                                                           {"GPU", 0.4},
                                                           {"CPU", 0.15},
                                                           {"SOC", 0.15},
                                                           {"CV", 0.02},
                                                           {"VDDRQ", 0.13},
                                                           {"SYS5V", 0.15}};
  for (const auto& [name, share] : kShares) {
    if (rail == name) return share;
  }
  return 0.1;
}

}  // namespace

FakeLoad::FakeLoad(const twin::Twin& twin, const workload::WorkloadCost& cost, std::uint64_t seed,
                   FakeSpecimen specimen, const twin::RunOptions& run)
    : estimator_(perturbed(twin, seed), cost, run),
      sms_(twin.sms),
      seed_(seed),
      specimen_(std::move(specimen)),
      random_(Random(seed).fork(2)) {
  const twin::MinibatchCost cost_at_top = estimator_(PowerMode{});  // missing knobs: their maxima
  top_ = {cost_at_top.period_s, cost_at_top.power_w};
}

twin::TimePower FakeLoad::truth(const PowerMode& mode) const {
  PowerMode clocks = mode;
  clocks.governor.clear();
  const twin::MinibatchCost cost = estimator()(clocks);
  twin::TimePower at{cost.period_s, cost.power_w};  // minibatches run back to back
  Random luck = Random(seed_).fork(mode_number(clocks));
  at.time_s *= 1 + luck.uniform(-kModeError, kModeError);
  at.power_w *= 1 + luck.uniform(-kModeError, kModeError);
  return {specimen_.time_s(at.time_s, top_.time_s), specimen_.power_w(at.power_w, top_.power_w)};
}

twin::TimePower FakeLoad::at(const PowerMode& clocks) const {
  twin::TimePower at = truth(clocks);
  at.power_w *= 1 + kHotLeakage * warm_;
  return at;
}

// The framework's thread launches kernels and then polls for their completion, so its core is never
// idle.
FakeUse FakeLoad::use(const PowerMode& clocks) const {
  PowerMode mode = clocks;
  mode.governor.clear();
  double gpu_s = 0, traffic_bytes = 0;
  for (const auto& layer : estimator().layers(mode)) {
    gpu_s += layer.gpu_s;
    traffic_bytes += layer.effective_traffic_bytes;
  }
  const double time_s = estimator()(mode).period_s;
  return {1, std::min(1.0, gpu_s / time_s),
          std::min(1.0, traffic_bytes / time_s / estimator().bandwidth(mode))};
}

double FakeLoad::stall_share(const PowerMode& clocks) const {
  PowerMode mode = clocks;
  mode.governor.clear();
  const twin::MinibatchCost cost = estimator()(mode);
  return cost.stall_s() / cost.period_s;
}

void FakeLoad::warm(double time_s) {
  warm_ += (1 - warm_) * (1 - std::exp(-time_s / kWarmUpS));
}

double FakeLoad::next() {
  const double noise = std::exp(kMinibatchNoise * random_.normal());
  return random_.uniform() < kSlowShare ? kSlowFactor * noise : noise;
}

FakeRails::FakeRails(const Sysfs& sysfs) : sysfs_(sysfs) {
  const auto jetson = identify_jetson(sysfs);
  rails_ = find_power_rails(sysfs, jetson ? jetson->board : "");
}

void FakeRails::set(double power_w) const {
  for (const auto& rail : rails_.channels) {
    const double rail_w = power_w * share_of(rail.rail);
    const double step_w = kCurrentStepA * kVoltageV;
    const double rounded_w = std::round(rail_w / step_w) * step_w;
    if (!rail.power_path.empty()) {
      write_number(sysfs_, rail.power_path, rounded_w / rail.power_unit_w);
    }
    write_number(sysfs_, rail.voltage_path, kVoltageV * 1e3);
    write_number(sysfs_, rail.current_path, rounded_w / kVoltageV * 1e3);
  }
}

std::string board_of_fake(const std::string& name) {
  const FakeBoardSpec spec = fake_board_spec(name);
  const Board board = load_board(spec.board);
  const auto has_its_clocks = [&](const Bsp& bsp) {
    return bsp.levels[Knob::kGpuClock] == spec.gpu_hz;
  };
  if (has_its_clocks(board.find_bsp())) return board.name;
  const auto bsp = std::find_if(board.bsps.begin(), board.bsps.end(), has_its_clocks);
  return bsp == board.bsps.end() ? board.name : board.name + "@" + bsp->name;
}

std::string board_of_device(const std::string& device) {
  const auto fake = fake_name(device);
  return fake ? board_of_fake(*fake) : device;
}

std::optional<Board> find_board_of_device(const std::string& device) {
  try {
    return load_board(board_of_device(device));
  } catch (const NotFoundError&) {
    return std::nullopt;
  }
}

PowerMode fake_clocks(const Sysfs& sysfs, const JetsonLayout& layout) {
  PowerMode mode;
  mode.cpu_cores = online_cpus(sysfs, layout);
  if (!layout.cpu_policies.empty()) {
    const std::string file = layout.cpu_policies.front().path + "/scaling_cur_freq";
    mode.cpu_clock_hz = sysfs.number(file).value_or(0) * 1e3;
  }
  if (!layout.gpus.empty()) {
    mode.gpu_clock_hz = sysfs.number(layout.gpus.front().path + "/cur_freq").value_or(0);
  }
  mode.mem_clock_hz = sysfs.number(layout.emc.current).value_or(0);
  return mode;
}

FakeRest::FakeRest(const Sysfs& sysfs, const FakeBoardMark& board)
    : sysfs_(sysfs),
      layout_(find_jetson_layout(sysfs)),
      rails_(sysfs),
      board_(load_board(board_of_fake(board.name))),
      twin_(perturbed(twin::load_twin(board_), board.seed)),
      specimen_(board.specimen) {}

double FakeRest::power_w() const {
  const PowerMode clocks = fake_clocks(sysfs_, layout_);
  twin::Twin now = twin_;
  const int sms = sms_left_on(sysfs_, layout_, board_);
  if (sms < now.sms) now.preset_sms = {{clocks, sms}};
  return specimen_.power_w(twin::idle_power_w(now, clocks), twin::idle_power_w(twin_, PowerMode{}));
}

void FakeRest::set() const {
  // A load that was killed leaves its mark behind.
  const auto process = sysfs_.number(kLoadMark);
  if (process && ::kill(static_cast<pid_t>(*process), 0) == 0) return;
  rails_.set(power_w());
  if (auto heat = FakeHeat::open(sysfs_)) heat->rest(power_w());
}

FakeActivity::FakeActivity(const Sysfs& sysfs) : sysfs_(sysfs), layout_(find_jetson_layout(sysfs)) {
  for (const auto& policy : layout_.cpu_policies) {
    const auto file = [&](const char* name) { return policy.path + "/scaling_" + name; };
    domains_.push_back({policy.path, file("governor"), file("cur_freq"), file("min_freq"),
                        file("max_freq"), file("available_frequencies"), file("setspeed"), false});
  }
  for (const auto& gpu : layout_.gpus) {
    const auto file = [&](const char* name) { return gpu.path + "/" + name; };
    domains_.push_back({gpu.path, file("governor"), file("cur_freq"), file("min_freq"),
                        file("max_freq"), file("available_frequencies"), file("userspace/set_freq"),
                        true});
  }
  for (auto& domain : domains_) {
    remember(domain.current);
    domain.clock = sysfs.number(domain.current).value_or(0);
  }
  remember(layout_.gpu_load);
  remember(layout_.emc.load);
  std::ofstream(sysfs.root() + kLoadMark) << ::getpid() << '\n';
}

FakeActivity::~FakeActivity() {
  for (auto& domain : domains_) count(domain);
  for (const auto& [host_path, content] : at_rest_) overwrite_board_file(host_path, content);
  // The clocks were those of the load until now.
  for (auto& domain : domains_) count(domain);
  std::error_code ignored;
  std::filesystem::remove(sysfs_.root() + kLoadMark, ignored);
}

// Counts the time since the last clock change, whether the governor or an outside limit changed it.
void FakeActivity::count(Domain& domain) const {
  const double now = sysfs_.number(domain.current).value_or(domain.clock);
  count_clock(sysfs_, domain.folder, !domain.gpu, domain.clock, now);
  domain.clock = now;
}

void FakeActivity::remember(const std::string& path) {
  std::error_code missing;
  const std::string host_path = path.empty() ? "" : sysfs_.host_path(path);
  if (path.empty() || !std::filesystem::exists(host_path, missing)) return;
  at_rest_.emplace_back(host_path, read_file(host_path));
}

void FakeActivity::govern(const Domain& domain, double use) const {
  const std::string name = sysfs_.text(domain.governor).value_or("");
  const bool stays = name == "userspace" || name == "performance" || name == "powersave";
  if (stays && !throttled_) return;
  double low = sysfs_.number(domain.minimum).value_or(0);
  double high = sysfs_.number(domain.maximum).value_or(0);
  if (throttle_steps_ > 0) {
    std::vector<double> below;
    for (const double entry : sysfs_.numbers(domain.table)) {
      if (entry <= high) below.push_back(entry);
    }
    std::sort(below.begin(), below.end());
    const auto steps = static_cast<std::size_t>(throttle_steps_);
    if (!below.empty()) high = below[below.size() > steps ? below.size() - 1 - steps : 0];
    low = std::min(low, high);
  }
  const double now = sysfs_.number(domain.current).value_or(low);
  double wanted = kHeadroom * use * now;  // schedutil, interactive
  if (stays) {
    // The clock without throttling: userspace has a requested clock, the others use an end of the
    // range.
    wanted = name == "performance" ? high : low;
    if (name == "userspace") wanted = sysfs_.number(domain.request).value_or(high);
  } else if (domain.gpu) {
    wanted = now * use / kGpuTarget;
  } else if (name == "ondemand") {
    wanted = use > kUpThreshold ? high : low + use * (high - low);
  } else if (name == "conservative") {
    const double step = kStep * high;
    wanted = use > kUpThreshold ? now + step : use < kDownThreshold ? now - step : now;
  }
  wanted = std::clamp(wanted, low, std::max(low, high));
  double clock = high;  // the lowest clock of the table that is high enough
  for (const double entry : sysfs_.numbers(domain.table)) {
    if (entry >= wanted && entry >= low && entry < clock) clock = entry;
  }
  if (clock != now) write_number(sysfs_, domain.current, clock);
}

void FakeActivity::step(const FakeUse& use) {
  for (auto& domain : domains_) {
    govern(domain, domain.gpu ? use.gpu : use.cpu);
    count(domain);
  }
  if (!layout_.gpu_load.empty()) write_number(sysfs_, layout_.gpu_load, 1000 * use.gpu);
  if (layout_.emc.load.empty()) return;
  // The memory clock times the share of busy time, in kHz.
  const double clock_hz = sysfs_.number(layout_.emc.current).value_or(0);
  write_number(sysfs_, layout_.emc.load, use.memory * clock_hz / 1e3);
}

}  // namespace ridgewatt::platform
