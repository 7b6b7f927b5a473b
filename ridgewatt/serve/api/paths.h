// The addresses that are served in addition to questions, and what may be done with each.
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
  const char* type;    // of the answer
  const char* schema;  // its "schema"; empty: none
  const char* member;  // of the body in JSON; empty: no body; "*": any bytes
};

std::span<const FixedPath> fixed_paths();

// For Allow: the methods of an address of the API, of questions too; empty where there is none.
std::string methods_of(std::string_view path);

}  // namespace ridgewatt::serve
