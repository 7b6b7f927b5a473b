#include "ridgewatt/serve/api/reply.h"

namespace ridgewatt::serve {
namespace {

bool takes_gzip(const RequestHead& head) {
  const auto encodings = head.header("accept-encoding");
  return encodings.find("gzip") != std::string_view::npos &&
         encodings.find("gzip;q=0") == std::string_view::npos;
}

}  // namespace

Reply content_reply(const RequestHead& head, const Content& content, const char* cache,
                    int status) {
  Reply reply{.status = status};
  reply.set("Cache-Control", cache);
  reply.set("Vary", "Accept-Encoding");
  if (!content.etag.empty()) {
    reply.set("ETag", content.etag);
    const auto has = head.header("if-none-match");
    if (status == 200 && (has == "*" || has.find(content.etag) != std::string_view::npos)) {
      reply.status = 304;
      return reply;
    }
  }
  const bool packed = !content.gzip.empty() && takes_gzip(head);
  if (packed) reply.set("Content-Encoding", "gzip");
  reply.set("Content-Type", content.type);
  reply.body = packed ? content.gzip : content.bytes;
  return reply;
}

Reply json_reply(const Json& json) {
  Reply reply{.body = dump_json(json) + "\n"};
  reply.set("Cache-Control", "no-store");
  reply.set("Content-Type", "application/json");
  return reply;
}

}  // namespace ridgewatt::serve
