#include "ridgewatt/serve/http/request_head.h"

#include <algorithm>
#include <charconv>

namespace ridgewatt::serve {
namespace {

constexpr std::string_view kEnd = "\r\n";

bool is_token_byte(unsigned char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_value_byte(unsigned char c) {
  return c == '\t' || (c >= 0x20 && c != 0x7f);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void check_method(std::string_view method) {
  for (const auto* known : {"GET", "HEAD", "POST", "DELETE"}) {
    if (method == known) return;
  }
  if (method.empty() || !std::all_of(method.begin(), method.end(), is_token_byte)) {
    throw HttpError(400, "the request line is not HTTP");
  }
  throw HttpError(405, "the method is none of GET, HEAD, POST and DELETE");
}

void check_target(std::string_view target) {
  if (target.size() > kTargetLimitBytes) throw HttpError(414, "the address is too long");
  if (target.empty() || target.front() != '/') {
    throw HttpError(400, "the address does not begin with '/'");
  }
  for (const unsigned char c : target) {
    if (c <= 0x20 || c >= 0x7f) throw HttpError(400, "the address holds a byte that must be %XX");
  }
}

void read_request_line(std::string_view line, RequestHead& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    throw HttpError(400, "the request line is not HTTP");
  }
  const auto version = line.substr(last + 1);
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  check_method(head.method);
  check_target(head.target);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    throw HttpError(505, "the version is neither HTTP/1.0 nor HTTP/1.1");
  }
  head.keep_alive = version == "HTTP/1.1";
}

void read_header(std::string_view line, RequestHead& head) {
  const auto colon = line.find(':');
  const auto name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() ||
      !std::all_of(name.begin(), name.end(), is_token_byte)) {
    throw HttpError(400, "a header is not 'name: value'");
  }
  const auto value = without_blanks(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), is_value_byte)) {
    throw HttpError(400, "a header holds a control character");
  }
  if (head.headers.size() >= kHeaderLimit) throw HttpError(431, "there are too many headers");
  head.headers.emplace_back(lower_case(name), value);
}

std::size_t count_of(const RequestHead& head, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(head.headers.begin(), head.headers.end(),
                                                [&](const auto& h) { return h.first == name; }));
}

void read_length(RequestHead& head) {
  if (count_of(head, "transfer-encoding") > 0) {
    throw HttpError(411, "a body needs Content-Length; chunks are not read");
  }
  const auto lengths = count_of(head, "content-length");
  if (lengths > 1) throw HttpError(400, "Content-Length stands there twice");
  if (lengths == 0) return;
  const auto text = head.header("content-length");
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, head.content_length);
  if (parsed.ec != std::errc() || parsed.ptr != end || text.empty()) {
    throw HttpError(400, "Content-Length is not a number");
  }
  if (head.content_length > 0 && head.method != "POST") {
    throw HttpError(400, "only POST has a body");
  }
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
  RequestHead head;
  bool first = true;
  while (true) {
    const auto end = text.find(kEnd);
    if (end == std::string_view::npos) throw HttpError(400, "the head of the request has no end");
    const auto line = text.substr(0, end);
    text.remove_prefix(end + kEnd.size());
    if (line.empty()) break;
    if (first) {
      read_request_line(line, head);
    } else {
      read_header(line, head);
    }
    first = false;
  }
  if (first) throw HttpError(400, "the request is empty");
  if (!text.empty()) throw HttpError(400, "the head of the request goes on behind its end");
  if (count_of(head, "host") > 1) throw HttpError(400, "Host stands there twice");
  const auto connection = lower_case(head.header("connection"));
  if (connection.find("close") != std::string::npos) head.keep_alive = false;
  read_length(head);
  return head;
}

}  // namespace ridgewatt::serve
