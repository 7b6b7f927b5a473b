#include "ridgewatt/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/thread.h"

namespace ridgewatt {
namespace {

// Interval at which the calling thread calls check_work() while it waits for other threads.
constexpr std::chrono::milliseconds kLook{100};
// Thrown in other threads by check_work() to end their bodies.
struct EndedByCaller {};

}  // namespace

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
  std::condition_variable ended_one;
  std::size_t failed_at = count, running = workers - 1;
  std::exception_ptr failure, ended;
  std::atomic<bool> stopped{false};
  const auto guarded = [&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < failed_at) failed_at = i, failure = std::current_exception();
    }
  };
  const auto work = [&] {
    const WatchedWork watched([&](const WorkStep&) {
      if (stopped) throw EndedByCaller();
    });
    for (std::size_t i = next++; i < count; i = next++) guarded(i);
    const std::lock_guard lock(mutex);
    --running;
    ended_one.notify_one();
  };
  // An exception from the calling thread's watch ends the work of all threads, whether it is thrown
  // inside a body or between bodies.
  std::optional<WatchedWork> watched;
  watched.emplace([&](const WorkStep& step) {
    try {
      watched->pass_on(step);
    } catch (...) {
      ended = std::current_exception();
      next = count;
      stopped = true;
      throw;
    }
  });
  const auto goes_on = [&] {
    try {
      check_work();
    } catch (...) {  // stored in `ended`
    }
    return !ended;
  };
  ThreadGroup pool;
  try {
    while (pool.size() + 1 < workers) pool.add(work);
  } catch (const IoError&) {  // continue with fewer threads
    const std::lock_guard lock(mutex);
    running -= workers - 1 - pool.size();
  }
  for (std::size_t i = next++; i < count && goes_on(); i = next++) guarded(i);
  {  // keep checking while other threads work
    std::unique_lock lock(mutex);
    while (!ended && !ended_one.wait_for(lock, kLook, [&] { return running == 0; })) {
      lock.unlock();
      goes_on();
      lock.lock();
    }
  }
  pool.join();
  if (ended) std::rethrow_exception(ended);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ridgewatt
