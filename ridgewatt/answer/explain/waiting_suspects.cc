// Causes that make the GPU wait.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/explain/predictions.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {

// A share of the work runs on the CPU, at a third of its peak.
Predictions cpu_fallback(const ExplainCase& of) {
  constexpr std::array kShares = {0.05, 0.1, 0.25, 0.5, 1.0};
  constexpr double kEfficiency = 0.3;  // chosen: CPU providers reach 20 to 50 % of the peak
  const double peak = cpu_peak_flop_per_s(of.board, of.mode);
  Predictions found;
  const double now_s = of.expected.total.period_s;
  if (const FaultyLayers* layers = of.faulty(LayerFault::kOnCpu)) {
    const double busy = std::max(0.0, 1 - layers->expected_s / now_s);
    found.push_back(
        waiting(of, busy * now_s + of.unclaimed(layers->time_s), busy, 0.15, "as profiled"));
    found.back().adds = true;
    return found;
  }
  const double on_cpu_s = of.unclaimed(of.cost().work_flop() / (kEfficiency * peak));
  if (peak <= 0) return found;
  for (const double share : kShares) {
    const double time_s = (1 - share) * of.expected.total.period_s + share * on_cpu_s;
    if (time_s < kNoticeable * of.expected.total.period_s) continue;
    found.push_back(waiting(of, time_s, 1 - share, 0.5, share == 1 ? "" : "in part"));
    found.back().adds = true;
    found.back().weight = share == 1 ? 2 : 1;
  }
  return found;
}

namespace {

// On the processor: adds the time in which the main thread computes outside of the runtime, as a
// watched run showed. No predictions if that is little. Empty if it was not seen.
std::optional<Predictions> with_seen_outside(const ExplainCase& of) {
  if (!is_on_cpu(of.model->twin().runtime) || !of.question.seen) return {};
  const auto share = share_outside(*of.question.seen);
  if (!share) return {};
  Predictions found;
  if (*share < kOutsideShare) return found;
  constexpr double kMost = 0.97;
  const double now_s = of.expected.total.period_s;
  found.push_back(increased(of, now_s / (1 - std::min(kMost, *share)) - now_s, 0.15, "as seen"));
  return found;
}

}  // namespace

// Input and output are copied on each call.
Predictions host_copy(const ExplainCase& of) {
  constexpr double kBytesPerS = 4e9;  // chosen: unpinned copies of public boards, 2 to 8 GB/s
  constexpr double kCallS = 100e-6;   // chosen: two synchronous copies
  if (const auto seen = with_seen_outside(of)) return *seen;
  constexpr std::array kTimes = {1.0, 2.5, 6.0};
  const double once_s = of.unclaimed(of.cost().input_bytes / kBytesPerS + kCallS);
  Predictions found;
  if (const FaultyLayers* copies = of.faulty(LayerFault::kHostCopy)) {
    found.push_back(increased(of, of.unclaimed(copies->time_s), 0.1, "as profiled"));
    return found;
  }
  for (const double times : kTimes) {
    if (!differs(of, of.expected.total.period_s + times * once_s)) continue;
    found.push_back(increased(of, times * once_s, 0.2));
  }
  return found;
}

// Decoding, resizing, suppression of boxes and drawing take milliseconds per picture on a CPU.
Predictions pre_post_processing(const ExplainCase& of) {
  constexpr std::array kPerSampleS = {1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 40e-3};
  constexpr double kMarksLeaveOut = 0.5;  // chosen: weight relative to marks that include this work
  if (const auto seen = with_seen_outside(of)) return *seen;
  Predictions found;
  const double now_s = of.expected.total.period_s;
  for (const double one : kPerSampleS) {
    const double more_s = of.unclaimed(one * of.batch);
    if (!differs(of, now_s + more_s)) continue;
    found.push_back(increased(of, more_s, 0.2));
    // Marks around the model alone exclude this work.
    found.push_back(found.back());
    found.back().prognosis.stated = found.back().prognosis.time_s / now_s;
    found.back().weight = kMarksLeaveOut;
  }
  return found;
}

// A Python program calls the engine, although a faster caller was assumed.
Predictions python_caller(const ExplainCase& of) {
  const twin::Twin& engine = of.model->twin();
  const double now_s = engine.call_s(of.question.run.caller, of.mode);
  Predictions found;
  for (const auto caller : {twin::EngineCaller::kThinPython, twin::EngineCaller::kFramework}) {
    const double more_s = of.unclaimed(engine.call_s(caller, of.mode) - now_s);
    if (more_s <= 0 || !differs(of, of.expected.total.period_s + more_s)) continue;
    found.push_back(increased(of, more_s, 0.1, std::string(name_of(caller))));
  }
  return found;
}

Predictions memory_pressure(const ExplainCase& of) {
  constexpr double kFull = 0.7;  // chosen: other programs use the rest
  const auto memory = of.model->memory(of.batch);
  const bool watched = of.question.seen && of.question.seen->swap_bytes_per_s;  // signs show it
  if (memory.needed_bytes() < kFull * memory.free_bytes() && !watched) return {};
  return multiplied(of, std::array{1.5, 3.0, 8.0}, 0.4, GpuThen::kWaits);
}

// Another program uses the GPU or the memory, which takes 1.35 to 3 times the time in public
// measurements, or it uses the cores that this program needs.
Predictions contention(const ExplainCase& of) {
  constexpr std::array kFactors = {1.35, 1.65, 2.0, 3.0};
  Predictions found = multiplied(of, kFactors, 0.15, GpuThen::kIsShared);
  const Predictions on_cpu = multiplied(of, kFactors, 0.15, GpuThen::kWaits);
  found.insert(found.end(), on_cpu.begin(), on_cpu.end());
  return found;
}

namespace {

bool loads_data(const ExplainCase& of) {
  return of.workload->options().kind == WorkloadKind::kTraining ||
         of.question.run.loader_s_per_sample;
}

bool lacks_data(const ExplainCase& of) {
  return seen_value(of, &measure::SeenRun::fetch_share) > kFetchShare;
}
bool lacks_storage(const ExplainCase& of) {
  return seen_value(of, &measure::SeenRun::io_wait_share) > kIoWaitShare;
}

}  // namespace

// The program runs on fewer cores than the mode has, or with the wrong number of threads. The twin
// predicts the effect of fewer cores. Other effects are added if a watched run shows them.
Predictions threads(const ExplainCase& of) {
  Predictions found;
  for (int cores = 1; cores < of.mode.cpu_cores; ++cores) {
    PowerMode fewer = of.mode;
    fewer.cpu_cores = cores;
    Prognosis there = of.in_mode(fewer, counted(cores, "core"), of.sms());
    if (differs(of, there.time_s)) found.push_back({1, std::move(there), 0.05});
  }
  if (!of.question.seen) return found;
  Predictions other = multiplied(of, std::array{1.5, 2.5}, 0.3, GpuThen::kWaits);
  for (Prediction& one : other) {
    // Both kinds together are equally probable.
    one.weight = std::max<double>(1, static_cast<double>(found.size())) / std::size(other);
    one.prognosis.setting = "the wrong number of threads";
  }
  found.insert(found.end(), other.begin(), other.end());
  return found;
}

// A control group limits the program to a share of the CPU time that it needs: for launches, or for
// the whole run if it spins.
Predictions cpu_quota(const ExplainCase& of) {
  constexpr std::array kShares = {0.1, 0.25, 0.5, 0.75};
  constexpr double kOften = 0.03;  // chosen: share of its periods
  const double cores = seen_value(of, &measure::SeenRun::quota_cores);
  if (is_on_cpu(of.model->twin().runtime) && cores > 0 && cores < of.mode.cpu_cores &&
      seen_value(of, &measure::SeenRun::quota_wait_share) > kOften) {
    const double factor = of.mode.cpu_cores / cores;
    return multiplied(of, std::array{factor, 1.3 * factor}, 0.15, GpuThen::kWaits);
  }
  const double on_cpu_s = of.expected.launch_cpu_s + of.expected.load_cpu_s;
  Predictions found;
  for (const double share : kShares) {
    for (const double needed_s : {on_cpu_s, of.expected.total.period_s}) {
      const double more_s = needed_s * (1 / share - 1);
      if (!differs(of, of.expected.total.period_s + more_s)) continue;
      found.push_back(increased(of, more_s, 0.2, format_exact(100 * share) + " %"));
      if (needed_s < of.expected.total.period_s) continue;
      found.back().adds = false;
      found.back().scales = true;
    }
  }
  return found;
}

namespace {

// The time if the program waits for this share of it, or for more, because only a part of the
// waiting is seen. The share is of the program's whole time.
Predictions with_seen_stall(const ExplainCase& of, double share, std::array<double, 3> of_seen) {
  constexpr double kMost = 0.97;
  const double busy_s = of.expected.total.period_s - of.expected.total.stall_s();
  Predictions found;
  for (const double times : of_seen) {
    const double time_s = busy_s / (1 - std::min(kMost, times * share));
    found.push_back(increased(of, time_s - of.expected.total.period_s, 0.1, "as seen"));
    found.back().adds = false;
    found.back().scales = true;
  }
  return found;
}

Predictions with_seen_fetch(const ExplainCase& of) {
  constexpr std::array kOfMarked = {1.0, 1.1, 1.3};  // chosen
  if (!lacks_data(of)) return {};
  return with_seen_stall(of, seen_value(of, &measure::SeenRun::fetch_share), kOfMarked);
}

}  // namespace

// On the processor: the share of time in which the main thread was idle. Empty if it was not seen.
std::optional<Predictions> with_seen_idle(const ExplainCase& of) {
  if (!is_on_cpu(of.model->twin().runtime) || !of.question.seen) return {};
  const auto& idle = of.question.seen->main_idle;
  if (!idle) return {};
  if (*idle < kIdleShare) return Predictions();
  return with_seen_stall(of, *idle, {0.9, 1.0, 1.1});
}

// On the processor: workers of the loader use cores that the model needs, as a watched run showed.
Predictions with_seen_workers(const ExplainCase& of) {
  const double workers = seen_value(of, &measure::SeenRun::worker_cores);
  const double cores = of.mode.cpu_cores;
  if (!is_on_cpu(of.model->twin().runtime) || workers <= kWorkerShare * cores) return {};
  // chosen: shares that the model keeps at least, of its cores and of the core of its slowest
  // thread
  constexpr double kOfCores = 0.25, kOfCore = 0.5;
  const double evenly = 1 / std::max(kOfCores, 1 - workers / cores);
  const double slowest = 1 / std::max(kOfCore, 1 - workers);
  Predictions found =
      multiplied(of, std::array{evenly, std::max(evenly, slowest)}, 0.2, GpuThen::kWaits);
  for (Prediction& one : found) one.prognosis.setting = "workers on the same cores";
  return found;
}

// Fewer loader workers than stated, or a loader about which nothing is known.
Predictions loader(const ExplainCase& of) {
  const Predictions workers = with_seen_workers(of);
  const auto with_workers = [&](Predictions found) {
    found.insert(found.end(), workers.begin(), workers.end());
    return found;
  };
  if (of.question.seen && of.question.seen->fetch_share) return with_workers(with_seen_fetch(of));
  if (const auto idle = with_seen_idle(of)) return with_workers(*idle);
  if (!loads_data(of)) {
    if (!of.question.seen) return {};
    Predictions found = multiplied(of, std::array{1.3, 2.0, 4.0}, 0.3, GpuThen::kWaits);
    for (auto& one : found) one.prognosis.setting = "too few workers";
    return found;
  }
  Predictions found;
  for (const int workers : {0, 1, 2}) {
    if (workers >= of.question.run.loader_workers) break;
    twin::RunOptions run = of.question.run;
    run.loader_workers = workers;
    const auto there = of.model->estimator(of.batch).breakdown(of.mode, run);
    if (!differs(of, there.total.period_s)) continue;
    found.push_back({1, prognosis_of(there, std::to_string(workers) + " workers"), 0.15});
  }
  return found;
}

Predictions storage(const ExplainCase& of) {
  if (of.question.seen && of.question.seen->fetch_share) return with_seen_fetch(of);
  if (lacks_storage(of)) {
    constexpr std::array kOfThread = {1.0, 1.3, 1.7};  // chosen: other threads wait, too
    return with_seen_stall(of, seen_value(of, &measure::SeenRun::io_wait_share), kOfThread);
  }
  if (!loads_data(of)) return {};
  return multiplied(of, std::array{1.5, 2.5, 5.0}, 0.3, GpuThen::kWaits);
}

}  // namespace ridgewatt::answer
