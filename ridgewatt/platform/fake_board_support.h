// For tests: a fake board in a temporary folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_sysfs.h"

namespace ridgewatt::testing {

struct FakeBoard {
  explicit FakeBoard(const std::string& name, std::uint64_t seed = 1,
                     const platform::FakeSpecimen& specimen = {}) {
    root = (folder.path() / "board").string();
    platform::create_fake_board(platform::fake_board_spec(name), root, seed, specimen);
    sysfs = platform::open_sysfs(root);
  }
  // Replaces a file of the board, bypassing the simulated kernel.
  void set(const std::string& path, const std::string& content) const {
    std::ofstream(sysfs->host_path(path)) << content << '\n';
  }
  // Adds a file that the board does not have.
  void add(const std::string& path, const std::string& content) const {
    const std::filesystem::path host = root + path;
    std::filesystem::create_directories(host.parent_path());
    std::ofstream(host) << content << '\n';
  }
  // Sets a fan to a duty of 20 %; adds a fan at 1710 rpm, a fan at full duty, and swap with 1 of 4
  // MiB used.
  void add_fans_and_swap() const {
    set("/sys/class/hwmon/hwmon3/pwm1", "51");
    add("/sys/class/hwmon/hwmon9/name", "pwm_tach");
    add("/sys/class/hwmon/hwmon9/rpm", "1710");
    add("/sys/devices/pwm-fan/target_pwm", "255");
    add("/proc/meminfo",
        "MemTotal: 2048 kB\nMemAvailable: 1024 kB\nSwapTotal: 4096 kB\nSwapFree: 3072 kB");
  }
  // Content of every file except the counters of clocks, because they change all the time.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename();
      if (name == "time_in_state" || name == "trans_stat") continue;
      if (entry.is_regular_file() && !entry.is_symlink()) {
        files[entry.path().string()] = read_file(entry.path().string());
      }
    }
    return files;
  }

  // Files whose content differs from `before`, one per line.
  std::string changes(const std::map<std::string, std::string>& before) const {
    std::string text;
    const auto now = content();
    for (const auto& [path, value] : before) {
      const auto found = now.find(path);
      if (found == now.end()) text += path + " is gone\n";
      if (found != now.end() && found->second != value) text += path + ": " + found->second;
    }
    for (const auto& [path, value] : now) {
      if (before.count(path) == 0) text += path + " is new\n";
    }
    return text;
  }

  // In memory if possible, since a board has hundreds of small files.
  TemporaryFolder folder{std::filesystem::exists("/dev/shm")
                             ? std::filesystem::path("/dev/shm")
                             : std::filesystem::temp_directory_path()};
  std::string root;
  std::unique_ptr<platform::Sysfs> sysfs;
};

}  // namespace ridgewatt::testing
