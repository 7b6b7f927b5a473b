#include "ridgewatt/twin/fit/board_number.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::twin {

double within(double value, double least, double most, const std::string& where) {
  if (value >= least && value <= most) return value;
  throw InputError(
      fmt::format("{} is {}, but must lie between {:.6g} and {:.6g}", where, value, least, most));
}

double near_prior(double value, double prior, const std::string& where) {
  constexpr double kFactor = 1e6;  // chosen: fitted boards stay within 1,400
  return within(value, prior / kFactor, prior * kFactor, where);
}

}  // namespace ridgewatt::twin
