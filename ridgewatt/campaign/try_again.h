// The error for failures that may succeed later.
#pragma once

#include "ridgewatt/base/error.h"

namespace ridgewatt::campaign {

// Nothing is lost, and a later attempt may succeed: a server is unavailable, a disk full, a board
// busy. Status 75 is EX_TEMPFAIL of sysexits.h, which schedulers can be configured to retry.
class TryAgainError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 75; }
};

}  // namespace ridgewatt::campaign
