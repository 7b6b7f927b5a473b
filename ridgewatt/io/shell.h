// Words as a POSIX shell reads them back, whatever they hold.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt {

// As it is where no shell would touch it, else in single quotes. A NUL byte cannot be quoted.
std::string shell_quoted(const std::string& word);
// All of them, with blanks between.
std::string shell_line(const std::vector<std::string>& words);
// A comment of one line.
std::string shell_comment(const std::string& text);

}  // namespace ridgewatt
