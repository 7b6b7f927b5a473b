// Queries the terminfo database. In a file of its own because its header, <term.h>, defines macros
// with common names.
#pragma once

#include <string>

namespace ridgewatt::screen {

// Whether the terminal of this name is known and can move its cursor; later calls refer to it.
bool choose_terminal(const char* name);
// The sequence that leaves the screen mode: plain text, usual keys, the cursor, the previous page.
std::string way_back();

}  // namespace ridgewatt::screen
