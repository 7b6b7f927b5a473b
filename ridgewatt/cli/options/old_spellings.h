// Options as they were called before one word had one meaning. The help does not show them; for one
// release they are accepted, with a remark on standard error.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ridgewatt::cli {

struct OldSpelling {
  const char* command;  // and its subcommands
  const char* old;
  const char* now;
  const char* before_value = "";  // "svg:" where the option alone said what the file is to be
};

std::span<const OldSpelling> old_spellings();

// The words of a command line with every old spelling replaced by the one of today; `remarks` gets
// "--rate is now --arrival-rate" for each that was. Words behind "--" are another program's.
std::vector<std::string> with_current_spellings(std::vector<std::string> words,
                                                std::vector<std::string>& remarks);

}  // namespace ridgewatt::cli
