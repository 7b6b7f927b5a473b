// Quotes words so that a POSIX shell reads them back unchanged.
#pragma once

#include <string>
#include <vector>

namespace ridgewatt {

// The word itself if the shell treats no character specially, otherwise in single quotes. A word
// must not contain a NUL byte.
std::string shell_quoted(const std::string& word);
// All words, separated by blanks.
std::string shell_line(const std::vector<std::string>& words);
// `text` as a one-line comment.
std::string shell_comment(const std::string& text);

}  // namespace ridgewatt
