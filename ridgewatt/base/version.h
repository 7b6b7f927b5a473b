// The version of Ridgewatt.
#pragma once

namespace ridgewatt {

// Returns the version of the library, such as "0.1.0".
const char* version();

}  // namespace ridgewatt
