// Signs in the clocks and limits.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/explain/sign_looks.h"

namespace ridgewatt::answer {
namespace {

// The measured clock divided by the clock of the mode. Empty if it was not measured.
std::optional<double> clock_share(const SignContext& of, Knob knob) {
  if (!of.seen.clocks.has(knob) || !of.mode.has(knob)) return {};
  return of.seen.clocks.get(knob) / of.mode.get(knob);
}

Look low_clock(const SignContext& of, Knob knob, const char* name) {
  const auto share = clock_share(of, knob);
  if (!share) return {};
  return shown_if(*share < kLowClock, fmt::format("{} clock {:.0f} of {:.0f} MHz on average", name,
                                                  knob_in_field_unit(of.seen.clocks, knob),
                                                  knob_in_field_unit(of.mode, knob)));
}

// A governor lowers the clock of a GPU that waits, so the meaning of a low clock depends on the
// load.
constexpr double kRestingLoad = 0.5;  // chosen

}  // namespace

Look low_gpu_clock(const SignContext& of) {
  return of.seen.gpu_load ? std::nullopt : low_clock(of, Knob::kGpuClock, "GPU");
}
Look low_gpu_clock_under_load(const SignContext& of) {
  if (!of.seen.gpu_load || *of.seen.gpu_load < kRestingLoad) return {};
  return low_clock(of, Knob::kGpuClock, "GPU");
}
Look low_gpu_clock_at_rest(const SignContext& of) {
  if (!of.seen.gpu_load || *of.seen.gpu_load >= kRestingLoad) return {};
  return low_clock(of, Knob::kGpuClock, "GPU");
}
Look low_cpu_clock(const SignContext& of) {
  return low_clock(of, Knob::kCpuClock, "CPU");
}
Look low_memory_clock(const SignContext& of) {
  return low_clock(of, Knob::kMemClock, "memory");
}

// If the GPU clock is low: throttling keeps at least a third of it.
Look very_low_gpu_clock(const SignContext& of) {
  constexpr double kThird = 0.33;
  const auto share = clock_share(of, Knob::kGpuClock);
  if (!share || *share >= kLowClock) return {};
  return shown_if(*share < kThird, "the GPU clock is below a third of the mode's");
}

// If the GPU clock is low: a locked clock is at a level, while the mean of a throttled one is
// between two.
Look rests_at_level(const SignContext& of) {
  constexpr double kBelow = 0.974, kAbove = 1.01;  // chosen: range of the mean of a locked clock
  const auto share = clock_share(of, Knob::kGpuClock);
  if (!share || *share >= kLowClock || of.gpu_clocks_hz.empty()) return {};
  const double clock_hz = of.seen.clocks.get(Knob::kGpuClock);
  const bool at = std::any_of(of.gpu_clocks_hz.begin(), of.gpu_clocks_hz.end(), [&](double level) {
    return clock_hz > kBelow * level && clock_hz < kAbove * level;
  });
  return shown_if(at, "the GPU clock stays at one level");
}

// If the CPU clock is low: throttling would lower the GPU clock first.
Look cpu_is_lowest(const SignContext& of) {
  constexpr double kLower = 0.8;  // chosen
  const auto cpu = clock_share(of, Knob::kCpuClock), gpu = clock_share(of, Knob::kGpuClock);
  if (!cpu || !gpu || *cpu >= kLowClock) return {};
  return shown_if(*cpu < kLower * *gpu, "the CPU clock is lowered more than that of the GPU");
}

Look higher_clock(const SignContext& of) {
  if (of.seen.clocks == PowerMode{}) return {};
  return shown_if(saw_higher_clock(of.seen, of.mode), "clocks above those of " + of.mode_text);
}

// Whether the limits of the machine differ from those of the mode.
Look another_preset(const SignContext& of) {
  const PowerMode& limits = of.seen.limits;
  if (limits == PowerMode{}) return {};
  bool other = false;
  for (const Knob knob : kKnobs) {
    if (!limits.has(knob) || !of.mode.has(knob)) continue;
    const double ratio = limits.get(knob) / of.mode.get(knob);
    other = other || ratio < kLowClock || ratio > 1 / kLowClock;
  }
  const std::string& preset = of.seen.preset.empty() ? of.preset : of.seen.preset;
  const std::string what =
      preset.empty() ? "its limits are " + describe(limits) : preset + " is active";
  return shown_if(other, what + ", not " + of.mode_text);
}

}  // namespace ridgewatt::answer
