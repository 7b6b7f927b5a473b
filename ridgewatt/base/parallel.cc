#include "ridgewatt/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "ridgewatt/base/progress.h"

namespace ridgewatt {

int available_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body, int threads) {
  const std::size_t workers =
      std::min(count, static_cast<std::size_t>(threads > 0 ? threads : available_threads()));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) {
      check_work();
      body(i);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed_at = count;
  std::exception_ptr failure, ended;
  const auto guarded = [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < failed_at) failed_at = i, failure = std::current_exception();
    }
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) guarded(i);
  };
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(work);
  for (std::size_t i = next++; i < count; i = next++) {
    try {
      check_work();
    } catch (...) {
      ended = std::current_exception();
      next = count;
      break;
    }
    guarded(i);
  }
  for (auto& thread : pool) thread.join();
  if (ended) std::rethrow_exception(ended);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ridgewatt
