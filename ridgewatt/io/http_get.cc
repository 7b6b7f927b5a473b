#include "ridgewatt/io/http_get.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt {
namespace {

constexpr char kCurlName[] = "libcurl.so.4";

// The few parts of libcurl's binary interface that are used here (curl.se/libcurl/c).
constexpr int kCurlOk = 0, kCurlWriteError = 23;
constexpr long kCurlGlobalDefault = 3;
enum CurlOption {
  kCurlTimeoutMs = 155,
  kCurlConnectTimeoutMs = 156,
  kCurlNetrc = 51,
  kCurlFollowLocation = 52,
  kCurlNoSignal = 99,
  kCurlProtocols = 181,
  kCurlWriteData = 10001,
  kCurlUrl = 10002,
  kCurlErrorBuffer = 10010,
  kCurlUserAgent = 10018,
  kCurlWriteFunction = 20011
};
constexpr int kCurlResponseCode = 0x200002;
constexpr long kCurlHttpAndHttps = 3;
constexpr long kCurlNetrcOptional = 1;
constexpr std::size_t kCurlErrorBytes = 256;

class Curl {
 public:
  Curl() : handle_(open_library(kCurlName)) {
    if (handle_ == nullptr) {
      throw NotSupportedError(no_library(kCurlName), "", "install libcurl4");
    }
    load(global_init, "curl_global_init");
    load(init, "curl_easy_init");
    load(set, "curl_easy_setopt");
    load(perform, "curl_easy_perform");
    load(info, "curl_easy_getinfo");
    load(cleanup, "curl_easy_cleanup");
    load(error_text, "curl_easy_strerror");
    if (global_init(kCurlGlobalDefault) != kCurlOk) throw IoError("libcurl does not start");
  }

  int (*global_init)(long) = nullptr;
  void* (*init)() = nullptr;
  int (*set)(void*, int, ...) = nullptr;
  int (*perform)(void*) = nullptr;
  int (*info)(void*, int, ...) = nullptr;
  void (*cleanup)(void*) = nullptr;
  const char* (*error_text)(int) = nullptr;

 private:
  template <typename Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
    if (function == nullptr) throw NotSupportedError(fmt::format("{} lacks {}", kCurlName, name));
  }
  void* handle_;  // for the rest of the process: it has threads and state of its own
};

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

// The URL without its query, for messages.
std::string server_of(const std::string& url) {
  return url.substr(0, url.find('?'));
}

void check_url(const std::string& url) {
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  if (!known) throw UsageError("not a URL of http or https", server_of(url).substr(0, 80));
  const auto begin = url.find("//") + 2;
  const auto host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  if (host.find('@') != std::string::npos) {
    throw UsageError("a name or password in a URL is seen by others", "",
                     "leave it out and write it into ~/.netrc");
  }
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 127) {
      throw UsageError("a URL has no blanks and no control characters");
    }
  }
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
  check_url(url);
  static const Curl curl;
  HttpBody body{{}, options.limit_bytes};
  std::string error(kCurlErrorBytes, '\0');
  void* easy = curl.init();
  if (easy == nullptr) throw IoError("libcurl does not start");
  const auto timeout_ms = static_cast<long>(options.timeout_s * 1e3);
  curl.set(easy, kCurlUrl, url.c_str());
  curl.set(easy, kCurlProtocols, kCurlHttpAndHttps);
  curl.set(easy, kCurlFollowLocation, 0L);
  curl.set(easy, kCurlNoSignal, 1L);
  curl.set(easy, kCurlNetrc, kCurlNetrcOptional);
  curl.set(easy, kCurlTimeoutMs, timeout_ms);
  curl.set(easy, kCurlConnectTimeoutMs, timeout_ms);
  curl.set(easy, kCurlUserAgent, "ridgewatt");
  curl.set(easy, kCurlErrorBuffer, error.data());
  curl.set(easy, kCurlWriteFunction, &keep_body);
  curl.set(easy, kCurlWriteData, &body);
  const int result = curl.perform(easy);
  long status = 0;
  curl.info(easy, kCurlResponseCode, &status);
  curl.cleanup(easy);
  if (result == kCurlWriteError && body.too_long) {
    throw IoError(fmt::format("a reply of more than {} bytes", options.limit_bytes),
                  server_of(url));
  }
  if (result != kCurlOk) {
    const std::string said = error.c_str();
    throw IoError("no reply", server_of(url), said.empty() ? curl.error_text(result) : said);
  }
  if (status != 200) {
    throw IoError(fmt::format("the server answers with status {}", status), server_of(url),
                  body.text.substr(0, std::min<std::size_t>(body.text.find('\n'), 200)));
  }
  return body.text;
}

}  // namespace ridgewatt
