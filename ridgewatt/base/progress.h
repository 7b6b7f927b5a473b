// Progress of long work on standard error: one line that is redrawn on a terminal, with the time
// that is left; a plain line every ten seconds in a log; nothing when quiet. Who calls the library
// can watch long work, and end it:
//
//   const WatchedWork watched([&](const WorkStep&) { if (stop) throw Interrupted(); });
//   const TuneAnswer found = tune_on_sweep(question, rows);
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ridgewatt/base/clock.h"

namespace ridgewatt {

// Where long work stands. Between two steps nothing is known: `label` is empty.
struct WorkStep {
  const std::string& label;
  std::size_t done = 0, total = 0;
  const std::string& note;
};

// While it lives, long work of this thread calls `watch` at every step and at least every 0.2 s
// while it waits. What `watch` throws ends the work: nothing is left half written, and what was set
// is restored. Work that this thread shares with others ends with what they have begun.
class WatchedWork {
 public:
  using Watch = std::function<void(const WorkStep&)>;
  explicit WatchedWork(Watch watch);
  ~WatchedWork();
  WatchedWork(const WatchedWork&) = delete;
  WatchedWork& operator=(const WatchedWork&) = delete;

  // Tells the watch that this one took the place of, if there was one.
  void pass_on(const WorkStep& step) const;

 private:
  Watch watch_;
  const Watch* before_;
};

// Long work says here where it stands, or just asks whether it goes on; throws what the watch of
// this thread throws.
void tell_work(const WorkStep& step);
void check_work();

class Progress {
 public:
  // `total` steps of work called `label`.
  Progress(std::string label, std::size_t total, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` steps are finished; `note` says what is being done now. Cheap: draws at most 10 times a
  // second. Throws what the watch of this thread throws.
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
