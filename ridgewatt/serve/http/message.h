// The head of a request, read strictly by Boost.Beast: what a browser, curl or Prometheus sends,
// and nothing that two readers could understand in two ways (folded lines, two lengths, chunked
// bodies). And the answer to it.
//
//   const RequestHead head = parse_head(text);  // up to and with the empty line
//   head.header("host");
//   socket.write(reply_head(json_reply(200, "{}"), head, false) + "{}");
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  std::string method = {};  // any token; GET without a request
  std::string target = {};  // "/api/v1/zoo?format=csv"
  bool is_http_1_0 = false;
  bool keep_alive = true;
  std::vector<Header> headers = {};  // names in lower case
  std::size_t content_length = 0;

  // The value of the first header of that name; empty when there is none.
  std::string_view header(std::string_view name) const;
  std::string_view path() const;   // of the target, as it was sent
  std::string_view query() const;  // behind the first '?'
};

// Throws HttpError with the status to answer.
RequestHead parse_head(std::string_view text);

struct Reply {
  int status = 200;
  std::vector<Header> headers = {};  // one with a control character in its value is not sent
  std::string body = {};
  // The body goes on with what the gate publishes under higher numbers.
  std::optional<std::uint64_t> stream_after = {};

  void set(const std::string& name, const std::string& value) { headers.emplace_back(name, value); }
};

// Problem details (RFC 9457), with the headers that belong to the status. `error` is `detail` under
// the name that clients of ridgewatt.error/1 read.
Reply error_reply(const HttpError& error);

// The bytes before the body, with the headers that every answer has; `last`: the connection ends
// with this answer.
std::string reply_head(const Reply& reply, const RequestHead& request, bool last);

// A piece of a stream's body, in the coding "chunked"; of nothing: the end of the body.
std::string chunk_of(const std::string& text);

}  // namespace ridgewatt::serve
