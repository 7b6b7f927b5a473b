// "Did you mean ...?": the known word that is closest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgewatt {

// Number of inserted, deleted, replaced or swapped neighboring characters between two words
// (optimal string alignment; Damerau, CACM 7(3), 1964), ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The known word within a third of the length of `word` (at least one edit), or the only one that
// begins with `word`; empty when there is none.
std::string closest_word(std::string_view word, std::span<const std::string> known);

// "did you mean X?" or, when nothing is close, `otherwise`: the hint of an error.
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         const std::string& otherwise = "");

}  // namespace ridgewatt
