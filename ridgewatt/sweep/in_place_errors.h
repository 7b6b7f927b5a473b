// What ends a profile of a program that goes on running, so that whoever searches can answer it.
#pragma once

#include <string>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// The power limit was exceeded and the mode left at once: the point is known to be no answer.
class OverLimitError : public NotFoundError {
 public:
  OverLimitError(const std::string& what, const std::string& where, double power_w)
      : NotFoundError(what, where), power_w_(power_w) {}
  double power_w() const { return power_w_; }  // seen until then

 private:
  double power_w_;
};

// What was profiled before no longer holds: minibatches take and draw other than they did.
class DriftedError : public Error {
 public:
  DriftedError(const std::string& what, double time_factor, double power_factor, int doubtful = 0)
      : Error(what), time_factor_(time_factor), power_factor_(power_factor), doubtful_(doubtful) {}
  double time_factor() const { return time_factor_; }  // of what is now over what was
  double power_factor() const { return power_factor_; }
  // So many of the last profiles may have been before or after the change; those that exceeded the
  // limit count.
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
