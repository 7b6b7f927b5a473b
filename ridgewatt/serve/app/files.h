// The files of the web application, embedded in the program by the build. No path, link or file of
// this machine can be reached through them.
//
//   const AppFile* file = app_files().find("/");  // index.html
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace ridgewatt::serve {

struct AppFile {
  std::string_view content;
  std::string gzip;
  std::string type;  // Content-Type
  std::string etag;
};

class AppFiles {
 public:
  AppFiles();
  // Returns a file by its path ("/", "/app.js"); null if there is none. Can be called from any
  // thread.
  const AppFile* find(std::string_view path) const;

 private:
  // Compressed at the first request, so that a server that shows no pages compresses none.
  struct Kept {
    AppFile file;
    std::once_flag packed;
  };
  mutable std::map<std::string, Kept, std::less<>> files_;
};

}  // namespace ridgewatt::serve
