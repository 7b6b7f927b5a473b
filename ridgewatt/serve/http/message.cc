#include "ridgewatt/serve/http/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <ctime>
#include <limits>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/serve/http/query.h"

namespace ridgewatt::serve {
namespace {

namespace beast = boost::beast::http;
using Parser = beast::request_parser<beast::empty_body>;

constexpr char kContentPolicy[] =
    "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'";

// True for "GET / HTTP/2.0", false for "GET /a b HTTP/1.1".
bool is_of_another_version(std::string_view text) {
  const auto line = text.substr(0, text.find("\r\n"));
  const auto word = line.substr(line.rfind(' ') + 1);
  return word.starts_with("HTTP/") && word != "HTTP/1.0" && word != "HTTP/1.1";
}

[[noreturn]] void refuse_head(const boost::system::error_code& error, std::string_view text) {
  if (error == beast::error::bad_version && is_of_another_version(text)) {
    throw HttpError(505, "the version of the request must be HTTP/1.0 or HTTP/1.1");
  }
  if (error == beast::error::header_limit) {
    throw HttpError(431, "the head of the request is too large");
  }
  if (error == beast::error::bad_transfer_encoding) {
    throw HttpError(411, "a body needs Content-Length; chunked encoding is not supported");
  }
  if (!error || error == beast::error::need_more) {
    throw HttpError(400, "the head of the request does not end");
  }
  throw HttpError(400, "the head of the request is not HTTP: " + error.message());
}

void check_target(std::string_view target) {
  if (target.size() > kTargetLimitBytes) throw HttpError(414, "the address is too long");
  if (target.empty() || target.front() != '/') {
    throw HttpError(400, "the address does not begin with '/'");
  }
  for (const unsigned char c : target) {
    if (c <= 0x20 || c >= 0x7f)
      throw HttpError(400, "the address contains a character that must be encoded as %XX");
  }
}

// Headers that decide about access or the length of the body must not be repeated.
void check_repeated(const RequestHead& head) {
  static constexpr std::string_view kOnce[] = {"host",         "origin",         "authorization",
                                               "cookie",       "sec-fetch-site", "content-length",
                                               "content-type", "expect"};
  for (const auto name : kOnce) {
    const auto count = std::count_if(head.headers.begin(), head.headers.end(),
                                     [&](const Header& header) { return header.first == name; });
    if (count > 1) throw HttpError(400, "the header " + std::string(name) + " occurs twice");
  }
}

void check_length(const RequestHead& head) {
  for (const Header& header : head.headers) {
    if (header.first == "transfer-encoding") {
      throw HttpError(411, "a body needs Content-Length; chunked encoding is not supported");
    }
    const bool digits = std::all_of(header.second.begin(), header.second.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
    if (header.first == "content-length" && !digits) {
      throw HttpError(400, "Content-Length is not a number");
    }
  }
  for (const char* method : {"GET", "HEAD", "DELETE"}) {
    if (head.content_length > 0 && head.method == method) {
      throw HttpError(400, head.method + " must not have a body");
    }
  }
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace

std::string_view RequestHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string_view RequestHead::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view RequestHead::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

RequestHead parse_head(std::string_view text) {
  if (text.size() > kHeadLimitBytes) throw HttpError(431, "the head of the request is too large");
  // Reject folded lines, which Beast would join (RFC 9112, 5.2).
  if (text.find("\r\n ") != std::string_view::npos ||
      text.find("\r\n\t") != std::string_view::npos) {
    throw HttpError(400, "a header must be one line");
  }
  Parser parser;
  parser.header_limit(kHeadLimitBytes);
  // Without a limit set here, Beast of Boost 1.74 rejects every body.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  parser.eager(false);
  boost::system::error_code error;
  const std::size_t used = parser.put(boost::asio::buffer(text.data(), text.size()), error);
  if (error || !parser.is_header_done()) refuse_head(error, text);
  if (used < text.size())
    throw HttpError(400, "there is text after the end of the head of the request");
  RequestHead head;
  head.method = std::string(parser.get().method_string());
  head.target = std::string(parser.get().target());
  head.is_http_1_0 = parser.get().version() == 10;
  head.keep_alive = !head.is_http_1_0 && parser.get().keep_alive();
  head.content_length = static_cast<std::size_t>(parser.content_length().value_or(0));
  for (const auto& field : parser.get()) {
    if (head.headers.size() >= kHeaderLimit) throw HttpError(431, "there are too many headers");
    const auto name = field.name_string(), value = field.value();
    head.headers.emplace_back(lower_case({name.data(), name.size()}),
                              std::string(value.data(), value.size()));
  }
  check_target(head.target);
  check_repeated(head);
  check_length(head);
  return head;
}

Reply error_reply(const HttpError& error) {
  // RFC 9110, 11.6.1 and 10.2.3. One second, since a place becomes free as soon as an answer ends.
  static const std::pair<int, Header> kOfStatus[] = {
      {401, {"WWW-Authenticate", "Bearer realm=\"ridgewatt\""}}, {503, {"Retry-After", "1"}}};
  const std::string line = escape_terminal(error.what());
  const auto reason = beast::obsolete_reason(static_cast<beast::status>(error.status()));
  const Json json = json_object({{"schema", "ridgewatt.error/1"},
                                 {"type", "about:blank"},
                                 {"title", std::string(reason.data(), reason.size())},
                                 {"status", error.status()},
                                 {"detail", line},
                                 {"error", line}});
  Reply reply{.status = error.status(), .body = json.dump() + "\n"};
  reply.set("Content-Type", "application/problem+json");
  reply.set("Cache-Control", "no-store");
  for (const auto& [status, header] : kOfStatus) {
    if (status == error.status()) reply.headers.push_back(header);
  }
  if (!error.header().first.empty()) reply.headers.push_back(error.header());
  return reply;
}

std::string reply_head(const Reply& reply, const RequestHead& request, bool last) {
  beast::response<beast::empty_body> head(static_cast<beast::status>(reply.status), 11);
  head.set("Date", date_now());
  for (const auto& [name, value] : reply.headers) {
    if (is_clean_text(value)) head.insert(name, value);
  }
  if (reply.stream_after) {
    if (!request.is_http_1_0) head.set("Transfer-Encoding", "chunked");
  } else if (reply.status != 304) {
    head.set("Content-Length", std::to_string(reply.body.size()));
  }
  if (last) head.set("Connection", "close");
  // Headers that protect browsers.
  head.set("Content-Security-Policy", kContentPolicy);
  head.set("X-Content-Type-Options", "nosniff");
  head.set("X-Frame-Options", "DENY");
  head.set("Referrer-Policy", "no-referrer");
  head.set("Cross-Origin-Resource-Policy", "same-origin");
  head.set("Cross-Origin-Opener-Policy", "same-origin");
  return boost::beast::buffers_to_string(
      beast::fields::writer(head, head.version(), head.result_int()).get());
}

std::string chunk_of(const std::string& text) {
  return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

}  // namespace ridgewatt::serve
