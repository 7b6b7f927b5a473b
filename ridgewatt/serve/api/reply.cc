#include "ridgewatt/serve/api/reply.h"

namespace ridgewatt::serve {
namespace {

constexpr char kContentPolicy[] =
    "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'";

bool takes_gzip(const RequestHead& head) {
  const auto encodings = head.header("accept-encoding");
  return encodings.find("gzip") != std::string_view::npos &&
         encodings.find("gzip;q=0") == std::string_view::npos;
}

}  // namespace

void set_safe_headers(httplib::Response& answer) {
  answer.set_header("Content-Security-Policy", kContentPolicy);
  answer.set_header("X-Content-Type-Options", "nosniff");
  answer.set_header("X-Frame-Options", "DENY");
  answer.set_header("Referrer-Policy", "no-referrer");
  answer.set_header("Cross-Origin-Resource-Policy", "same-origin");
  answer.set_header("Cross-Origin-Opener-Policy", "same-origin");
}

void reply_content(const RequestHead& head, httplib::Response& answer, const Content& content,
                   const char* cache) {
  answer.set_header("Cache-Control", cache);
  answer.set_header("Vary", "Accept-Encoding");
  if (!content.etag.empty()) {
    answer.set_header("ETag", content.etag);
    if (answer.status == 200 &&
        head.header("if-none-match").find(content.etag) != std::string_view::npos) {
      answer.status = 304;
      return;
    }
  }
  const bool packed = !content.gzip.empty() && takes_gzip(head);
  if (packed) answer.set_header("Content-Encoding", "gzip");
  const auto bytes = packed ? content.gzip : content.bytes;
  answer.set_content(bytes.data(), bytes.size(), content.type);
}

void reply_json(httplib::Response& answer, const Json& json) {
  answer.set_header("Cache-Control", "no-store");
  answer.set_content(json.dump(2) + "\n", "application/json");
}

void need_method(const RequestHead& head, std::initializer_list<std::string_view> methods) {
  for (const auto method : methods) {
    if (head.method == method || (method == "GET" && head.method == "HEAD")) return;
  }
  throw HttpError(405, std::string(head.path()) + " does not know " + head.method);
}

}  // namespace ridgewatt::serve
