// Signs in a profile of layers.
#include <fmt/format.h>

#include "ridgewatt/answer/explain/sign_looks.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"

namespace ridgewatt::answer {
namespace {

constexpr double kMsPerS = 1e3;

// Whether layers with this fault take more than `least` of the time of all layers. For copies, the
// time that the runtime is expected to need for them is subtracted.
Look layers_with(const SignContext& of, LayerFault fault, double least, std::string_view what) {
  if (of.profile == nullptr || !of.profile->faults[fault]) return {};
  const FaultyLayers& layers = *of.profile->faults[fault];
  const double expected_s = fault == LayerFault::kReformat ? layers.expected_s : 0;
  return shown_if(layers.time_s - expected_s > least * of.profile->layers_s,
                  sentence("{} of {} {} take {:.3g} ms of {:.3g} ms, {} {:.3g} ms", layers.count,
                           counted(static_cast<std::int64_t>(of.profile->count), "layer"), what,
                           kMsPerS * layers.time_s, kMsPerS * of.profile->layers_s, layers.longest,
                           kMsPerS * layers.longest_s));
}

}  // namespace

// The thresholds are chosen: shares that such layers take in normal runs.
Look layers_on_cpu(const SignContext& of) {
  return layers_with(of, LayerFault::kOnCpu, 0.03, "run on the CPU and");
}
Look layers_copied_to_host(const SignContext& of) {
  return layers_with(of, LayerFault::kHostCopy, 0.05, "copy to or from the host and");
}
Look layers_reformatted(const SignContext& of) {
  return layers_with(of, LayerFault::kReformat, 0.15, "copy to another type or layout and");
}
Look layers_in_other_precision(const SignContext& of) {
  return layers_with(of, LayerFault::kPrecision, 0.1, "compute in a wider precision and");
}
Look layers_not_fused(const SignContext& of) {
  return layers_with(of, LayerFault::kUnfused, 0.05,
                     fmt::format("are parts of other kernels in {} and", name_of(of.runtime)));
}

Look profile_of_other_runtime(const SignContext& of) {
  if (of.profile == nullptr || !of.profile->runtime) return {};
  return shown_if(library_of(*of.profile->runtime) != library_of(of.runtime),
                  fmt::format("the profile is of {}, not of {}", name_of(*of.profile->runtime),
                              name_of(of.runtime)));
}

Look time_outside_of_layers(const SignContext& of) {
  constexpr double kMuch = 0.3;  // chosen: share of the measured time
  if (of.profile == nullptr || of.profile->measured || of.profile->on_host) return {};
  const double outside_s = of.measured_s - of.profile->layers_s;
  return shown_if(outside_s > kMuch * of.measured_s,
                  sentence("{:.3g} ms of {:.3g} ms are outside of layers", kMsPerS * outside_s,
                           kMsPerS * of.measured_s));
}

}  // namespace ridgewatt::answer
