// Ends an executor in an orderly way on Ctrl+C.
#pragma once

#include <signal.h>
#include <time.h>

#include <atomic>
#include <thread>

#include "ridgewatt/base/thread.h"
#include "ridgewatt/schedule/executor.h"

namespace ridgewatt::schedule {

// While an object of this class exists, SIGINT and SIGTERM stop the executor, which must outlive
// it. The constructor blocks both signals in the calling thread.
class StopOnSignal {
 public:
  explicit StopOnSignal(const Executor& executor) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    thread_ = start_thread([this, &executor] {
      const timespec tick{0, 100'000'000};
      while (!ended_) {
        if (sigtimedwait(&signals_, nullptr, &tick) > 0) executor.stop();
      }
    });
  }
  ~StopOnSignal() {
    ended_ = true;
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  sigset_t signals_{}, before_{};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace ridgewatt::schedule
