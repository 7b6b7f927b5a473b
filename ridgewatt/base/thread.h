// Threads that the system may refuse: then the error says so, and no thread is left running.
//
//   ThreadGroup threads;                         // its end waits for all of them
//   for (int i = 0; i < count; ++i) threads.add([&] { work(); });
//   std::thread watch = quiet_thread([&] { look(); });
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace ridgewatt {

// IoError where the system starts no further thread.
std::thread start_thread(std::function<void()> work);
// The same for a thread that no signal reaches: signals are for the main thread.
std::thread quiet_thread(std::function<void()> work);

class ThreadGroup {
 public:
  ThreadGroup() = default;
  ~ThreadGroup() { join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  void add(std::function<void()> work);  // IoError, see start_thread
  void join();
  std::size_t size() const { return threads_.size(); }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace ridgewatt
