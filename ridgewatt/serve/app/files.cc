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
  for (const auto& [name, content] : embedded::app()) {
    files_["/" + std::string(name)].file.content = content;
  }
}

const AppFile* AppFiles::find(std::string_view path) const {
  static constexpr int kLevel = 6;  // zlib's default; each file is compressed once
  const auto found = files_.find(path == "/" ? std::string_view("/index.html") : path);
  if (found == files_.end()) return nullptr;
  AppFile& file = found->second.file;
  std::call_once(found->second.packed, [&, name = std::string_view(found->first)] {
    file.gzip = gzip(file.content, kLevel);
    file.type = type_of(name);
    file.etag = "\"" + content_hash(file.content) + "\"";
  });
  return &file;
}

}  // namespace ridgewatt::serve
