// Request arrivals: time stamps in seconds, ascending, made from a process or read from a file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::schedule {

// The processes that arrivals are made from.
enum class ArrivalProcess { kConstant, kPoisson, kBursty };
constexpr auto enum_names(ArrivalProcess) {
  return named<ArrivalProcess>({{ArrivalProcess::kConstant, "constant"},
                                {ArrivalProcess::kPoisson, "poisson"},
                                {ArrivalProcess::kBursty, "bursty"}});
}

// One arrival every 1 / rate seconds in (0, duration], the first at 1 / rate.
std::vector<double> constant_arrivals(double rate_hz, double duration_s);
// Exponential gaps.
std::vector<double> poisson_arrivals(double rate_hz, double duration_s, Random& random);

// Markov-modulated Poisson process: Poisson arrivals whose rate jumps between states; a state lasts
// exponentially long, the next one is any of the others with equal chance.
struct BurstyOptions {
  std::vector<double> rates_hz = {10, 30, 60, 90, 120};
  double mean_dwell_s = 60;
};
std::vector<double> bursty_arrivals(const BurstyOptions& options, double duration_s,
                                    Random& random);

// A recorded trace: CSV with a header and a column `time_s` (or the only column). Times are shifted
// so that the trace starts at 0. Throws InputError when the first line is a number, or a time is
// missing, negative, not finite or before its predecessor.
std::vector<double> read_arrivals(const std::string& path);
// How long to simulate a recorded trace: to its last arrival, but at most `most_s` seconds (that
// long when all arrive at once).
double recorded_duration_s(std::span<const double> arrivals, double most_s);
std::string write_arrivals_csv(const std::vector<double>& arrivals);

}  // namespace ridgewatt::schedule
