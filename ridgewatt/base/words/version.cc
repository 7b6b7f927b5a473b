#include "ridgewatt/base/version.h"

namespace ridgewatt {

const char* version() {
  return RIDGEWATT_VERSION;
}

}  // namespace ridgewatt
