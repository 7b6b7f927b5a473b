// What the database of terminals says of this one. Apart from all else: its header, <term.h>, makes
// macros of common words.
#pragma once

#include <string>

namespace ridgewatt::screen {

// The terminal of this name is known and can move its cursor; from then on it is the one asked of.
bool choose_terminal(const char* name);
// What turns the screen back: plain text, usual keys, the cursor, the page that was there before.
std::string way_back();

}  // namespace ridgewatt::screen
