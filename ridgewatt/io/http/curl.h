// Opens libcurl at run time, and applies the settings that all requests share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt {

// The parts of libcurl's binary interface that are used here (curl.se/libcurl/c).
inline constexpr int kCurlOk = 0, kCurlWriteError = 23, kCurlAborted = 42;
enum CurlOption {
  kCurlNoProgress = 43,
  kCurlNetrc = 51,
  kCurlFollowLocation = 52,
  kCurlPostFieldSize = 60,
  kCurlNoSignal = 99,
  kCurlTimeoutMs = 155,
  kCurlConnectTimeoutMs = 156,
  kCurlProtocols = 181,
  kCurlWriteData = 10001,
  kCurlUrl = 10002,
  kCurlErrorBuffer = 10010,
  kCurlPostFields = 10015,
  kCurlUserAgent = 10018,
  kCurlHeader = 10023,
  kCurlProgressData = 10057,
  kCurlWriteFunction = 20011,
  kCurlProgressFunction = 20219
};
inline constexpr int kCurlResponseCode = 0x200002;

struct Curl {
  int (*global_init)(long) = nullptr;
  void* (*init)() = nullptr;
  int (*set)(void*, int, ...) = nullptr;
  int (*perform)(void*) = nullptr;
  int (*info)(void*, int, ...) = nullptr;
  void (*cleanup)(void*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  void* (*add_header)(void*, const char*) = nullptr;
  void (*free_headers)(void*) = nullptr;
};

// Loads the library at the first call. Throws NotSupportedError if libcurl is not installed.
const Curl& curl_library();

// Throws UsageError unless `url` is an http or https URL without password, blanks and control
// characters.
void check_url(const std::string& url);
// The URL without its query, for messages.
std::string server_of(const std::string& url);

// Headers of a request. Throws UsageError for a header with a line break.
class CurlHeaders {
 public:
  explicit CurlHeaders(const std::vector<std::string>& lines);
  ~CurlHeaders() { curl_library().free_headers(list_); }
  CurlHeaders(const CurlHeaders&) = delete;
  CurlHeaders& operator=(const CurlHeaders&) = delete;
  void* list() const { return list_; }

 private:
  void* list_ = nullptr;
};

// One request: http and https only, no redirects, password from ~/.netrc.
class CurlQuestion {
 public:
  // Throws like curl_library() and check_url().
  CurlQuestion(const std::string& url, double timeout_s, double connect_timeout_s);
  ~CurlQuestion();
  CurlQuestion(const CurlQuestion&) = delete;
  CurlQuestion& operator=(const CurlQuestion&) = delete;

  void* handle() { return easy_; }
  template <typename Value>
  void set(CurlOption option, Value value) {
    curl_.set(easy_, option, value);
  }
  // The result of curl_easy_perform.
  int perform() { return curl_.perform(easy_); }
  long status() const;  // HTTP status; 0 before the reply
  // Throws IoError if `result`, the result of perform(), is an error, or if the HTTP status is not
  // 200. In the latter case, the message contains the first line of `reply`.
  void require_success(int result, const std::string& reply) const;

 private:
  std::string url_;
  const Curl& curl_;
  void* easy_;
  std::string error_;
};

}  // namespace ridgewatt
