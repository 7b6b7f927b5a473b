#include "ridgewatt/serve/app/files.h"

#include "ridgewatt/io/embedded.h"
#include "ridgewatt/serve/http/gzip.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

std::string type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".json")) return "application/json";
  if (name.ends_with(".md")) return "text/markdown; charset=utf-8";
  return "application/octet-stream";
}

}  // namespace

AppFiles::AppFiles() {
  static constexpr int kLevel = 6;  // zlib's default: once, when the server starts
  for (const auto& [name, content] : embedded::app()) {
    AppFile file = {content, gzip(content, kLevel), type_of(name),
                    "\"" + content_hash(content) + "\""};
    files_.emplace("/" + std::string(name), std::move(file));
  }
}

const AppFile* AppFiles::find(std::string_view path) const {
  const auto found = files_.find(path == "/" ? std::string_view("/index.html") : path);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace ridgewatt::serve
