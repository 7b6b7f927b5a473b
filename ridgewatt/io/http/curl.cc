#include "ridgewatt/io/http/curl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt {
namespace {

constexpr char kCurlName[] = "libcurl.so.4";
constexpr long kCurlGlobalDefault = 3;
constexpr long kCurlHttpAndHttps = 3;
constexpr long kCurlNetrcOptional = 1;
constexpr std::size_t kCurlErrorBytes = 256;

Curl open_curl() {
  void* handle = open_library(kCurlName);  // never closed: libcurl has global state
  if (handle == nullptr) throw NotSupportedError(no_library(kCurlName), "", "install libcurl4");
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr)
      throw NotSupportedError(fmt::format("{} lacks the function {}", kCurlName, name), "",
                              "install libcurl4");
  };
  Curl curl;
  load(curl.global_init, "curl_global_init");
  load(curl.init, "curl_easy_init");
  load(curl.set, "curl_easy_setopt");
  load(curl.perform, "curl_easy_perform");
  load(curl.info, "curl_easy_getinfo");
  load(curl.cleanup, "curl_easy_cleanup");
  load(curl.error_text, "curl_easy_strerror");
  load(curl.add_header, "curl_slist_append");
  load(curl.free_headers, "curl_slist_free_all");
  if (curl.global_init(kCurlGlobalDefault) != kCurlOk)
    throw IoError("libcurl cannot be initialized");
  return curl;
}

}  // namespace

const Curl& curl_library() {
  static const Curl curl = open_curl();
  return curl;
}

std::string server_of(const std::string& url) {
  return url.substr(0, url.find('?'));
}

void check_url(const std::string& url) {
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  if (!known)
    throw UsageError("is not an http or https URL", server_of(url).substr(0, 80),
                     "for example http://127.0.0.1:8000");
  const auto begin = url.find("//") + 2;
  const auto host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  if (host.find('@') != std::string::npos) {
    throw UsageError(
        "the URL contains a user name or password, which other users of this machine can see", "",
        "put it into ~/.netrc instead");
  }
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 127) {
      throw UsageError("a URL must not contain blanks or control characters");
    }
  }
}

CurlHeaders::CurlHeaders(const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    if (line.find_first_of("\r\n") != std::string::npos) {
      throw UsageError("a request header must be one line");
    }
  }
  for (const auto& line : lines) list_ = curl_library().add_header(list_, line.c_str());
}

CurlQuestion::CurlQuestion(const std::string& url, double timeout_s, double connect_timeout_s)
    : url_(url),
      curl_((check_url(url), curl_library())),
      easy_(curl_.init()),
      error_(kCurlErrorBytes, '\0') {
  if (easy_ == nullptr) throw IoError("libcurl cannot be initialized");
  set(kCurlUrl, url.c_str());
  set(kCurlProtocols, kCurlHttpAndHttps);
  set(kCurlFollowLocation, 0L);
  set(kCurlNoSignal, 1L);
  set(kCurlNetrc, kCurlNetrcOptional);
  set(kCurlTimeoutMs, static_cast<long>(timeout_s * 1e3));
  set(kCurlConnectTimeoutMs, static_cast<long>(connect_timeout_s * 1e3));
  set(kCurlUserAgent, "ridgewatt");
  set(kCurlErrorBuffer, error_.data());
}

CurlQuestion::~CurlQuestion() {
  curl_.cleanup(easy_);
}

long CurlQuestion::status() const {
  long status = 0;
  curl_.info(easy_, kCurlResponseCode, &status);
  return status;
}

void CurlQuestion::require_success(int result, const std::string& reply) const {
  if (result != kCurlOk) {
    const std::string said = error_.c_str();
    throw IoError("the server sent no reply", server_of(url_),
                  said.empty() ? curl_.error_text(result) : said);
  }
  if (const long got = status(); got != 200) {
    throw IoError(fmt::format("the server replied with status {}", got), server_of(url_),
                  reply.substr(0, std::min<std::size_t>(reply.find('\n'), 200)));
  }
}

}  // namespace ridgewatt
