// Quotes words so that a POSIX shell reads them back unchanged.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt {

// Returns the word. It is in single quotes if the shell would treat a character specially. A word
// must not contain a NUL byte.
std::string shell_quoted(const std::string& word);
// All words, separated by blanks.
std::string shell_line(const std::vector<std::string>& words);
// `text` as a one-line comment.
std::string shell_comment(const std::string& text);

}  // namespace ridgewatt
