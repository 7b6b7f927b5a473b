// One question to an HTTP server, by libcurl, which is opened while the program runs: who asks no
// server needs no library.
//
//   const std::string reply = http_get("http://127.0.0.1:9090/api/v1/query?query=up");
//
// http and https alone, and no redirects. A name and password come from ~/.netrc, never from the
// URL, which may stand in process lists and error lines. Throws NotSupportedError where there is no
// libcurl, UsageError for what is not such a URL, IoError in one line for everything else.
#pragma once

#include <cstddef>
#include <string>

namespace ridgewatt {

struct HttpGetOptions {
  double timeout_s = 10;  // of the whole question
  std::size_t limit_bytes = std::size_t{16} << 20;
};

// The body of a reply with status 200.
std::string http_get(const std::string& url, const HttpGetOptions& options = {});
// `text` for the query of a URL.
std::string url_encoded(const std::string& text);

}  // namespace ridgewatt
