// Errors that end a profile of a running program. The search (tune/in_place_search.h) handles
// them.
#pragma once

#include <string>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// The power limit was exceeded and the mode was abandoned immediately. The point cannot be an
// answer.
class OverLimitError : public NotFoundError {
 public:
  OverLimitError(const std::string& what, const std::string& where, double power_w)
      : NotFoundError(what, where), power_w_(power_w) {}
  double power_w() const { return power_w_; }  // power measured until the mode was left

 private:
  double power_w_;
};

// Earlier profiles are no longer valid, because the time and power of minibatches have changed.
class DriftedError : public Error {
 public:
  DriftedError(const std::string& what, double time_factor, double power_factor, int doubtful = 0)
      : Error(what), time_factor_(time_factor), power_factor_(power_factor), doubtful_(doubtful) {}
  double time_factor() const { return time_factor_; }  // new value divided by old value
  double power_factor() const { return power_factor_; }
  // Number of most recent profiles that may have been measured before or after the change. Includes
  // profiles that exceeded the power limit.
  int doubtful() const { return doubtful_; }

 private:
  double time_factor_, power_factor_;
  int doubtful_;
};

// The program ended before the profile was complete.
class ProgramEndedError : public Error {
  using Error::Error;
};

}  // namespace ridgewatt
