// Decides whether a request is allowed, by the host name in the request (against DNS rebinding),
// its origin (pages of other sites), the token, and the number of requests per second. Each
// rejection is an HttpError with one line.
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
  bool loopback = true;    // accept only the hosts localhost, 127.0.0.1 and [::1]
  std::string token = {};  // empty: no token is required
  // Name of the cookie. Browsers do not separate cookies by port.
  std::string cookie = "ridgewatt";
  double rate = 200;  // Requests per second of one address. Bursts may have twice as many.
};

class Guard {
 public:
  explicit Guard(GuardOptions options) : options_(std::move(options)) {}

  // Throws HttpError: 400 or 403 (host), 403 (other site), 401 (token), 429 (too many requests).
  // `secure` means TLS.
  void admit(const RequestHead& head, const std::string& address, bool secure);
  // True if no token is required, or the request contains it (header Authorization or cookie).
  bool has_token(const RequestHead& head) const;
  // Returns the header Set-Cookie for a client that sent the token as body; empty if no token is
  // required. Throws HttpError 401 for a wrong token.
  std::string open_session(std::string_view token, bool secure) const;
  bool asks_for_token() const { return !options_.token.empty(); }

 private:
  struct Bucket {
    double requests = 0;  // number of requests currently allowed
    std::chrono::steady_clock::time_point at = {};
  };

  void check_host(const RequestHead& head) const;
  void take_from_bucket(const std::string& address);

  GuardOptions options_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

// Throws HttpError 403 for a request that a page of another site made the browser send.
void refuse_other_sites(const RequestHead& head, bool secure);

}  // namespace ridgewatt::serve
