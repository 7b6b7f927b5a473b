#include "ridgewatt/io/http_get.h"

#include <fmt/format.h>

#include <cctype>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/http/curl.h"

namespace ridgewatt {
namespace {

struct HttpBody {
  std::string text;
  std::size_t limit_bytes = 0;
  bool too_long = false;
};

std::size_t keep_body(char* bytes, std::size_t size, std::size_t count, void* target) {
  auto& body = *static_cast<HttpBody*>(target);
  if (body.text.size() + size * count > body.limit_bytes) {
    body.too_long = true;
    return 0;
  }
  body.text.append(bytes, size * count);
  return size * count;
}

}  // namespace

std::string url_encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 &&
        (std::isalnum(byte) != 0 || std::string_view("-_.~").find(c) != std::string_view::npos))
      result += c;
    else
      result += fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string http_get(const std::string& url, const HttpGetOptions& options) {
  CurlQuestion question(url, options.timeout_s, options.timeout_s);
  const CurlHeaders headers(options.headers);
  HttpBody body{{}, options.limit_bytes};
  question.set(kCurlHeader, headers.list());
  question.set(kCurlWriteFunction, &keep_body);
  question.set(kCurlWriteData, &body);
  const int result = question.perform();
  if (result == kCurlWriteError && body.too_long) {
    throw IoError(fmt::format("the reply has more than {} bytes", options.limit_bytes),
                  server_of(url));
  }
  question.require_success(result, body.text);
  return body.text;
}

}  // namespace ridgewatt
