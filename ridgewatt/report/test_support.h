// For tests only: loads pages in a real browser.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::testing {

// Returns the installed browser, preferably the headless one. Empty if there is none.
inline std::string browser() {
  for (const std::string name : {"chromium-headless-shell", "chromium"}) {
    if (std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0) return name;
  }
  return "";
}

// Returns the DOM of `page` after its scripts ran; `log` receives the browser's log.
inline std::string load_in_browser(const std::string& page, std::string* log) {
  const TemporaryFolder folder;
  const std::string path = folder.write("page.html", page);
  const std::string error_path = (folder.path() / "log").string();
  const std::string command =
      "timeout 120 " + browser() +
      " --headless --no-sandbox --disable-gpu --enable-logging=stderr"
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

// Loads `page` with the script `actions`, which simulates a user and sets the title to "ALL WELL"
// or to a list of faults. Skips the test if there is no browser.
inline void expect_well_in_browser(std::string page, const std::string& actions) {
  if (browser().empty()) {
    GTEST_SKIP() << "skipped: neither chromium-headless-shell nor chromium is installed";
  }
  page.replace(page.rfind("</body>"), 7, "<script>" + actions + "</script></body>");
  std::string log;
  const std::string dom = load_in_browser(page, &log);
  EXPECT_THAT(dom.substr(0, 1000), ::testing::HasSubstr("<title>ALL WELL</title>"))
      << dom.substr(0, 600) << log;
  EXPECT_THAT(log, ::testing::Not(::testing::HasSubstr("CONSOLE"))) << log;
}

}  // namespace ridgewatt::testing
