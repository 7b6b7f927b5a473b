// Functions that check single signs of signs.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ridgewatt/answer/explain/signs.h"

namespace ridgewatt::answer {

// The observed form of a sign, as text. Absent: the sign cannot be observed. Empty: it was not
// present.
using Look = std::optional<std::string>;

inline Look shown_if(bool shown, std::string text) {
  return shown ? std::move(text) : std::string();
}

// Clocks and limits.
Look low_gpu_clock(const SignContext& of);
Look low_gpu_clock_under_load(const SignContext& of);
Look low_gpu_clock_at_rest(const SignContext& of);
Look low_cpu_clock(const SignContext& of);
Look low_memory_clock(const SignContext& of);
Look very_low_gpu_clock(const SignContext& of);
Look rests_at_level(const SignContext& of);
Look cpu_is_lowest(const SignContext& of);
Look higher_clock(const SignContext& of);
Look another_preset(const SignContext& of);

// Main thread, libraries and files of a program that computes on the CPU.
Look main_thread_idles(const SignContext& of);
Look computes_outside(const SignContext& of);
Look touches_input_again(const SignContext& of);
Look runs_otherwise(const SignContext& of);
Look writes_profile(const SignContext& of);
Look workers_compute(const SignContext& of);
Look reads_storage(const SignContext& of);
Look minibatches_differ(const SignContext& of);
Look cores_work(const SignContext& of);

// Layers of a profile.
Look layers_on_cpu(const SignContext& of);
Look layers_copied_to_host(const SignContext& of);
Look layers_reformatted(const SignContext& of);
Look layers_in_other_precision(const SignContext& of);
Look layers_not_fused(const SignContext& of);
Look profile_of_other_runtime(const SignContext& of);
Look time_outside_of_layers(const SignContext& of);

}  // namespace ridgewatt::answer
