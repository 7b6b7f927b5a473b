// For tests only: pages in a real browser.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "ridgewatt/base/file.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::testing {

// The page in a real browser; empty when there is none.
inline std::string load_in_browser(const std::string& page, std::string* log) {
  const TemporaryFolder folder;
  const std::string path = folder.write("page.html", page);
  const std::string error_path = (folder.path() / "log").string();
  const std::string command =
      "timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr"
      " --virtual-time-budget=60000 --window-size=1200,900 --user-data-dir='" +
      (folder.path() / "profile").string() + "' --dump-dom 'file://" + path + "' 2>'" + error_path +
      "'";
  std::string dom;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    dom.append(buffer.data(), n);
  }
  pclose(pipe);
  *log = read_file(error_path);
  return dom;
}

}  // namespace ridgewatt::testing
