#include "ridgewatt/twin/feed.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/numerics/soft_maximum.h"

namespace ridgewatt::twin {
namespace {

constexpr int kCorner = 6;  // order of the soft maximum; rounds the corner slightly

}  // namespace

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
