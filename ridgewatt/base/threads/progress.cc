#include "ridgewatt/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace ridgewatt {
namespace {

thread_local const WatchedWork::Watch* watch_of_thread = nullptr;

std::string format_duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

WatchedWork::WatchedWork(Watch watch) : watch_(std::move(watch)), before_(watch_of_thread) {
  watch_of_thread = &watch_;
}

WatchedWork::~WatchedWork() {
  watch_of_thread = before_;
}

void WatchedWork::pass_on(const WorkStep& step) const {
  if (before_ != nullptr) (*before_)(step);
}

void tell_work(const WorkStep& step) {
  if (watch_of_thread != nullptr) (*watch_of_thread)(step);
}

void check_work() {
  static const std::string kNothing;
  tell_work({kNothing, 0, 0, kNothing});
}

Progress::Progress(std::string label, std::size_t total, bool quiet)
    : label_(std::move(label)),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear_line();
}

void Progress::clear_line() {
  if (terminal_ && drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::update(std::size_t done, const std::string& note) {
  tell_work({label_, done, total_, note});
  if (quiet_) return;
  const double interval_s = terminal_ ? 0.1 : 10;
  if (drawn_last_.s() < interval_s) return;
  drawn_last_.restart();
  std::string line = fmt::format("{}: {} of {}", label_, done, total_);
  if (done > 0 && done <= total_) {
    const double left_s =
        begun_.s() / static_cast<double>(done) * static_cast<double>(total_ - done);
    line += fmt::format(", {} left", format_duration(left_s));
  }
  if (!note.empty()) line += ", " + note;
  clear_line();
  std::fputs((line + (terminal_ ? "" : "\n")).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace ridgewatt
