#include "ridgewatt/measure/simulated_program.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::measure {
namespace {

constexpr double kHeatEveryS = 0.1;  // interval in which the board temperature counts as constant

}  // namespace

SimulatedProgram::SimulatedProgram(platform::FakeLoad& load, SimulatedProgramOptions options)
    : load_(load), options_(std::move(options)), random_(Random(options_.seed).fork(7)) {
  effective_s_ = std::numeric_limits<double>::infinity();
}

twin::TimePower SimulatedProgram::at(const PowerMode& mode) const {
  const auto found = truths_.find(mode);
  twin::TimePower at = found != truths_.end() ? found->second : load_.at(mode);
  if (found == truths_.end()) truths_[mode] = at;
  for (const auto& one : options_.disturbances) {
    if (!one.active(now_s_)) continue;
    at.time_s *= one.time;
    at.power_w *= one.power;
  }
  return at;
}

twin::TimePower SimulatedProgram::truth(const PowerMode& mode) const {
  return at(mode);
}

void SimulatedProgram::advance(double until_s, bool until_news) {
  const std::size_t news = marks_.size() + power_.size();
  while (now_s_ < until_s && done_ < options_.minibatches) {
    if (until_news && marks_.size() + power_.size() > news) return;
    const bool runs = now_s_ >= options_.start_s;
    if (runs && left_ <= 0) left_ = load_.next();
    const twin::TimePower now = at(mode_);
    double end_s = std::min({until_s, effective_s_, sample_s_});
    if (!runs) end_s = std::min(end_s, options_.start_s);
    if (runs) end_s = std::min(end_s, now_s_ + left_ * now.time_s);
    for (const auto& one : options_.disturbances) {
      if (one.begin_s > now_s_) end_s = std::min(end_s, one.begin_s);
      if (one.end_s > now_s_) end_s = std::min(end_s, one.end_s);
    }
    const double step_s = std::max(end_s - now_s_, 0.0);
    if (std::floor(now_s_ / kHeatEveryS) != std::floor(end_s / kHeatEveryS)) {
      load_.warm(kHeatEveryS);
      truths_.clear();
    }
    sampled_j_ += now.power_w * step_s;
    if (runs) left_ -= step_s / now.time_s;
    now_s_ = end_s;
    if (runs && left_ <= 1e-9) {
      left_ = 0;
      ++done_;
      marks_.push_back({TimedMark::Kind::kMinibatch, "", now_s_});
    }
    if (now_s_ >= effective_s_) {
      mode_ = next_;
      effective_s_ = std::numeric_limits<double>::infinity();
    }
    if (now_s_ >= sample_s_) {
      const double power_w = now_s_ > sampled_s_ ? sampled_j_ / (now_s_ - sampled_s_) : now.power_w;
      power_.push_back({now_s_, power_w * (1 + options_.power_noise * random_.normal())});
      sampled_s_ = now_s_;
      sampled_j_ = 0;
      sample_s_ = now_s_ + 1 / options_.rate_hz;
    }
  }
}

bool SimulatedProgram::wait(double at_most_s, std::vector<TimedMark>& marks,
                            std::vector<TimedPower>& power) {
  if (marks_.empty() && power_.empty()) advance(now_s_ + at_most_s, /*until_news=*/true);
  marks.insert(marks.end(), marks_.begin(), marks_.end());
  power.insert(power.end(), power_.begin(), power_.end());
  marks_.clear();
  power_.clear();
  return done_ < options_.minibatches;
}

void SimulatedProgram::set(const PowerMode& mode) {
  if (mode_ == PowerMode()) mode_ = mode;  // before the start of the program
  next_ = mode;
  effective_s_ = now_s_ + options_.effect_s;
  const double until_s = now_s_ + options_.write_s;
  advance(until_s, /*until_news=*/false);
  now_s_ = std::max(now_s_, until_s);
}

TunedProgram::Surroundings SimulatedProgram::surroundings() {
  Surroundings found;
  double celsius = options_.room_celsius;
  for (const auto& one : options_.disturbances) {
    if (!one.active(now_s_)) continue;
    celsius += one.celsius;
    if (!one.process.empty()) found.processes.push_back(one.process);
  }
  found.celsius["tj-thermal"] = celsius;
  return found;
}

}  // namespace ridgewatt::measure
