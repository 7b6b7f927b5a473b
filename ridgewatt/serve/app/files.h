// The files of the web application, as the build put them into the program: no path, link or file
// of this machine can be reached.
//
//   const AppFile* file = app_files().find("/");  // index.html
#pragma once

#include <map>
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
  // By path ("/", "/app.js"); null when there is none.
  const AppFile* find(std::string_view path) const;

 private:
  std::map<std::string, AppFile, std::less<>> files_;
};

}  // namespace ridgewatt::serve
