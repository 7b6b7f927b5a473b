// Sends one request to an HTTP server with libcurl. The library is opened at run time, so programs
// that send no request do not need it.
//
//   const std::string reply = http_get("http://127.0.0.1:9090/api/v1/query?query=up");
//
// Supports only http and https, and follows no redirects. User name and password come from ~/.netrc
// and not from the URL, since process lists and error messages may show the URL. Throws
// NotSupportedError if libcurl is not installed, UsageError for an invalid URL, and IoError with a
// one-line message for all other failures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt {

struct HttpGetOptions {
  double timeout_s = 10;  // for the whole request
  std::size_t limit_bytes = std::size_t{16} << 20;
  std::vector<std::string> headers = {};  // "Name: value"
};

// Returns the body of the reply. Throws IoError for any status other than 200.
std::string http_get(const std::string& url, const HttpGetOptions& options = {});
// Escapes `text` for the query of a URL.
std::string url_encoded(const std::string& text);

}  // namespace ridgewatt
