#include "ridgewatt/measure/kernels/repetitions.h"

#include <algorithm>

namespace ridgewatt::measure {
namespace {

constexpr double kLeastPointS = 0.2;          // chosen: clocks have settled by then
constexpr std::size_t kLeastRepetitions = 3;  // of each point
constexpr std::size_t kLeastSteady = 6;       // three in each half

}  // namespace

double spread_of(const std::vector<double>& times_s) {
  const auto middle = times_s.begin() + static_cast<std::ptrdiff_t>(times_s.size() / 2);
  const auto [fast, slow] = std::minmax(*std::min_element(times_s.begin(), middle),
                                        *std::min_element(middle, times_s.end()));
  return slow / fast - 1;
}

bool enough_repetitions(const std::vector<double>& times_s, double spent_s,
                        const MicrobenchOptions& options) {
  if (times_s.size() < kLeastRepetitions) return false;
  if (spent_s >= options.seconds_per_point) return true;
  return options.until_steady && times_s.size() >= kLeastSteady && spent_s >= kLeastPointS &&
         spread_of(times_s) <= kSteady;
}

}  // namespace ridgewatt::measure
