// A thread of our own that no signal reaches: signals are for the main thread.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace ridgewatt::measure {

template <typename Function>
std::thread quiet_thread(Function function) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(function));
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

}  // namespace ridgewatt::measure
