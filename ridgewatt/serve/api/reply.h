// Builds replies: compressed if the client accepts gzip, and 304 (Not Modified) if the client has
// the current content.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/io/json.h"
#include "ridgewatt/serve/http/message.h"

namespace ridgewatt::serve {

struct Content {
  std::string_view bytes;
  std::string_view gzip;  // empty: not compressed
  std::string type;
  std::string etag;
};
// `cache` is the value of the header Cache-Control.
Reply content_reply(const RequestHead& head, const Content& content, const char* cache,
                    int status = 200);
Reply json_reply(const Json& json);

}  // namespace ridgewatt::serve
