// Parses the head of an HTTP request strictly with Boost.Beast, and formats the answer. It accepts
// what a browser, curl or Prometheus sends, and rejects anything ambiguous (folded lines, two
// lengths, chunked bodies).
//
//   const RequestHead head = parse_head(text);  // up to and including the empty line
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

// Chosen: leaves room for cookies of other sites on localhost.
inline constexpr std::size_t kHeadLimitBytes = 16384;
// Chosen, for a shared link of the application.
inline constexpr std::size_t kTargetLimitBytes = 6000;
inline constexpr std::size_t kHeaderLimit = 64;  // chosen

struct RequestHead {
  std::string method = {};  // any token; GET before a request is parsed
  std::string target = {};  // "/api/v1/zoo?format=csv"
  bool is_http_1_0 = false;
  bool keep_alive = true;
  std::vector<Header> headers = {};  // names in lower case
  std::size_t content_length = 0;

  // Value of the first header with this name; empty if there is none.
  std::string_view header(std::string_view name) const;
  std::string_view path() const;   // of the target, as sent
  std::string_view query() const;  // after the first '?'
};

// Throws HttpError with the status for the answer.
RequestHead parse_head(std::string_view text);

struct Reply {
  int status = 200;
  // A header whose value contains a control character is not sent.
  std::vector<Header> headers = {};
  std::string body = {};
  // Makes the answer a stream: the body continues with the texts of Gate::publish() whose number is
  // higher than this.
  std::optional<std::uint64_t> stream_after = {};

  void set(const std::string& name, const std::string& value) { headers.emplace_back(name, value); }
};

// Returns problem details (RFC 9457), with the headers that belong to the status. `error` is a copy
// of `detail` for clients of ridgewatt.error/1.
Reply error_reply(const HttpError& error);

// Returns the bytes before the body, with the headers that every answer has. `last` means that the
// connection ends after this answer.
std::string reply_head(const Reply& reply, const RequestHead& request, bool last);

// Encodes a piece of a stream's body in the coding "chunked". An empty text marks the end of the
// body.
std::string chunk_of(const std::string& text);

}  // namespace ridgewatt::serve
