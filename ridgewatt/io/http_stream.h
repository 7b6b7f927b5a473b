// Sends a request to an HTTP server and passes the reply on as it arrives: server-sent events.
//
//   ServerEvents events;
//   http_post_stream(url, body, [&](std::string_view piece) {
//     events.add(piece, [&](const std::string& data) { .. });
//     return true;                                  // false: that is enough
//   });
//
// URLs, passwords, libraries and errors as in http_get.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

struct HttpStreamOptions {
  double timeout_s = 3600;  // of the whole reply
  double connect_timeout_s = 10;
  std::size_t limit_bytes = std::size_t{1} << 28;
  // "Authorization: Bearer ..", in addition to Content-Type
  std::vector<std::string> headers;
  const std::atomic<bool>* stop = nullptr;  // set to true to cancel the request
};

// Posts `body` as JSON. A reply with a status other than 200 is an IoError with its first line.
// Stops early, without an error, when `take` returns false or `stop` is true. Exceptions of `take`
// are passed on.
void http_post_stream(const std::string& url, const std::string& body,
                      const std::function<bool(std::string_view)>& take,
                      const HttpStreamOptions& options = {});

// Parses server-sent events (HTML Living Standard, 9.2) from pieces of any size; returns the data
// of each event.
class ServerEvents {
 public:
  // Throws InputError for an event of more than a mebibyte.
  void add(std::string_view piece, const std::function<void(const std::string&)>& event);

 private:
  void line(const std::function<void(const std::string&)>& event);

  std::string line_;
  std::string data_;
  bool any_ = false;  // a data field was seen since the last event
  bool after_return_ = false;
};

}  // namespace ridgewatt
