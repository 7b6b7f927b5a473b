// The paths that are served in addition to questions, and the methods that each path allows.
//
//   methods_of("/api/v1/mode");  // "DELETE, GET, HEAD, POST"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgewatt::serve {

struct FixedPath {
  const char* path;    // {number} stands for digits
  const char* method;  // in lower case
  const char* summary;
  const char* type;    // content type of the answer
  const char* schema;  // Value of "schema" in the answer. Empty: none.
  const char* member;  // Member of the JSON body. Empty: no body. "*": any bytes.
};

std::span<const FixedPath> fixed_paths();

// Returns the methods of a path of the API, including questions, for the header Allow. Empty if
// there is no such path.
std::string methods_of(std::string_view path);

}  // namespace ridgewatt::serve
