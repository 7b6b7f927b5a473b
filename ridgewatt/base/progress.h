// Shows the progress of long work on standard error, with the remaining time: a line that is
// redrawn on a terminal, or a new line every ten seconds otherwise. A caller of the library can
// observe long work and end it:
//
//   const WatchedWork watched([&](const WorkStep&) { if (stop) throw Interrupted(); });
//   const TuneAnswer found = tune_on_sweep(question, rows);
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ridgewatt/base/clock.h"

namespace ridgewatt {

// Progress of long work. `label` is empty in calls by check_work(), which only ask whether to
// continue.
struct WorkStep {
  const std::string& label;
  std::size_t done = 0, total = 0;
  const std::string& note;
};

// During the lifetime of this object, long work of this thread calls `watch` at each step, and at
// least every 0.2 s while it waits. An exception from `watch` ends the work: no half-written file
// remains, and changed settings are restored. Work shared with other threads ends after the calls
// already begun.
class WatchedWork {
 public:
  using Watch = std::function<void(const WorkStep&)>;
  explicit WatchedWork(Watch watch);
  ~WatchedWork();
  WatchedWork(const WatchedWork&) = delete;
  WatchedWork& operator=(const WatchedWork&) = delete;

  // Calls the watch that was active before this one, if any.
  void pass_on(const WorkStep& step) const;

 private:
  Watch watch_;
  const Watch* before_;
};

// Long work calls tell_work() to report a step, and check_work() to ask whether to continue. Both
// rethrow exceptions that the watch of this thread throws.
void tell_work(const WorkStep& step);
void check_work();

class Progress {
 public:
  // `total`: number of steps. `label`: name of the work.
  Progress(std::string label, std::size_t total, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done`: number of finished steps. `note`: the current step, as text. Draws at most 10 times per
  // second, so it can be called often. Rethrows exceptions that the watch of this thread throws.
  void update(std::size_t done, const std::string& note = "");

 private:
  void clear_line();

  std::string label_;
  std::size_t total_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Stopwatch begun_;
  Stopwatch drawn_last_;
};

}  // namespace ridgewatt
