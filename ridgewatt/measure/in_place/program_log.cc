#include "ridgewatt/measure/in_place/program_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"

namespace ridgewatt::measure {
namespace {

constexpr double kTickS = 0.01;   // between two checks of power
constexpr double kBeforeS = 0.3;  // power history kept from before a change, to detect the step

}  // namespace

std::span<const TimedPower> ProgramLog::step() {
  check_work();
  const std::size_t marks = marks_.size(), samples = power_.size();
  if (!program_.wait(kTickS, marks_, power_)) ended_ = true;
  for (std::size_t i = marks; i < marks_.size(); ++i) {
    last_mark_s_ = marks_[i].time_s;
    if (marks_[i].kind == TimedMark::Kind::kMinibatch) ++minibatches_;
  }
  for (std::size_t i = samples; i < power_.size(); ++i) {
    if (last_power_s_ > 0) energy_j_ += power_[i].power_w * (power_[i].time_s - last_power_s_);
    last_power_s_ = power_[i].time_s;
  }
  return std::span<const TimedPower>(power_).subspan(samples);
}

void ProgramLog::require_marks(double silence_s) const {
  if (program_.now_s() - last_mark_s_ < silence_s) return;
  throw IoError(fmt::format("the program has marked no minibatch for {:g} s", silence_s), "",
                "see docs/guide/measure.md for how a program marks them");
}

void ProgramLog::begin_window(double pace_s) {
  const double since_s = program_.now_s() - std::max(kBeforeS, 2 * pace_s);
  std::erase_if(power_, [&](const TimedPower& sample) { return sample.time_s < since_s; });
  const auto old = [&](const TimedMark& mark) { return mark.time_s < since_s; };
  auto first = std::find_if_not(marks_.begin(), marks_.end(), old);
  if (first != marks_.begin()) --first;  // the start of the current minibatch
  marks_.erase(marks_.begin(), first);
}

std::vector<MarkedMinibatch> ProgramLog::since(double begin_s) const {
  auto minibatches = minibatches_of(marks_);
  std::erase_if(minibatches, [&](const auto& one) { return one.begin_s < begin_s; });
  return minibatches;
}

}  // namespace ridgewatt::measure
