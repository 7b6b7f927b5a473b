// The exact round of least energy; federated.h has the equation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt::answer {
namespace {

double energy_until_j(const RoundOption& option, double time_s) {
  return option.energy_j + option.idle_power_w * (time_s - option.time_s);
}

void check_options(const std::vector<RoundOption>& options) {
  if (options.empty()) throw UsageError("a board of the federated round has no power modes", "");
  for (const auto& option : options) {
    for (const double value : {option.time_s, option.energy_j, option.idle_power_w}) {
      if (!std::isfinite(value) || value < 0) {
        throw UsageError(
            "times, energies and powers of a federated round must be finite and not negative", "");
      }
    }
  }
}

// The useful options of each board, and how many of them have ended at the current time.
class RoundScan {
 public:
  explicit RoundScan(const std::vector<std::vector<RoundOption>>& boards) : boards_(boards) {
    if (boards.empty()) throw UsageError("a federated round needs at least one board", "");
    for (const auto& options : boards) {
      check_options(options);
      useful_.push_back(useful_options(options));
    }
    ended_.assign(boards.size(), 0);
  }

  // Times at which a round of least energy may end. The first is the earliest time by which every
  // board can end.
  std::vector<double> times() const {
    double first_s = 0;
    std::vector<double> times;
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      first_s = std::max(first_s, boards_[i][useful_[i].front()].time_s);
      for (const std::size_t option : useful_[i]) times.push_back(boards_[i][option].time_s);
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    times.erase(times.begin(), std::lower_bound(times.begin(), times.end(), first_s));
    return times;
  }

  // The round of least energy that ends at `time_s`. Calls must have rising times.
  Round at(double time_s) {
    Round round{time_s, 0, {}};
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      while (ended_[i] < useful_[i].size() && boards_[i][useful_[i][ended_[i]]].time_s <= time_s) {
        ++ended_[i];
      }
      double least_j = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t k = 0; k < ended_[i]; ++k) {
        const double energy_j = energy_until_j(boards_[i][useful_[i][k]], time_s);
        if (energy_j >= least_j) continue;
        least_j = energy_j;
        best = useful_[i][k];
      }
      round.energy_j += least_j;
      round.choices.push_back(best);
    }
    return round;
  }

 private:
  const std::vector<std::vector<RoundOption>>& boards_;
  std::vector<std::vector<std::size_t>> useful_;
  std::vector<std::size_t> ended_;
};

}  // namespace

// Option k replaces option j after time t_j if k has ended by t_j, has used no more energy by t_j,
// and draws no more power afterwards.
std::vector<std::size_t> useful_options(const std::vector<RoundOption>& options) {
  std::vector<std::size_t> order(options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    return std::pair(options[a].time_s, options[a].energy_j) <
           std::pair(options[b].time_s, options[b].energy_j);
  });
  std::vector<std::size_t> kept;
  for (const std::size_t j : order) {
    const RoundOption& option = options[j];
    const bool replaced = std::any_of(kept.begin(), kept.end(), [&](std::size_t k) {
      return options[k].idle_power_w <= option.idle_power_w &&
             energy_until_j(options[k], option.time_s) <= option.energy_j;
    });
    if (!replaced) kept.push_back(j);
  }
  return kept;
}

std::vector<Round> round_front(const std::vector<std::vector<RoundOption>>& boards) {
  RoundScan scan(boards);
  std::vector<Round> front;
  for (const double time_s : scan.times()) {
    Round round = scan.at(time_s);
    if (front.empty() || round.energy_j < front.back().energy_j) front.push_back(std::move(round));
  }
  return front;
}

Round round_of(const std::vector<std::vector<RoundOption>>& boards,
               const std::vector<std::size_t>& choices) {
  if (boards.empty() || boards.size() != choices.size()) {
    throw UsageError("a federated round needs one choice of mode per board", "");
  }
  Round round{0, 0, choices};
  for (std::size_t i = 0; i < boards.size(); ++i) {
    round.time_s = std::max(round.time_s, boards[i].at(choices[i]).time_s);
  }
  for (std::size_t i = 0; i < boards.size(); ++i) {
    round.energy_j += energy_until_j(boards[i][choices[i]], round.time_s);
  }
  return round;
}

}  // namespace ridgewatt::answer
