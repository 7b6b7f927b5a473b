// Sends one request to an HTTP server with libcurl. libcurl is opened at run time, so programs that
// send no request do not need it.
//
//   const std::string reply = http_get("http://127.0.0.1:9090/api/v1/query?query=up");
//
// Only http and https, no redirects. The user name and password come from ~/.netrc, never from the
// URL, because process lists and error messages may show it. Throws NotSupportedError if libcurl is
// not installed, UsageError for an invalid URL, and IoError with a one-line message for everything
// else.
#pragma once

#include <cstddef>
#include <string>

namespace ridgewatt {

struct HttpGetOptions {
  double timeout_s = 10;  // of the whole request
  std::size_t limit_bytes = std::size_t{16} << 20;
};

// The body of the reply. Any status other than 200 is an IoError.
std::string http_get(const std::string& url, const HttpGetOptions& options = {});
// Escapes `text` for the query of a URL.
std::string url_encoded(const std::string& text);

}  // namespace ridgewatt
