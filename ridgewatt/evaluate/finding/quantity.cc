#include "ridgewatt/evaluate/finding/quantity.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/pipeline/twin_pipeline.h"

namespace ridgewatt::evaluate {
namespace {

using Q = FindingQuantity;

double count(const KnobSpace& space, Knob knob) {
  return static_cast<double>(space.levels(knob).size());
}

double limit_of(const Board& board) {
  if (board.power_limit_w) return *board.power_limit_w;
  throw NotSupportedError("the board file states no power limit", board.name,
                          "choose a board whose file has a power limit");
}

double of_board(Q quantity, const Board& board) {
  using Space = const KnobSpace&;
  static constexpr std::pair<Q, double (*)(const Board&, Space)> kStated[] = {
      {Q::kCores, [](const Board& b, Space) { return static_cast<double>(b.cpu_cores); }},
      {Q::kCudaCores, [](const Board& b, Space) { return 1.0 * b.sms * b.cores_per_sm; }},
      {Q::kMemory, [](const Board& b, Space) { return b.memory_bytes; }},
      {Q::kPowerLimit, [](const Board& b, Space) { return limit_of(b); }},
      {Q::kModes, [](const Board&, Space s) { return static_cast<double>(s.size()); }},
      {Q::kCpuClocks, [](const Board&, Space s) { return count(s, Knob::kCpuClock); }},
      {Q::kGpuClocks, [](const Board&, Space s) { return count(s, Knob::kGpuClock); }},
      {Q::kMemClocks, [](const Board&, Space s) { return count(s, Knob::kMemClock); }},
      {Q::kCpuClockMax, [](const Board&, Space s) { return s.top().cpu_clock_hz; }},
      {Q::kGpuClockMax, [](const Board&, Space s) { return s.top().gpu_clock_hz; }},
      {Q::kMemClockMax, [](const Board&, Space s) { return s.top().mem_clock_hz; }},
      {Q::kCpuClockMin, [](const Board&, Space s) { return s.levels(Knob::kCpuClock).front(); }},
      {Q::kGpuClockMin, [](const Board&, Space s) { return s.levels(Knob::kGpuClock).front(); }},
  };
  for (const auto& [name, value] : kStated) {
    if (name == quantity) return value(board, knob_space(board));
  }
  throw UsageError("is a quantity that the board file does not give",
                   std::string(name_of(quantity)));
}

twin::RunOptions run_of(const Setting& setting, twin::RunOptions run) {
  if (setting.workers) run.loader_workers = *setting.workers;
  return run;
}

}  // namespace

const workload::DeployedWorkload& QuantityOf::workload(const Setting& setting) {
  auto& known = workloads_[{setting.model, setting.kind, setting.dims}];
  if (!known) {
    known = std::make_shared<const workload::DeployedWorkload>(
        setting.model, workload::DeployOptions{.kind = setting.kind, .dims = setting.dims});
  }
  return *known;
}

const twin::TwinModel& QuantityOf::model(const Setting& setting) {
  const WorkloadKey key{setting.model, setting.kind, setting.dims};
  workload(setting);
  auto& known = models_[{setting.board, key}];
  if (!known) known = std::make_unique<twin::TwinModel>(twin_of_(setting.board), workloads_[key]);
  return *known;
}

twin::Breakdown QuantityOf::breakdown(const Setting& setting) {
  const twin::TwinModel& on = model(setting);
  return on.estimator(setting.batch).breakdown(setting.mode, run_of(setting, on.options()));
}

QuantityOf::Figures QuantityOf::of_minibatches(const Setting& setting) {
  const twin::MinibatchCost at = breakdown(setting).total;
  const double minibatches = setting.samples > 0 ? std::ceil(setting.samples / setting.batch) : 1;
  Figures figures;
  figures.time_s = minibatches * at.period_s;
  figures.compute_s = minibatches * at.pipe_s;
  figures.stall_s = minibatches * at.stall_s();
  figures.energy_j = minibatches * at.energy_j() / (setting.samples > 0 ? 1 : setting.batch);
  figures.power_w = at.power_w;
  figures.cached_share = 1;
  return figures;
}

QuantityOf::Figures QuantityOf::of_epoch(const Setting& setting) {
  const twin::TwinModel& on = model(setting);
  const twin::MemoryFootprint memory = on.memory(setting.batch);
  pipeline::PipelineConfig config;
  config.samples = setting.data->samples;
  config.sample_bytes = setting.data->sample_bytes;
  config.batch = setting.batch;
  config.workers = run_of(setting, on.options()).loader_workers;
  config.storage = pipeline::find_storage(config.sample_bytes > 0 ? setting.storage : "memory");
  config.cache_bytes = std::max(0.0, memory.free_bytes() - memory.needed_bytes());
  if (setting.cache_dropped) config.cache_bytes = 0;
  config = pipeline::on_twin(config, on, setting.mode);
  const pipeline::EpochCost epoch = pipeline::epoch_cost(config, setting.first_epoch ? 0 : 1);
  Figures figures;
  figures.time_s = epoch.time_s + epoch.start_s;
  figures.compute_s = epoch.compute_s;
  figures.stall_s = epoch.stall_s + epoch.start_s;
  figures.energy_j = epoch.energy_j + config.base_w * epoch.start_s;
  figures.power_w = figures.energy_j / figures.time_s;
  figures.cached_share = 1 - pipeline::miss_share(config, 1);
  return figures;
}

// Loads and clocks.
double QuantityOf::of_parts(Q quantity, const Setting& setting) {
  const twin::Breakdown at = breakdown(setting);
  const twin::Twin& twin = twin_of_(setting.board);
  if (quantity == Q::kGpuBusy) return at.gpu_load;
  if (quantity == Q::kGpuClock) {
    return at.clocks.has(Knob::kGpuClock) ? at.clocks.gpu_clock_hz : twin.gpu_clock_hz;
  }
  const double cores = at.clocks.has(Knob::kCpuCores) ? at.clocks.cpu_cores : twin.cpu_cores;
  return (at.load_cpu_s + at.launch_cpu_s) / (cores * at.total.period_s);
}

// Quantities of the model file, and whether the model fits the board.
double QuantityOf::of_model(Q quantity, const Setting& setting) {
  if (quantity == Q::kFits) return model(setting).fits_memory(setting.batch) ? 1 : 0;
  const auto cost = workload(setting).at(1);
  if (quantity == Q::kParameters) return cost->parameter_count;
  if (quantity == Q::kFlop) return cost->work_flop();
  double macs = 0;
  for (const auto& kernel : cost->kernels) macs += kernel.macs;
  return macs;
}

double QuantityOf::operator()(Q quantity, const Setting& setting) {
  if (quantity >= Q::kCores) return of_board(quantity, load_board(setting.board));
  if (quantity >= Q::kFits) return of_model(quantity, setting);
  if (quantity >= Q::kGpuBusy) return of_parts(quantity, setting);
  const double idle_w = twin::idle_power_w(twin_of_(setting.board), setting.mode);
  if (quantity == Q::kIdlePower) return idle_w;
  const Figures figures = setting.data ? of_epoch(setting) : of_minibatches(setting);
  if (quantity == Q::kStallShare) return figures.stall_s / figures.time_s;
  if (quantity == Q::kIdleShare) return idle_w / figures.power_w;
  static constexpr std::pair<Q, double Figures::*> kFigures[] = {
      {Q::kTime, &Figures::time_s},   {Q::kCompute, &Figures::compute_s},
      {Q::kStall, &Figures::stall_s}, {Q::kEnergy, &Figures::energy_j},
      {Q::kPower, &Figures::power_w}, {Q::kCachedShare, &Figures::cached_share}};
  const auto* found = std::find_if(std::begin(kFigures), std::end(kFigures),
                                   [&](const auto& one) { return one.first == quantity; });
  return figures.*(found->second);
}

}  // namespace ridgewatt::evaluate
