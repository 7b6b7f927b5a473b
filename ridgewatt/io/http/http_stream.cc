#include "ridgewatt/io/http_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/http/curl.h"

namespace ridgewatt {
namespace {

constexpr std::size_t kMostEventBytes = std::size_t{1} << 20;
constexpr std::size_t kMostErrorBytes = 2000;

struct HttpPieces {
  CurlQuestion& question;
  const std::function<bool(std::string_view)>& take;
  const HttpStreamOptions& options;
  std::size_t bytes = 0;
  bool enough = false;
  bool too_long = false;
  std::string error;  // start of the body of a reply that is an error
  std::exception_ptr failure;
};

// Called by libcurl, which is C: must not throw.
std::size_t hand_on(char* bytes, std::size_t size, std::size_t count, void* target) {
  auto& pieces = *static_cast<HttpPieces*>(target);
  const std::string_view piece(bytes, size * count);
  try {
    if (pieces.question.status() != 200) {
      pieces.error +=
          piece.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, pieces.error.size()));
      return piece.size();
    }
    pieces.bytes += piece.size();
    pieces.too_long = pieces.bytes > pieces.options.limit_bytes;
    if (!pieces.too_long) pieces.enough = !pieces.take(piece);
  } catch (...) {
    pieces.failure = std::current_exception();
  }
  return pieces.enough || pieces.too_long || pieces.failure ? 0 : piece.size();
}

int give_up(void* target, std::int64_t, std::int64_t, std::int64_t, std::int64_t) {
  const auto* stop = static_cast<const HttpPieces*>(target)->options.stop;
  return stop != nullptr && stop->load() ? 1 : 0;
}

}  // namespace

void http_post_stream(const std::string& url, const std::string& body,
                      const std::function<bool(std::string_view)>& take,
                      const HttpStreamOptions& options) {
  CurlQuestion question(url, options.timeout_s, options.connect_timeout_s);
  std::vector<std::string> lines = {"Content-Type: application/json",
                                    "Expect:"};  // does not wait for "100 Continue"
  lines.insert(lines.end(), options.headers.begin(), options.headers.end());
  const CurlHeaders headers(lines);
  HttpPieces pieces{question, take, options, 0, false, false, {}, nullptr};
  question.set(kCurlPostFieldSize, static_cast<long>(body.size()));
  question.set(kCurlPostFields, body.c_str());
  question.set(kCurlHeader, headers.list());
  question.set(kCurlWriteFunction, &hand_on);
  question.set(kCurlWriteData, &pieces);
  question.set(kCurlNoProgress, 0L);
  question.set(kCurlProgressFunction, &give_up);
  question.set(kCurlProgressData, &pieces);
  const int result = question.perform();
  if (pieces.failure) std::rethrow_exception(pieces.failure);
  if (pieces.enough || result == kCurlAborted) return;
  if (pieces.too_long) {
    throw IoError(fmt::format("the reply has more than {} bytes", options.limit_bytes),
                  server_of(url));
  }
  question.require_success(result, pieces.error);
}

void ServerEvents::add(std::string_view piece,
                       const std::function<void(const std::string&)>& event) {
  for (const char c : piece) {
    const bool pair = after_return_ && c == '\n';  // CR LF ends a line once
    after_return_ = c == '\r';
    if (pair) continue;
    if (c == '\n' || c == '\r') {
      line(event);
      line_.clear();
      continue;
    }
    if (line_.size() + data_.size() >= kMostEventBytes) {
      throw InputError("an event in the server's stream is too long", "",
                       "check that the URL is that of a language model server");
    }
    line_ += c;
  }
}

void ServerEvents::line(const std::function<void(const std::string&)>& event) {
  if (line_.empty()) {
    if (any_) event(data_);
    data_.clear();
    any_ = false;
    return;
  }
  std::string_view text = line_;
  if (!text.starts_with("data:")) return;  // a comment, or a field that is not used here
  text.remove_prefix(5);
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (any_) data_ += '\n';
  data_ += text;
  any_ = true;
}

}  // namespace ridgewatt
