// What two programs do to each other when the driver shares the device between them, predicted from
// what each does alone: no run of both.
//
//   const SharingForecast both = forecast_sharing(train, infer, {.idle_power_w = 6});
//   both.time_s[1].value;       // a minibatch of the second with the first, within lo and hi
//   both.factor.value;          // the interference factor (interference.h)
//
// Alone a minibatch takes t and keeps the device busy for the share g of it; the rest is host and
// data. Both at once are a closed network of two customers: a private delay of (1 - g) t and a
// device that is shared equally, g t of work (processor sharing). Its exact solution (mean value
// analysis: Reiser and Lavenberg, Journal of the ACM 27, 1980; classes and processor sharing:
// Baskett, Chandy, Muntz, Palacios, Journal of the ACM 22, 1975) is, of either one,
//   T_i = t_i (1 + k g_1 g_2)
// where k = 1 for a driver that loses nothing when it switches. Bounds, whatever the order of host
// and device work, of a driver that gives both the same when both want it and loses at most k:
//   t_i max(1, g_i (1 + g_j)) <= T_i <= t_i (1 + k g_i)
// Static power is there once, dynamic energy of a minibatch stays what it is:
//   P = P_idle + sum_i (P_i - P_idle) t_i / T_i
#pragma once

#include <limits>
#include <optional>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

// The k of the published pair (kNativeInterference), whose programs keep the GPU 96 % busy each:
// factor = (1 + k g^2) / 2.
inline constexpr double kPublishedBusyShare = 0.96;
inline constexpr double kNativeSwitching =
    (2 * kNativeInterference - 1) / (kPublishedBusyShare * kPublishedBusyShare);

struct SharingForecastOptions {
  double idle_power_w = 0;                                 // static: drawn once, whoever runs
  double cores = std::numeric_limits<double>::infinity();  // CPU cores online
  double switching = kNativeSwitching;                     // k, at least 1
  double switch_s = 0;                                     // of turns (switch_cost.h)
  // Throws UsageError.
  void check() const;
};

// An estimate within its bounds.
struct Bounded {
  double value = 0, lo = 0, hi = 0;
};

struct SharingForecast {
  // Of both programs. Where it is not known, the programs are taken to fill the device: the
  // estimate is then the highest that the bounds allow.
  bool busy_known = false;
  Bounded time_s[2];  // of a minibatch with the other program
  Bounded factor;   // 1 / the sum of the speeds, 1 / (2 x factor) each where both are slowed alike
  Bounded power_w;  // while both run
  // The two in turns, a minibatch each, one at a time.
  double turns_s = 0;
  double turns_power_w = 0;
};

// Two minibatches in one mode, each alone. UsageError for a time or power that is not positive and
// finite, and for a busy share outside of 0 to 1.
SharingForecast forecast_sharing(const Minibatch& first, const Minibatch& second,
                                 const SharingForecastOptions& options);
// Of a candidate with two programs: its inference and one in the background, or two there. Nothing
// where there are more or fewer.
std::optional<SharingForecast> forecast_sharing(const Candidate& candidate,
                                                double switching = kNativeSwitching);

}  // namespace ridgewatt::schedule
