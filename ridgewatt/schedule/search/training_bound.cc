// The relaxation of docs/methods/training_bound.md, which contains the proof.
#include "ridgewatt/schedule/search/training_bound.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "ridgewatt/base/parallel.h"

namespace ridgewatt::schedule {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kSpans = 16;             // number of window lengths in which arrivals are counted
constexpr double kBinsPerChange = 16;  // a mode change takes at least 15 of them
constexpr double kMostBins = 6000;     // per window
constexpr int kSearchRounds = 12;

// Rates of a mode within the power budget.
struct ModeRates {
  double rate_hz = 0;              // training rounds per second
  std::vector<Minibatch> batches;  // inference; empty: the mode cannot serve
};

bool no_worse(const ModeRates& a, const ModeRates& b) {
  const auto has = [&](const Minibatch& wanted) {
    return std::any_of(a.batches.begin(), a.batches.end(), [&](const Minibatch& other) {
      return other.batch >= wanted.batch && other.time_s <= wanted.time_s;
    });
  };
  return a.rate_hz >= b.rate_hz && std::all_of(b.batches.begin(), b.batches.end(), has);
}

// The modes that no other mode replaces: one with at least its training rate and its batches.
std::vector<ModeRates> useful_modes(std::span<const Candidate> candidates, double max_power_w,
                                    double max_latency_s) {
  std::map<PowerMode, ModeRates> by_mode;
  for (const auto& candidate : candidates) {
    ModeRates& mode = by_mode[candidate.mode];
    const auto& [inference, round] = std::tie(candidate.inference, candidate.background);
    if (round && round->power_w <= max_power_w) {
      mode.rate_hz = std::max(mode.rate_hz, 1 / round->time_s);
    }
    if (inference && inference->power_w <= max_power_w && inference->time_s <= max_latency_s) {
      mode.batches.push_back(*inference);
    }
  }
  std::vector<ModeRates> result;
  for (const auto& [mode, rates] : by_mode) {
    if (rates.rate_hz <= 0 && rates.batches.empty()) continue;
    const auto replaces = [&rates = rates](const ModeRates& kept) { return no_worse(kept, rates); };
    if (std::any_of(result.begin(), result.end(), replaces)) continue;
    std::erase_if(result,
                  [&rates = rates](const ModeRates& kept) { return no_worse(rates, kept); });
    result.push_back(rates);
  }
  return result;
}

// For each arrival: the maximum number of arrivals in an interval of `span_s` that contains it.
std::vector<int> densest(std::span<const double> arrivals, double span_s) {
  std::vector<int> from(arrivals.size()), most(arrivals.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    while (end < arrivals.size() && arrivals[end] <= arrivals[i] + span_s) ++end;
    from[i] = static_cast<int>(end - i);
  }
  std::deque<std::size_t> fullest;  // starts of intervals that contain arrival i, the fullest first
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    while (!fullest.empty() && from[fullest.back()] <= from[i]) fullest.pop_back();
    fullest.push_back(i);
    while (arrivals[fullest.front()] + span_s < arrivals[i]) fullest.pop_front();
    most[i] = from[fullest.front()];
  }
  return most;
}

// A window divided into bins.
struct Grid {
  double length_s = 0, bin_s = 0;
  std::size_t bins = 0;
  std::size_t change = 0;    // bins between the last bin in one mode and the first in another
  std::size_t patience = 0;  // number of bins that covers the latency bound
  double forgiven = 0;       // permitted number of late requests
  // By bin of arrival; only requests whose bound ends within the window.
  std::vector<double> requests;
  // Time to serve one request, by mode and bin; kInfinite: cannot serve.
  std::vector<std::vector<double>> cost_s;

  double at_s(std::size_t bin) const {
    return std::min(static_cast<double>(bin) * bin_s, length_s);
  }
};

Grid make_grid(std::span<const ModeRates> modes, std::span<const double> arrivals, double start_s,
               const SimulationOptions& simulation) {
  // The factor allows for rounding of time stamps.
  const double latency_s = simulation.max_latency_s * (1 + 1e-9);
  Grid grid;
  grid.length_s = std::min(simulation.window_s, simulation.duration_s - start_s);
  const double end_s = start_s + grid.length_s;
  grid.bin_s = std::max(simulation.mode_change_s / kBinsPerChange, grid.length_s / kMostBins);
  grid.bins = static_cast<std::size_t>(std::ceil(grid.length_s / grid.bin_s - 1e-9));
  grid.change = static_cast<std::size_t>(simulation.mode_change_s / grid.bin_s + 1e-9);
  grid.patience = static_cast<std::size_t>(
      std::min(std::ceil(latency_s / grid.bin_s) + 1, static_cast<double>(grid.bins) + 1));
  grid.requests.assign(grid.bins, 0);
  const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), start_s - latency_s);
  const auto last = std::upper_bound(first, arrivals.end(), end_s + latency_s);
  const std::span<const double> near(first, last);
  const double most_apart_s = std::min(latency_s, end_s - start_s + 2 * latency_s);
  std::vector<std::vector<int>> together(kSpans + 1, std::vector<int>(grid.bins, 1));
  std::size_t own = 0;
  for (std::size_t w = 0; w <= kSpans; ++w) {
    const auto most = densest(near, most_apart_s * static_cast<double>(w) / kSpans);
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (near[i] < start_s || near[i] >= end_s) continue;
      const auto bin =
          std::min(static_cast<std::size_t>((near[i] - start_s) / grid.bin_s), grid.bins - 1);
      together[w][bin] = std::max(together[w][bin], most[i]);
      if (w > 0) continue;
      ++own;
      if (near[i] + latency_s <= end_s) grid.requests[bin] += 1;
    }
  }
  // The simulator uses the same definition of the 99th percentile.
  grid.forgiven = static_cast<double>(own) - std::ceil(0.99 * static_cast<double>(own));
  for (const auto& mode : modes) {
    auto& cost = grid.cost_s.emplace_back(grid.bins, kInfinite);
    for (const auto& batch : mode.batches) {
      const double share = (latency_s - batch.time_s) / most_apart_s;
      const auto w = static_cast<std::size_t>(std::ceil(std::clamp(share, 0.0, 1.0) * kSpans));
      for (std::size_t k = 0; k < grid.bins; ++k) {
        cost[k] = std::min(cost[k], batch.time_s / std::min(batch.batch, together[w][k]));
      }
    }
  }
  return grid;
}

// The maximum of the values added for the last `span` bins.
class Recent {
 public:
  explicit Recent(std::size_t span) : span_(span) {}
  void add(std::size_t bin, double value) {
    while (!values_.empty() && values_.back().second <= value) values_.pop_back();
    values_.emplace_back(bin, value);
    if (values_.front().first + span_ <= bin) values_.pop_front();
  }
  double highest() const { return values_.empty() ? -kInfinite : values_.front().second; }

 private:
  std::size_t span_;
  std::deque<std::pair<std::size_t, double>> values_;
};

// The value of a second in each mode. The modes of `servers` count as one mode, in which a second
// is worth `server_hz`.
struct Prices {
  std::vector<std::size_t> trainers, servers;
  std::vector<double> trainer_hz;
  double server_hz = 0;
  double late = 0;  // penalty of a late request
};

// The bound for one choice of prices, in rounds.
class Relaxation {
 public:
  Relaxation(const Grid& grid, const Prices& prices) : grid_(grid), prices_(prices) {
    const std::size_t n = grid.bins;
    least_trainer_.assign(n, prices.late);
    least_server_.assign(n, prices.late);
    for (std::size_t t = 0; t < prices.trainers.size(); ++t) {
      fastest_hz_ = std::max(fastest_hz_, prices.trainer_hz[t]);
      for (std::size_t k = 0; k < n; ++k) {
        least_trainer_[k] = std::min(least_trainer_[k], charge(t, k));
      }
    }
    for (const std::size_t m : prices.servers) {
      for (std::size_t k = 0; k < n; ++k) {
        least_server_[k] = std::min(least_server_[k], prices.server_hz * grid.cost_s[m][k]);
      }
    }
    any_.assign(n + 1, 0);
    trainer_.assign(n + 1, 0);
    server_.assign(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) {
      const double least = std::min(least_trainer_[k], least_server_[k]) * grid.requests[k];
      any_[k + 1] = any_[k] + least;
      trainer_[k + 1] = trainer_[k] + least;
      server_[k + 1] = server_[k] + least;
      if (k < grid.patience) continue;
      const std::size_t j = k - grid.patience;
      const double both = std::min(least_trainer_[j], least_server_[j]);
      trainer_[k + 1] += grid.requests[j] * (least_trainer_[j] - both);
      server_[k + 1] += grid.requests[j] * (least_server_[j] - both);
    }
  }

  double solve() {
    const std::size_t n = grid_.bins;
    const std::vector<double> none(n, -kInfinite);
    enter_trainers_ = enter_servers_ = enter_inner_ = none;
    leave_trainers_ = leave_servers_ = leave_inner_ = none;
    old_.assign(prices_.trainers.size(), -kInfinite);
    Recent trainers(grid_.patience), servers(grid_.patience), inner(grid_.patience);
    double old_server = -kInfinite;
    for (std::size_t k = 0; k < n; ++k) {
      enter(k);
      const double from_s = grid_.at_s(k), to_s = grid_.at_s(k + 1);
      trainers.add(k, enter_trainers_[k] - fastest_hz_ * from_s + any_[k]);
      inner.add(k, enter_inner_[k] - fastest_hz_ * from_s + trainer_[k]);
      servers.add(k, enter_servers_[k] - prices_.server_hz * from_s + any_[k]);
      const double oldest = grow_old(k);
      leave_inner_[k] = std::max(oldest, inner.highest() + fastest_hz_ * to_s - trainer_[k + 1]);
      leave_trainers_[k] =
          std::max(leave_inner_[k], trainers.highest() + fastest_hz_ * to_s - any_[k + 1]);
      old_server += prices_.server_hz * (to_s - from_s) - (server_[k + 1] - server_[k]);
      old_server = std::max(old_server, aged(enter_servers_, any_, k, prices_.server_hz));
      leave_servers_[k] =
          std::max(old_server, servers.highest() + prices_.server_hz * to_s - any_[k + 1]);
    }
    const double best = std::max(leave_trainers_[n - 1], leave_servers_[n - 1]);
    return best + (grid_.forgiven > 0 ? prices_.late * grid_.forgiven : 0);
  }

 private:
  double charge(std::size_t t, std::size_t bin) const {
    const double cost_s = grid_.cost_s[prices_.trainers[t]][bin];
    return cost_s == kInfinite ? prices_.late
                               : std::min(prices_.late, prices_.trainer_hz[t] * cost_s);
  }

  // The highest value at the start of bin k for a mode that is entered there.
  void enter(std::size_t k) {
    if (k == 0) {
      enter_trainers_[0] = prices_.trainers.empty() ? -kInfinite : 0;
      enter_servers_[0] = prices_.servers.empty() ? -kInfinite : 0;
    }
    const std::size_t change = std::max<std::size_t>(grid_.change, 1);
    if (k >= change) {
      const std::size_t e = k - change;
      const double waited = any_[k] - any_[e + 1];
      if (!prices_.trainers.empty()) enter_trainers_[k] = leave_servers_[e] - waited;
      if (!prices_.servers.empty()) enter_servers_[k] = leave_trainers_[e] - waited;
      enter_inner_[k] = leave_inner_[e] - (trainer_[k] - trainer_[e + 1]);
    }
    if (k >= grid_.patience) {
      const std::size_t s = k - grid_.patience;
      const double worked_s =
          grid_.at_s(k) - grid_.at_s(s) - static_cast<double>(change - 1) * grid_.bin_s;
      enter_inner_[k] = std::max(enter_inner_[k],
                                 enter_trainers_[s] + fastest_hz_ * worked_s - (any_[k] - any_[s]));
    }
  }

  // The value after bin k in a mode that was entered `patience` bins ago.
  double aged(const std::vector<double>& entered, const std::vector<double>& charged, std::size_t k,
              double rate_hz) const {
    if (k + 1 < grid_.patience) return -kInfinite;
    const std::size_t s = k + 1 - grid_.patience;
    return entered[s] + rate_hz * (grid_.at_s(k + 1) - grid_.at_s(s)) -
           (charged[k + 1] - charged[s]);
  }

  // Advances the trainers that have been active for at least `patience` bins through bin k. Returns
  // the highest value.
  double grow_old(std::size_t k) {
    const double length_s = grid_.at_s(k + 1) - grid_.at_s(k);
    double highest = -kInfinite;
    for (std::size_t t = 0; t < old_.size(); ++t) {
      old_[t] += prices_.trainer_hz[t] * length_s - (trainer_[k + 1] - trainer_[k]);
      if (k >= grid_.patience) {
        const std::size_t j = k - grid_.patience;
        old_[t] -= grid_.requests[j] * (charge(t, j) - least_trainer_[j]);
      }
      old_[t] = std::max({old_[t], aged(enter_trainers_, any_, k, prices_.trainer_hz[t]),
                          aged(enter_inner_, trainer_, k, prices_.trainer_hz[t])});
      highest = std::max(highest, old_[t]);
    }
    return highest;
  }

  const Grid& grid_;
  const Prices& prices_;
  double fastest_hz_ = 0;
  std::vector<double> least_trainer_, least_server_;  // charge for a request of a bin
  std::vector<double> any_, trainer_, server_;        // sums of charges before a bin
  std::vector<double> enter_trainers_, enter_servers_, enter_inner_;
  std::vector<double> leave_trainers_, leave_servers_, leave_inner_;
  std::vector<double> old_;
};

// Mean of the lowest cost of a request; 0 without requests.
double typical_cost_s(const Grid& grid) {
  double sum_s = 0, requests = 0;
  for (std::size_t k = 0; k < grid.bins; ++k) {
    double least_s = kInfinite;
    for (const auto& cost : grid.cost_s) least_s = std::min(least_s, cost[k]);
    if (grid.requests[k] <= 0 || least_s == kInfinite) continue;
    sum_s += grid.requests[k] * least_s;
    requests += grid.requests[k];
  }
  return requests > 0 ? sum_s / requests : 0;
}

// The lowest value of `bound(worth, late)` that a pattern search finds. Every pair gives a valid
// bound.
template <class Bound>
double least_bound(double late, double worth_step, const Bound& bound) {
  double worth = 0.5, late_step = 4;
  double best = bound(worth, late);
  for (int round = 0; round < kSearchRounds; ++round) {
    const std::pair<double, double> tries[] = {{worth + worth_step, late},
                                               {std::max(0.0, worth - worth_step), late},
                                               {worth, late * late_step},
                                               {worth, late / late_step}};
    auto next = std::pair(worth, late);
    for (const auto& attempt : tries) {
      if (attempt == std::pair(worth, late)) continue;
      const double value = bound(attempt.first, attempt.second);
      if (value < best) best = value, next = attempt;
    }
    if (next == std::pair(worth, late)) {
      worth_step /= 2;
      late_step = std::sqrt(late_step);
    }
    std::tie(worth, late) = next;
  }
  return best;
}

TrainingBound bound_of(std::span<const ModeRates> modes, const Grid& grid) {
  double fastest_hz = 0;
  for (const auto& mode : modes) fastest_hz = std::max(fastest_hz, mode.rate_hz);
  const double typical_s = std::max(2 * typical_cost_s(grid), 1e-6);
  // Mode changes shorter than a bin cost nothing, so every mode counts as a server.
  const bool free_changes = grid.change == 0;
  const auto training = [&](double worth, double late) {
    Prices prices;
    prices.server_hz = (free_changes ? std::max(worth, 1.0) : worth) * fastest_hz;
    prices.late = late * fastest_hz;
    for (std::size_t m = 0; m < modes.size(); ++m) {
      if (modes[m].rate_hz <= prices.server_hz) {
        if (!modes[m].batches.empty()) prices.servers.push_back(m);
        continue;
      }
      prices.trainers.push_back(m);
      prices.trainer_hz.push_back(modes[m].rate_hz);
    }
    return Relaxation(grid, prices).solve();
  };
  // Time that remains after serving, in modes that can serve.
  const auto spare = [&](double /*worth*/, double late) {
    Prices prices;
    prices.late = late;
    prices.server_hz = 1;
    for (std::size_t m = 0; m < modes.size(); ++m) {
      if (modes[m].batches.empty()) continue;
      if (free_changes) {
        prices.servers.push_back(m);
      } else {
        prices.trainers.push_back(m);
        prices.trainer_hz.push_back(1);
      }
    }
    return Relaxation(grid, prices).solve();
  };
  TrainingBound result;
  const bool serves = std::any_of(modes.begin(), modes.end(),
                                  [](const ModeRates& mode) { return !mode.batches.empty(); });
  const double due = std::accumulate(grid.requests.begin(), grid.requests.end(), 0.0);
  result.possible = serves ? least_bound(typical_s, 0, spare) >= 0 : due <= grid.forgiven;
  if (result.possible && fastest_hz > 0) {
    result.training_hz = std::max(0.0, least_bound(typical_s, 0.25, training) / grid.length_s);
  }
  return result;
}

}  // namespace

std::vector<TrainingBound> training_bounds(std::span<const Candidate> candidates,
                                           double max_power_w, std::span<const double> arrivals,
                                           const SimulationOptions& simulation) {
  const auto modes = useful_modes(candidates, max_power_w, simulation.max_latency_s);
  const auto count =
      static_cast<std::size_t>(std::ceil(simulation.duration_s / simulation.window_s - 1e-9));
  std::vector<TrainingBound> bounds(count);
  if (modes.empty()) return bounds;
  parallel_for(count, [&](std::size_t w) {
    const double start_s = static_cast<double>(w) * simulation.window_s;
    bounds[w] = bound_of(modes, make_grid(modes, arrivals, start_s, simulation));
  });
  return bounds;
}

}  // namespace ridgewatt::schedule
