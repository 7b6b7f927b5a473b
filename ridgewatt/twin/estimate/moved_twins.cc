#include "ridgewatt/twin/estimate/moved_twins.h"

namespace ridgewatt::twin {

using P = TwinParam;

Estimator::Rates::Rates(const Twin& twin, const workload::WorkloadCost& cost)
    : values(twin.values),
      call_cycles(twin.call_cycles),
      graph_kernel_share(twin.graph_kernel_share),
      terms(std::make_shared<const KernelTerms>(twin, cost)) {}

bool Estimator::Rates::same_gpu(const Rates& other) const {
  constexpr P kRead[] = {P::kMemoryBandwidthShare, P::kGpuBytesPerCycle, P::kGpuVoltageRise,
                         P::kGpuVoltageKnee};
  return std::all_of(std::begin(kRead), std::end(kRead),
                     [&](P param) { return (*this)[param] == other[param]; }) &&
         graph_kernel_share == other.graph_kernel_share && *terms == *other.terms;
}

bool Estimator::Rates::same_cpu(const Rates& other) const {
  constexpr P kRead[] = {
      P::kCpuVoltageRise,       P::kCpuVoltageKnee,        P::kLaunchCorePenalty,
      P::kLaunchCycles,         P::kLaunchMemoryCycles,    P::kLaunchFixed,
      P::kHostCyclesPerByte,    P::kHostCyclesPerBatch,    P::kTrainingLoaderCycles,
      P::kInProcessLoaderRatio, P::kInferenceLoaderCycles, P::kCoreWait};
  return std::all_of(std::begin(kRead), std::end(kRead),
                     [&](P param) { return (*this)[param] == other[param]; }) &&
         call_cycles == other.call_cycles &&
         terms->launches_until.back() == other.terms->launches_until.back();
}

std::unique_ptr<Estimator::Moved> Estimator::moved(const Twin& twin) const {
  const Rates rates(twin.changed_by ? twin : on_runtime(twin, cost_->runtime, cost_->kind), *cost_);
  const bool same_gpu = rates.same_gpu(*rates_), same_cpu = rates.same_cpu(*rates_);
  auto moved = std::make_unique<Moved>(Moved{rates, same_gpu, same_cpu, {}});
  if (same_gpu) moved->rates.terms = rates_->terms;
  return moved;
}

std::vector<MinibatchCost> Estimator::at_moved(
    const PowerMode& mode, std::span<const std::unique_ptr<Moved>> twins) const {
  const GpuState& gpu = gpu_state(mode);
  const CpuState cpu = cpu_state(*rates_, mode, options_);
  const Times own = times(*rates_, gpu, cpu);
  const GpuClocks clocks = gpu_clocks(mode);
  std::vector<MinibatchCost> costs;
  costs.reserve(twins.size());
  for (const auto& twin : twins) {
    const GpuState* its_gpu = &gpu;
    if (!twin->same_gpu) {
      auto& state = twin->states[clocks];
      if (!state) state = make_gpu_state(twin->rates, clocks, &gpu);
      its_gpu = state.get();
    }
    const CpuState its_cpu = twin->same_cpu ? cpu : cpu_state(twin->rates, mode, options_);
    const bool same = twin->same_gpu && twin->same_cpu;
    const Times its_times = same ? own : times(twin->rates, *its_gpu, its_cpu);
    costs.push_back(combine(twin->rates, *its_gpu, its_cpu, its_times).total);
  }
  return costs;
}

bool Estimator::keeps_clocks(const PowerMode& mode) const {
  return !twin_.cpu && !twin_.discrete && mode.governor.empty() && twin_.sms_in(mode) == twin_.sms;
}

MovedTwins::MovedTwins(const Estimator& middle, std::span<const Twin> twins)
    : middle_(middle), twins_(twins), whole_(twins.size()) {
  for (const Twin& twin : twins) moved_.push_back(middle.moved(twin));
}

std::vector<MinibatchCost> MovedTwins::operator()(const PowerMode& mode) {
  const bool keeps_clocks = middle_.keeps_clocks(mode);
  std::vector<MinibatchCost> costs =
      keeps_clocks ? middle_.at_moved(mode, moved_) : std::vector<MinibatchCost>(twins_.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (keeps_clocks && !(costs[i].power_w > twins_[i].power_limit_w)) continue;
    if (!whole_[i]) {
      whole_[i] = std::make_unique<const Estimator>(twins_[i], middle_.cost_, middle_.options_);
    }
    costs[i] = (*whole_[i])(mode);
  }
  return costs;
}

}  // namespace ridgewatt::twin
