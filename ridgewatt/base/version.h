// Which version of Ridgewatt this is.
#pragma once

namespace ridgewatt {

// The version of the library, for example "0.1.0".
const char* version();

}  // namespace ridgewatt
