// The meaning of every key of a JSON result, for docs/reference/json_keys.md. Fields (field.h) and
// shared columns (columns.h) declare their meanings; all other keys have a row in report/keys.
//
//   meaning_of("tune", "nearest_miss.broken[].over");  // "excess over the limit, as a share"
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt::report {

struct KeyMeaning {
  std::string_view key;  // "over", or qualified by its object: "broken.over"
  std::string_view meaning;
  // The object that contains the key, instead of the qualifier "broken.".
  std::string_view object = {};
};

// `command` is the name in the schema, such as "schedule.plan"; `path` is the path of a key in the
// reference. The row that matches the longest suffix of the path is used; if several rows match
// equally, the row of the command is used. The meaning of a bound ("time_lo_ms") or a list element
// is derived from that of its key. Empty if there is no row.
std::string meaning_of(std::string_view command, std::string_view path);

}  // namespace ridgewatt::report
