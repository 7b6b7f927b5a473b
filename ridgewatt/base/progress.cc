#include "ridgewatt/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace ridgewatt {
namespace {

std::string format_duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::string label, std::size_t total, bool quiet)
    : label_(std::move(label)),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  clear_line();
}

void Progress::clear_line() {
  if (terminal_ && drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::update(std::size_t done, const std::string& note) {
  if (quiet_) return;
  const auto now = Clock::now();
  const auto interval = terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
  if (now - last_ < interval) return;
  last_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  std::string line = fmt::format("{}: {} of {}", label_, done, total_);
  if (done > 0 && done <= total_) {
    const double left_s =
        elapsed_s / static_cast<double>(done) * static_cast<double>(total_ - done);
    line += fmt::format(", {} left", format_duration(left_s));
  }
  if (!note.empty()) line += ", " + note;
  clear_line();
  std::fputs((line + (terminal_ ? "" : "\n")).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace ridgewatt
