// Quotes words so that a POSIX shell reads them back unchanged.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt {

// Unchanged if the shell treats no character specially, otherwise in single quotes. A NUL byte
// cannot be quoted.
std::string shell_quoted(const std::string& word);
// All words, separated by blanks.
std::string shell_line(const std::vector<std::string>& words);
// A one-line comment.
std::string shell_comment(const std::string& text);

}  // namespace ridgewatt
