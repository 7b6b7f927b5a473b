// Answers: packed where the client can unpack them, and 304 where it has them already.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/io/json.h"
#include "ridgewatt/serve/http/message.h"

namespace ridgewatt::serve {

struct Content {
  std::string_view bytes;
  std::string_view gzip;  // empty: not packed
  std::string type;
  std::string etag;
};
// `cache` is Cache-Control.
Reply content_reply(const RequestHead& head, const Content& content, const char* cache,
                    int status = 200);
Reply json_reply(const Json& json);

}  // namespace ridgewatt::serve
