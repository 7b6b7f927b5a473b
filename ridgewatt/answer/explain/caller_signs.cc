// Signs in what the main thread of a program does, if the model runs on the processor. With a GPU,
// the main thread only waits for it.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/explain/sign_looks.h"
#include "ridgewatt/base/sentence.h"

namespace ridgewatt::answer {
namespace {

bool on_processor(const SignContext& of) {
  return of.busy_cores > 0;
}

bool has_library(const SignContext& of) {
  const auto& names = of.seen.libraries;
  return names && std::find(names->begin(), names->end(), of.library) != names->end();
}

}  // namespace

Look main_thread_idles(const SignContext& of) {
  if (!on_processor(of) || !of.main_computes || !of.seen.main_idle) return {};
  return shown_if(
      *of.seen.main_idle > of.fetch_share + kIdleShare,
      fmt::format("its main thread neither computes nor waits for a core in {:.0f} % of the time",
                  100 * *of.seen.main_idle));
}

Look computes_outside(const SignContext& of) {
  const auto share = share_outside(of.seen);
  if (!on_processor(of) || !share || !has_library(of)) return {};
  return shown_if(*share > kOutsideShare,
                  fmt::format("its main thread computes outside of {} in {:.0f} % of the time",
                              of.library, 100 * *share));
}

// For a program that computes outside of the runtime. A copy of the input is written to new memory.
// The events of a profiler are, too, so a run with a profiler is excluded.
Look touches_input_again(const SignContext& of) {
  constexpr double kTimes = 0.9;  // chosen
  const auto share = share_outside(of.seen);
  if (!on_processor(of) || !share || *share < kOutsideShare || !of.seen.touched_bytes_per_s) {
    return {};
  }
  if (!(of.input_bytes > 0) || of.seen.profile_files.value_or(0) > 0) return {};
  const double bytes = *of.seen.touched_bytes_per_s * of.seen.marked_s.value_or(of.measured_s);
  return shown_if(bytes > kTimes * of.input_bytes,
                  sentence("{:.3g} MB of new memory per minibatch, for an input of {:.3g} MB",
                           bytes / 1e6, of.input_bytes / 1e6));
}

Look runs_otherwise(const SignContext& of) {
  if (!on_processor(of) || !of.seen.libraries || of.library.empty()) return {};
  return shown_if(!has_library(of), fmt::format("{} is not loaded", of.library));
}

Look writes_profile(const SignContext& of) {
  if (!of.seen.profile_files) return {};
  return shown_if(*of.seen.profile_files > 0, "it writes its own profile");
}

Look workers_compute(const SignContext& of) {
  if (!on_processor(of) || !of.main_computes || !of.seen.worker_cores) return {};
  return shown_if(*of.seen.worker_cores > kWorkerShare * of.busy_cores,
                  sentence("its child processes and threads outside of {} use {:.2g} of {:.0f} "
                           "cores",
                           of.library, *of.seen.worker_cores, of.busy_cores));
}

Look reads_storage(const SignContext& of) {
  constexpr double kMuchBytesPerS = 20e6;  // chosen
  if (!on_processor(of) || !of.seen.storage_bytes_per_s) return {};
  return shown_if(*of.seen.storage_bytes_per_s > kMuchBytesPerS,
                  sentence("reads {:.3g} MB/s from storage", *of.seen.storage_bytes_per_s / 1e6));
}

Look minibatches_differ(const SignContext& of) {
  constexpr double kTimes = 1.6;  // chosen
  if (!on_processor(of) || !of.seen.time_ratio) return {};
  return shown_if(
      *of.seen.time_ratio > kTimes,
      sentence(
          "the slowest tenth of its minibatches takes {:.2g} times as long as the fastest tenth",
          *of.seen.time_ratio));
}

Look cores_work(const SignContext& of) {
  constexpr double kMost = 0.85;  // chosen
  if (!on_processor(of) || of.busy_cores < 2 || !of.seen.program_cores) return {};
  return shown_if(*of.seen.program_cores > kMost * of.busy_cores,
                  sentence("uses {:.2g} of {:.0f} cores", *of.seen.program_cores, of.busy_cores));
}

}  // namespace ridgewatt::answer
