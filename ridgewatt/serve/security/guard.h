// Who may ask what: the name by which the server is called (DNS rebinding), pages of other sites,
// the token, and how many requests per second. Each refusal is an HttpError with one line.
//
//   Guard guard({.loopback = true, .rate = 200});
//   guard.admit(head, address, secure);   // of every request, before its body is read
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "ridgewatt/serve/http/message.h"

namespace ridgewatt::serve {

struct GuardOptions {
  bool loopback = true;              // called by localhost, 127.0.0.1 or [::1] alone
  std::string token = {};            // empty: none is asked for
  std::string cookie = "ridgewatt";  // its name: browsers do not distinguish ports
  double rate = 200;                 // requests per second of one address; twice as many at once
};

class Guard {
 public:
  explicit Guard(GuardOptions options) : options_(std::move(options)) {}

  void admit(const RequestHead& head, const std::string& address, bool secure);
  // True when no token is asked for, or the request shows it (Authorization, cookie).
  bool has_token(const RequestHead& head) const;
  // Set-Cookie for whoever sent the token as body. Throws HttpError 401.
  std::string open_session(std::string_view token, bool secure) const;
  bool asks_for_token() const { return !options_.token.empty(); }

 private:
  struct Bucket {
    double requests = 0;  // that may come at once
    std::chrono::steady_clock::time_point at = {};
  };

  void check_host(const RequestHead& head) const;
  void take_from_bucket(const std::string& address);

  GuardOptions options_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

// Nothing, or HttpError 403 for a request that a page of another site makes the browser send.
void refuse_other_sites(const RequestHead& head, bool secure);

}  // namespace ridgewatt::serve
