// The files of the web application, as the build put them into the program: no path, link or file
// of this machine can be reached.
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
  // By path ("/", "/app.js"); null when there is none. From any thread.
  const AppFile* find(std::string_view path) const;

 private:
  // Packed when it is first asked for: a server that shows no pages packs none.
  struct Kept {
    AppFile file;
    std::once_flag packed;
  };
  mutable std::map<std::string, Kept, std::less<>> files_;
};

}  // namespace ridgewatt::serve
