#include "ridgewatt/screen/tty/terminfo.h"

#ifdef RIDGEWATT_HAS_CURSES

#include <unistd.h>

// Included last: it defines macros with common names.
#include <curses.h>
#include <term.h>

namespace ridgewatt::screen {

bool choose_terminal(const char* name) {
  int fault = 0;
  if (::setupterm(name, STDOUT_FILENO, &fault) != OK) return false;
  const char* moves = ::tigetstr("cup");
  return moves != nullptr && moves != reinterpret_cast<char*>(-1);
}

// Omits the delays ("$<5>") for old terminals.
std::string way_back() {
  std::string text;
  for (const char* name : {"sgr0", "rmkx", "cnorm", "rmcup"}) {
    const char* sequence = ::tigetstr(name);
    if (sequence == nullptr || sequence == reinterpret_cast<char*>(-1)) continue;
    std::string part(sequence);
    for (auto begin = part.find("$<"); begin != part.npos; begin = part.find("$<")) {
      const auto end = part.find('>', begin);
      part.erase(begin, end == part.npos ? part.npos : end - begin + 1);
    }
    text += part;
  }
  return text;
}

}  // namespace ridgewatt::screen

#endif
