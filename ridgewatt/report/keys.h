// The meaning of every key of a JSON result, for docs/reference/json_keys.md. A field (field.h) or
// a shared column (columns.h) declares its meaning; all other keys have a row in report/keys.
//
//   meaning_of("tune", "nearest_miss.broken[].over");  // "share by which the limit is exceeded"
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt::report {

struct KeyMeaning {
  std::string_view key;  // "over", or qualified: "broken.over"
  std::string_view meaning;
  std::string_view object = {};  // the object that the key is in, in place of "broken."
};

// `command` is the name in the schema, "schedule.plan"; `path` is a path of the reference. The row
// with the longest matching end of the path wins, then the row of the command. The meaning of a
// bound ("time_lo_ms") or of a list element follows from its key. Empty: no row.
std::string meaning_of(std::string_view command, std::string_view path);

}  // namespace ridgewatt::report
