// How training is fed: from the times of loading and of the main process to the time from one
// minibatch to the next. The twin (estimate.h) and the training pipeline share it.
//
//   const FeedBounds bounds = feed_bounds({.workers = 4, .cores = 8, .main_s = 0.02, ..});
//   const double period_s = bounds.period_s(true);
//
// Per minibatch, F seconds of fetching, P of preprocessing on a core, T in the main process, M of
// them on a core. Without workers F + P + T follow each other. With w >= 1 workers each bounds the
// pace (Denning and Buzen, Computing Surveys 10(3), 1978):
//   T,  (F + P) / w,  P / min(w, cores),  F / min(w, streams),  (P + M) / cores
// the last where there are fewer cores than processes.
#pragma once

namespace ridgewatt::twin {

// Threads that need a core at the moment of a hand-over: the main process, the worker that it wakes
// for its next minibatch, and the thread that pins or collects. With fewer cores they take turns.
inline constexpr int kHandOverThreads = 3;

struct FeedTimes {
  int workers = 0;
  double cores = 1;
  int streams = 64;  // readers that storage serves at once
  double fetch_s = 0;
  double preprocess_s = 0;  // CPU time of a worker
  double main_s = 0;        // of the main process: hand-over, launching and computing
  double main_cpu_s = 0;    // of it, on a core
};

// What each allows, seconds from one minibatch to the next. Without workers there is `serial_s`
// alone.
struct FeedBounds {
  double serial_s = 0;
  double main_s = 0;
  double workers_s = 0;
  double cores_s = 0;
  double storage_s = 0;

  // From one minibatch to the next: the longest; `rounded`, with the corner between the main
  // process and delivery that times make which vary, (main^6 + delivery^6)^(1/6).
  double period_s(bool rounded) const;
};

FeedBounds feed_bounds(const FeedTimes& times);

}  // namespace ridgewatt::twin
