#include "ridgewatt/tune/simulated_boards.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::tune {

SimulatedBoards::SimulatedBoards(Profiler& profiler, SimulationOptions options)
    : profiler_(profiler), options_(std::move(options)) {
  if (options_.boards < 1) throw UsageError("a simulated search needs one board or more");
  free_since_s_.assign(static_cast<std::size_t>(options_.boards), 0);
}

double SimulatedBoards::dies_at_s(std::size_t board) const {
  return board < options_.dies_at_s.size() ? options_.dies_at_s[board] : kForever;
}

bool SimulatedBoards::known_dead(std::size_t board) const {
  return now_s_ >= dies_at_s(board) + options_.noticed_after_s;
}

std::size_t SimulatedBoards::boards() const {
  std::size_t count = 0;
  for (std::size_t board = 0; board < free_since_s_.size(); ++board) count += !known_dead(board);
  return count;
}

void SimulatedBoards::start(std::size_t run, const OperatingPoint& point) {
  waiting_.push_back(finished_run(run, profiler_, point));
  give_out();
}

// Starts waiting runs on boards that are free or whose failure has not been noticed.
void SimulatedBoards::give_out() {
  while (!waiting_.empty()) {
    std::size_t board = 0;
    double since_s = kForever;
    for (std::size_t b = 0; b < free_since_s_.size(); ++b) {
      if (!known_dead(b) && free_since_s_[b] < since_s) since_s = free_since_s_[b], board = b;
    }
    if (since_s == kForever) return;
    FinishedRun run = std::move(waiting_.front());
    waiting_.pop_front();
    Random random = Random(options_.seed).fork(run.run);
    const double slowness = board < options_.slowness.size() ? options_.slowness[board] : 1;
    const double work_s = options_.overhead_s + options_.minibatches * run.seen.time_s;
    double at_s = now_s_ + slowness * work_s * std::exp(options_.spread * random.normal());
    if (at_s > dies_at_s(board)) {
      at_s = std::max(now_s_, dies_at_s(board)) + options_.noticed_after_s;
      run = {run.run, FinishedRun::End::kLost, {}, "the board died"};
    }
    free_since_s_[board] = kForever;
    if (at_s < kForever) endings_.push_back({at_s, board, std::move(run)});
  }
}

std::optional<FinishedRun> SimulatedBoards::next(double until_s) {
  const auto first =
      std::min_element(endings_.begin(), endings_.end(), [](const Ending& a, const Ending& b) {
        return a.at_s != b.at_s ? a.at_s < b.at_s : a.run.run < b.run.run;
      });
  if (first == endings_.end() || first->at_s > until_s) {
    if (until_s == kForever) throw Error("no simulated board is left that could finish a profile");
    now_s_ = std::max(now_s_, until_s);
    return std::nullopt;
  }
  Ending ending = std::move(*first);
  endings_.erase(first);
  now_s_ = std::max(now_s_, ending.at_s);
  free_since_s_[ending.board] = now_s_;
  give_out();
  return std::move(ending.run);
}

}  // namespace ridgewatt::tune
