// Tunes the calling process in place: it reports its marks by function calls, not through a pipe.
#include <unistd.h>

#include <chrono>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/measure/in_place/board_watch.h"
#include "ridgewatt/measure/live_program.h"

namespace ridgewatt::measure {

void CallerMarks::mark(TimedMark::Kind kind, const std::string& name) {
  const TimedMark mark{kind, name, monotonic_s()};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Bounds the memory if nobody reads the marks (before the run or after its end).
    if (ended_ || marks_.size() >= kMost) return;
    marks_.push_back(mark);
  }
  news_.notify_one();
}

void CallerMarks::end() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  news_.notify_one();
}

bool CallerMarks::wait(double at_most_s, std::vector<TimedMark>& marks) {
  std::unique_lock<std::mutex> lock(mutex_);
  news_.wait_for(lock, std::chrono::duration<double>(at_most_s),
                 [&] { return ended_ || !marks_.empty(); });
  for (auto& mark : marks_) marks.push_back(std::move(mark));
  marks_.clear();
  return !ended_;
}

CallerProgram::CallerProgram(platform::Sysfs& sysfs, platform::JetsonModeControl& control,
                             CallerMarks& marks)
    : control_(control), marks_(marks), board_(std::make_unique<BoardWatch>(sysfs, ::getpid())) {}

CallerProgram::~CallerProgram() = default;

double CallerProgram::now_s() const {
  return monotonic_s();
}

bool CallerProgram::wait(double at_most_s, std::vector<TimedMark>& marks,
                         std::vector<TimedPower>& power) {
  const bool goes_on = marks_.wait(at_most_s, marks);
  board_->drain(power);
  return goes_on;
}

void CallerProgram::set(const PowerMode& mode) {
  control_.apply(mode);
}

TunedProgram::Surroundings CallerProgram::surroundings() {
  return board_->surroundings();
}

bool CallerProgram::tells_means() const {
  return board_->tells_means();
}

}  // namespace ridgewatt::measure
