// Starts threads. If the system refuses a thread, throws an error and leaves no thread running.
//
//   ThreadGroup threads;                         // the destructor joins all threads
//   for (int i = 0; i < count; ++i) threads.add([&] { work(); });
//   std::thread watch = quiet_thread([&] { look(); });
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace ridgewatt {

// Starts a thread. Throws IoError if the system refuses it.
std::thread start_thread(std::function<void()> work);
// Starts a thread with all signals blocked, so that the main thread receives them.
std::thread quiet_thread(std::function<void()> work);

// Threads that are joined together. The destructor joins them.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ~ThreadGroup() { join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  void add(std::function<void()> work);  // throws IoError, see start_thread()
  void join();
  std::size_t size() const { return threads_.size(); }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace ridgewatt
