// The error of what may well succeed later.
#pragma once

#include "ridgewatt/base/error.h"

namespace ridgewatt::campaign {

// Nothing is lost, and the same again later may succeed: a server is away, a disk full, a board
// busy. Status 75 is EX_TEMPFAIL of sysexits.h, which schedulers can be told to try again.
class TryAgainError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 75; }
};

}  // namespace ridgewatt::campaign
