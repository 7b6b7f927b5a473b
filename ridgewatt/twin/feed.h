// Computes the period of training (the time from one minibatch to the next) from the times of data
// loading and of the main process. Used by the twin (estimate.h) and by the model of the training
// pipeline.
//
//   const FeedBounds bounds = feed_bounds({.workers = 4, .cores = 8, .main_s = 0.02, ..});
//   const double period_s = bounds.period_s(true);
//
// Per minibatch, fetching takes F seconds, preprocessing P seconds on a core, and the main process
// T seconds, M of them on a core. Without workers, the period is F + P + T. With w >= 1 workers,
// each of these terms is a lower bound of the period (Denning and Buzen, Computing Surveys 10(3),
// 1978):
//   T,  (F + P) / w,  P / min(w, cores),  F / min(w, streams),  (P + M) / cores
// The last term applies only if there are fewer cores than processes (w + 1).
#pragma once

namespace ridgewatt::twin {

// Number of threads that need a core when a minibatch is handed over: the main process, the worker
// that starts its next minibatch, and the thread that pins memory or collects minibatches. With
// fewer cores they run one after the other.
inline constexpr int kHandOverThreads = 3;

// Factors on the time of a hand-over: if only its threads take turns on `cores` cores, and if they
// also wait for the cores on which `workers` workers prepare minibatches.
double hand_over_turns(double cores);
double crowded_hand_over(int workers, double cores);

struct FeedTimes {
  int workers = 0;
  double cores = 1;
  int streams = 64;  // number of readers that storage serves in parallel
  double fetch_s = 0;
  double preprocess_s = 0;  // CPU time of a worker
  double main_s = 0;        // main process: hand-over, launches and computation
  double main_cpu_s = 0;    // part of main_s that needs a core
};

// Lower bounds of the period, in seconds. Without workers, only `serial_s` is set.
struct FeedBounds {
  double serial_s = 0;
  double main_s = 0;
  double workers_s = 0;
  double cores_s = 0;
  double storage_s = 0;

  // The period: the longest of the bounds. If `rounded`, the corner between main_s and the longest
  // bound of delivery is smoothed as (main^6 + delivery^6)^(1/6), because both times vary.
  double period_s(bool rounded) const;
};

FeedBounds feed_bounds(const FeedTimes& times);

}  // namespace ridgewatt::twin
