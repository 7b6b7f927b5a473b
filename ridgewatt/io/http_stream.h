// Sends a request to an HTTP server and processes the reply while it arrives, as server-sent
// events.
//
//   ServerEvents events;
//   http_post_stream(url, body, [&](std::string_view piece) {
//     events.add(piece, [&](const std::string& data) { .. });
//     return true;                                  // false: stop reading
//   });
//
// URLs, passwords, the library and errors are as in http_get.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt {

struct HttpStreamOptions {
  double timeout_s = 3600;  // for the whole reply
  double connect_timeout_s = 10;
  std::size_t limit_bytes = std::size_t{1} << 28;
  // For example "Authorization: Bearer ..". Content-Type is always sent.
  std::vector<std::string> headers;
  // Null, or a flag that cancels the request when it becomes true.
  const std::atomic<bool>* stop = nullptr;
};

// Posts `body` as JSON and passes each piece of the reply to `take`. Ends early, without an error,
// if `take` returns false or `stop` becomes true. Throws IoError with the first line of the reply
// for a status other than 200, and the errors of `take`.
void http_post_stream(const std::string& url, const std::string& body,
                      const std::function<bool(std::string_view)>& take,
                      const HttpStreamOptions& options = {});

// Parses server-sent events (HTML Living Standard, 9.2) from pieces of any size, and calls `event`
// with the data of each event.
class ServerEvents {
 public:
  // Throws InputError for an event larger than 1 MiB.
  void add(std::string_view piece, const std::function<void(const std::string&)>& event);

 private:
  void line(const std::function<void(const std::string&)>& event);

  std::string line_;
  std::string data_;
  bool any_ = false;  // whether the current event has a data field
  bool after_return_ = false;
};

}  // namespace ridgewatt
