#include "ridgewatt/twin/feed.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/numerics/soft_maximum.h"

namespace ridgewatt::twin {
namespace {

constexpr int kCorner = 6;  // order of the soft maximum; rounds the corner slightly
// Four cores instead of eight lengthen the stalls of three networks by 21 to 24 % with four workers
// (AGX Xavier, modes a and b of Prashanthi et al., SIGMETRICS 2023, section 5.6.5).
constexpr double kCrowding = 0.7;

}  // namespace

double hand_over_turns(double cores) {
  return std::max(1.0, kHandOverThreads / cores);
}

double crowded_hand_over(int workers, double cores) {
  // Main process, workers, and the thread that pins memory. Eight workers instead of four do not
  // lengthen the stall on six cores (Xavier NX, section 5.1.6).
  const double threads = std::min(workers, 4) + 2;
  const double missing = std::max(0.0, 1 - cores / threads);
  return std::max(hand_over_turns(cores), 1 + kCrowding * missing);
}

double FeedBounds::period_s(bool rounded) const {
  const double delivery_s = std::max({workers_s, cores_s, storage_s});
  if (serial_s > 0 || delivery_s == 0) return serial_s + main_s;
  return rounded ? soft_maximum(main_s, delivery_s, kCorner) : std::max(main_s, delivery_s);
}

FeedBounds feed_bounds(const FeedTimes& times) {
  FeedBounds bounds;
  const double load_s = times.fetch_s + times.preprocess_s;
  if (times.workers == 0) {
    bounds.serial_s = load_s + times.main_s;
    return bounds;
  }
  const double workers = times.workers;
  bounds.main_s = times.main_s;
  bounds.workers_s = load_s / workers;
  bounds.cores_s = times.preprocess_s / std::min(workers, times.cores);
  // With a core for each process, this bound is implied: (P + M) / (w + 1) is between P / w and M.
  if (times.preprocess_s > 0 && times.cores < workers + 1) {
    bounds.cores_s =
        std::max(bounds.cores_s, (times.preprocess_s + times.main_cpu_s) / times.cores);
  }
  bounds.storage_s = times.fetch_s / std::min<double>(workers, times.streams);
  return bounds;
}

}  // namespace ridgewatt::twin
