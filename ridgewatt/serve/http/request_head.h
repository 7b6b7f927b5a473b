// The head of a request, read strictly: what a browser, curl or Prometheus sends, and nothing that
// two readers could understand in two ways (folded lines, two lengths, chunked bodies).
//
//   const RequestHead head = parse_head(text);  // up to and with the empty line
//   head.header("host");
//
// Throws HttpError with the status to answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/serve/http/http_error.h"

namespace ridgewatt::serve {

inline constexpr std::size_t kHeadLimitBytes =
    16384;  // chosen: cookies of other sites of localhost
inline constexpr std::size_t kTargetLimitBytes = 6000;  // chosen: a shared address of the app
inline constexpr std::size_t kHeaderLimit = 64;         // chosen

struct RequestHead {
  std::string method = {};  // GET, HEAD, POST or DELETE
  std::string target = {};  // "/api/v1/zoo?format=csv"
  bool keep_alive = true;
  std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case
  std::size_t content_length = 0;

  // The value of the first header of that name; empty when there is none.
  std::string_view header(std::string_view name) const;
  std::string_view path() const;   // of the target, as it was sent
  std::string_view query() const;  // behind the first '?'
};

RequestHead parse_head(std::string_view text);

}  // namespace ridgewatt::serve
