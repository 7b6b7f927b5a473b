#include "ridgewatt/tune/running/flights.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::tune {

void Flights::start(std::size_t index, const OperatingPoint& point) {
  points_.push_back(index);
  flights_.emplace_back().index = index;
  flights_.back().point = point;
  run(flights_.back());
}

void Flights::run(Flight& flight) {
  flight.runs.push_back({runs_, profiler_.now_s()});
  ++running_;
  profiler_.start(runs_++, flight.point);
}

// Returns kForever while the duration of a run is unknown.
double Flights::late_at_s(const Flight& flight) const {
  if (overheads_s_.empty() || flight.index >= log_time_.size() || flight.runs.empty()) {
    return AsyncProfiler::kForever;
  }
  const double minibatch_s = std::exp(static_cast<double>(log_time_[flight.index]));
  const double expected_s = median(overheads_s_) + minibatches_ * minibatch_s;
  return flight.runs.front().started_s + kLate * expected_s;
}

// Free boards take points whose run was lost first, then points whose run is late.
void Flights::help() {
  for (Flight& flight : flights_) {
    if (board_free() && flight.runs.empty()) run(flight);
  }
  for (Flight& flight : flights_) {
    if (!board_free() || flight.copied || late_at_s(flight) > profiler_.now_s()) continue;
    flight.copied = true;
    run(flight);
  }
}

std::optional<Flights::Landed> Flights::next() {
  double until_s = AsyncProfiler::kForever;
  for (const Flight& flight : flights_) {
    if (board_free() && !flight.copied) until_s = std::min(until_s, late_at_s(flight));
  }
  std::optional<Landed> landed;
  if (auto ended = profiler_.next(until_s)) {
    --running_;
    landed = land(std::move(*ended));
  }
  help();
  return landed;
}

// Empty if the point has no result yet: the run was lost, or it is the slower one of two.
std::optional<Flights::Landed> Flights::land(FinishedRun ended) {
  const auto is_this = [&](const Run& run) { return run.number == ended.run; };
  const auto flight = std::find_if(flights_.begin(), flights_.end(), [&](const Flight& one) {
    return std::any_of(one.runs.begin(), one.runs.end(), is_this);
  });
  if (flight == flights_.end()) return std::nullopt;
  const auto run = std::find_if(flight->runs.begin(), flight->runs.end(), is_this);
  if (ended.end == FinishedRun::End::kLost) {
    flight->runs.erase(run);
    if (++flight->losses < kMostLosses) return std::nullopt;
    ended.end = FinishedRun::End::kCannotRun;
  } else if (ended.end == FinishedRun::End::kMeasured) {
    const double took_s = profiler_.now_s() - run->started_s;
    overheads_s_.push_back(std::max(took_s - minibatches_ * ended.seen.time_s, 0.0));
  }
  Landed landed{flight->index, std::move(ended)};
  flights_.erase(flight);
  std::erase(points_, landed.index);
  return landed;
}

}  // namespace ridgewatt::tune
