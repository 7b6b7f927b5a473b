// The error for failures after which a new attempt may succeed.
#pragma once

#include "ridgewatt/base/error.h"

namespace ridgewatt::campaign {

// No data is lost and a later attempt may succeed, for example if a server is unavailable, a disk
// is full or a board is busy. Exit status 75 is EX_TEMPFAIL of sysexits.h; schedulers can be
// configured to retry on it.
class TryAgainError : public Error {
 public:
  using Error::Error;
  int exit_status() const override { return 75; }
};

}  // namespace ridgewatt::campaign
