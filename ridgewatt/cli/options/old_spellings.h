// Former names of options. They are not in the help, but are accepted for one release with a remark
// on standard error.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ridgewatt::cli {

struct OldSpelling {
  const char* command;  // applies to this command and its subcommands
  const char* old;
  const char* now;
  // Prefix of the value, such as "svg:" if the former name implied it.
  const char* before_value = "";
};

std::span<const OldSpelling> old_spellings();

// Replaces former names in a command line by current names. Appends to `remarks` a text such as
// "--rate is now --arrival-rate" for each. Words after "--" belong to another program and are
// unchanged.
std::vector<std::string> with_current_spellings(std::vector<std::string> words,
                                                std::vector<std::string>& remarks);

}  // namespace ridgewatt::cli
