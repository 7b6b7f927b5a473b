// Predicts how two programs affect each other when the driver shares the device between them, from
// measurements of each program alone.
//
//   const SharingForecast both = forecast_sharing(train, infer, {.idle_power_w = 6});
//   both.time_s[1].value;       // minibatch of the second program with the first, within [lo, hi]
//   both.factor.value;          // the interference factor (interference.h)
//
// A minibatch that runs alone takes t and keeps the device busy for the share g of t; the rest is
// work of the host and data loading. Two programs form a closed queueing network of two customers.
// Each has its own delay of (1 - g) t and needs g t on the device, which both share equally
// (processor sharing). Mean value analysis (Reiser and Lavenberg, Journal of the ACM 27, 1980;
// classes and processor sharing: Baskett, Chandy, Muntz, Palacios, Journal of the ACM 22, 1975)
// gives the exact time of program i:
//   T_i = t_i (1 + k g_1 g_2)
// where k = 1 for a driver that loses nothing when it switches. If the driver divides the device
// equally and the loss factor is at most k, T_i has these bounds for any order of host and device
// work:
//   t_i max(1, g_i (1 + g_j)) <= T_i <= t_i (1 + k g_i)
// Static power counts once, and the dynamic energy of a minibatch does not change:
//   P = P_idle + sum_i (P_i - P_idle) t_i / T_i
#pragma once

#include <limits>
#include <optional>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

// The default of k follows from factor = (1 + k g^2) / 2. The factor kNativeInterference was
// published for two programs that each keep the GPU busy for the share g = 0.96.
inline constexpr double kPublishedBusyShare = 0.96;
inline constexpr double kNativeSwitching =
    (2 * kNativeInterference - 1) / (kPublishedBusyShare * kPublishedBusyShare);
inline constexpr double kIdealSwitching = 1;  // a driver that loses nothing when it switches

struct SharingForecastOptions {
  double idle_power_w = 0;                                 // static power, counted once
  double cores = std::numeric_limits<double>::infinity();  // CPU cores online
  double switching = kNativeSwitching;                     // the factor k, from 1 to 100
  double switch_s = 0;  // of a switch when the programs take turns (switch_cost.h)
  // Throws UsageError for an invalid option.
  void check() const;
};

// An estimate with bounds.
struct Bounded {
  double value = 0, lo = 0, hi = 0;
};

struct SharingForecast {
  // False if a busy share is unknown. The programs are then assumed to keep the device fully busy.
  // This gives the highest estimates within the bounds.
  bool busy_known = false;
  Bounded time_s[2];  // minibatch of each program while the other runs
  // 1 / sum of the speeds. If both programs are slowed equally, each speed is 1 / (2 x factor).
  Bounded factor;
  Bounded power_w;  // while both run
  // For comparison: one minibatch of each program in turn, one at a time.
  double turns_s = 0;
  double turns_power_w = 0;
};

// `first` and `second` are minibatches in the same mode, each measured alone. Throws UsageError if
// a time or power is not positive and finite, or a busy share is outside [0, 1].
SharingForecast forecast_sharing(const Minibatch& first, const Minibatch& second,
                                 const SharingForecastOptions& options);
// For the two programs of a candidate: inference and one background program, or two background
// programs. Empty if it has more or fewer programs.
std::optional<SharingForecast> forecast_sharing(const Candidate& candidate,
                                                double switching = kNativeSwitching);

}  // namespace ridgewatt::schedule
