// Determines the kind of a file from its first bytes, for errors about a file of the wrong kind.
//
//   kind_of_content("SQLite format 3\0..")      // "an SQLite database"
//   kind_of_content("{\"schema\": ..")          // "a JSON file"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt {

// The first bytes of an SQLite database.
inline constexpr std::string_view kSqliteHeader = "SQLite format 3";
// Number of bytes that kind_of_content() needs.
inline constexpr std::size_t kKindBytes = 4096;

inline constexpr std::string_view kCsvKind = "a CSV file";
// Returns the kind with its article. kCsvKind is text whose first line has a comma. Other content
// is "a text file" or "a binary file".
std::string_view kind_of_content(std::string_view begin);
// Returns whether the content is certainly not CSV.
bool is_other_than_csv(std::string_view begin);
// Reads the first kKindBytes of a regular file. Returns an empty text if that is not possible.
std::string begin_of_file(const std::string& path);

}  // namespace ridgewatt
