// A worker whose minibatches consist of bursts of work on one core, with waits between them, both
// of given length. Several such workers on one core (taskset) share this core as their device. The
// waits represent the time that a real program spends elsewhere: host, data, network.
//
//   load_worker compute|memory|mixed BUSY_MS WAIT_MS [BURSTS]   $RIDGEWATT_SOCKET, $RIDGEWATT_NAME
//   load_worker - compute|memory|mixed BUSY_MS WAIT_MS [BURSTS] runs alone for 2 s and prints
//                                                               the ms of a minibatch, share busy
//
// compute: matrix products that fit the caches; memory: sums over 64 MiB; mixed: half of each. The
// work of a burst is calibrated once at the start, in processor time, and does not change.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "include/ridgewatt_worker.h"

namespace {

double clock_s(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double wall_s() {
  return clock_s(CLOCK_MONOTONIC);
}
double busy_s() {
  return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

class Load {
 public:
  Load(const std::string& kind, double busy_ms, double wait_ms, int bursts)
      : bursts_(bursts), wait_s_(wait_ms / 1e3 / bursts) {
    if (kind != "memory") matrix_ = Eigen::MatrixXf::Random(96, 96) * 0.01F;
    if (kind != "compute") memory_.assign(kBytes / sizeof(float), 1.0F);
    for (int i = 0; i < 50; ++i) unit();  // warms up caches and clocks
    // The median excludes units that were interrupted.
    std::vector<double> units_s;
    for (int i = 0; i < 101; ++i) {
      const double before_s = busy_s();
      unit();
      units_s.push_back(busy_s() - before_s);
    }
    std::nth_element(units_s.begin(), units_s.begin() + 50, units_s.end());
    units_ = std::max(1, static_cast<int>(std::lround(busy_ms / 1e3 / bursts / units_s[50])));
  }

  void minibatch() {
    for (int burst = 0; burst < bursts_; ++burst) {
      for (int i = 0; i < units_; ++i) unit();
      if (wait_s_ <= 0) continue;
      timespec wait{
          static_cast<time_t>(wait_s_),
          static_cast<long>((wait_s_ - static_cast<double>(static_cast<time_t>(wait_s_))) * 1e9)};
      nanosleep(&wait, nullptr);
    }
  }

 private:
  static constexpr std::size_t kBytes = 64 << 20, kPiece = 1 << 17;

  // A unit of work, which takes tens of microseconds.
  void unit() {
    if (matrix_.size() > 0) result_.noalias() = matrix_ * matrix_;
    if (memory_.empty()) return;
    const auto from = memory_.begin() + static_cast<std::ptrdiff_t>(at_);
    sum_ = sum_ + std::accumulate(from, from + kPiece, 0.0F);
    at_ = (at_ + kPiece) % memory_.size();
  }

  int bursts_, units_ = 1;
  double wait_s_;
  Eigen::MatrixXf matrix_, result_;
  std::vector<float> memory_;
  std::size_t at_ = 0;
  volatile float sum_ = 0;
};

int describe(Load& load) {
  for (int i = 0; i < 3; ++i) load.minibatch();
  const double begin_s = wall_s(), begin_busy_s = busy_s();
  int count = 0;
  while (wall_s() < begin_s + 2) load.minibatch(), ++count;
  const double lasted_s = wall_s() - begin_s;
  std::printf("%.6f %.6f\n", 1e3 * lasted_s / count, (busy_s() - begin_busy_s) / lasted_s);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int first = argc > 1 && std::strcmp(argv[1], "-") == 0 ? 2 : 1;
  const std::string kind = argc > first ? argv[first] : "";
  const double busy_ms = argc > first + 1 ? std::atof(argv[first + 1]) : 0;
  const double wait_ms = argc > first + 2 ? std::atof(argv[first + 2]) : -1;
  const int bursts = argc > first + 3 ? std::atoi(argv[first + 3]) : 1;
  if ((kind != "compute" && kind != "memory" && kind != "mixed") || !(busy_ms > 0) ||
      !(wait_ms >= 0) || bursts < 1) {
    std::fprintf(stderr, "usage: %s [-] compute|memory|mixed BUSY_MS WAIT_MS [BURSTS]\n", argv[0]);
    return 2;
  }
  Load load(kind, busy_ms, wait_ms, bursts);
  if (first == 2) return describe(load);
  const char* name = std::getenv("RIDGEWATT_NAME");
  ridgewatt_worker worker;
  if (ridgewatt_worker_connect(&worker, nullptr, "training", name != nullptr ? name : "load") !=
      0) {
    std::perror("load_worker");
    return 1;
  }
  while (ridgewatt_worker_begin(&worker) == 0) {
    load.minibatch();
    if (ridgewatt_worker_end(&worker) != 0) break;
  }
  return 0;
}
