// How an answer goes out: headers that keep browsers safe, packed where the client can unpack it,
// and 304 where it has it already.
#pragma once

#include <httplib.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "ridgewatt/io/json.h"
#include "ridgewatt/serve/http/request_head.h"

namespace ridgewatt::serve {

// Of every answer; set before anything can fail.
void set_safe_headers(httplib::Response& answer);

struct Content {
  std::string_view bytes;
  std::string_view gzip;  // empty: not packed
  std::string type;
  std::string etag;
};
// `cache` is Cache-Control.
void reply_content(const RequestHead& head, httplib::Response& answer, const Content& content,
                   const char* cache);
// HttpError 405 for a method that is none of these; HEAD is as good as GET.
void need_method(const RequestHead& head, std::initializer_list<std::string_view> methods);
void reply_json(httplib::Response& answer, const Json& json);

}  // namespace ridgewatt::serve
