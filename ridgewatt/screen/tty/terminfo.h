// Queries the terminfo database. This is a separate file because <term.h> defines macros with
// common names.
#pragma once

#include <string>

namespace ridgewatt::screen {

// Returns whether the named terminal is known and can move its cursor. Later calls refer to this
// terminal.
bool choose_terminal(const char* name);
// Returns the sequence that leaves the screen mode: plain text, normal keys, visible cursor,
// previous page.
std::string way_back();

}  // namespace ridgewatt::screen
