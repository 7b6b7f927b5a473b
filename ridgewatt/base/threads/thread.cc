#include "ridgewatt/base/thread.h"

#include <pthread.h>

#include <csignal>
#include <system_error>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_thread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    throw IoError("cannot start a thread", error.code().message(),
                  "free memory, or raise the limits of memory and processes");
  }
}

std::thread quiet_thread(std::function<void()> work) {
  const AllSignalsBlocked blocked;  // a new thread inherits the blocked signals
  return start_thread(std::move(work));
}

void ThreadGroup::add(std::function<void()> work) {
  threads_.emplace_back();
  try {
    threads_.back() = start_thread(std::move(work));
  } catch (...) {
    threads_.pop_back();
    throw;
  }
}

void ThreadGroup::join() {
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace ridgewatt
