#include "ridgewatt/serve/http/http_error.h"

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {

std::string error_json(const std::string& line) {
  Json json;
  json["schema"] = "ridgewatt.error/1";
  json["error"] = escape_terminal(line);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char* reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace ridgewatt::serve
