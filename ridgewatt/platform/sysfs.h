// Access to the kernel's small text files. The root is "/" on a board, and a folder for a recorded
// or fake board. The whole module reads and writes through this class, so that the code that runs
// on a board can be tested with recorded files.
//
// Paths are those of the board ("/sys/class/hwmon/hwmon0/name"). Under another root, symbolic links
// are followed inside that root, never to this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::platform {

class Sysfs {
 public:
  explicit Sysfs(std::string root = "/");
  virtual ~Sysfs() = default;
  Sysfs(const Sysfs&) = delete;
  Sysfs& operator=(const Sysfs&) = delete;

  struct Text {
    int error_number = 0;  // errno of open or read; 0: success, see `text`
    std::string text;      // at most 64 KiB, without blanks, newlines and NUL bytes at both ends
    bool ok() const { return error_number == 0; }
  };
  // Reads a file. EAGAIN is tried three times, since the kernel returns it for a busy sensor.
  virtual Text read(const std::string& path) const;
  // Writes `value` with one write(2). Returns 0 or errno.
  virtual int write(const std::string& path, std::string_view value);

  // Content of a file; empty if it is missing or unreadable.
  std::optional<std::string> text(const std::string& path) const;
  // The content as a finite number; empty for other content.
  std::optional<double> number(const std::string& path) const;
  // The numbers in the content, separated by blanks. Skips other words.
  std::vector<double> numbers(const std::string& path) const;

  bool exists(const std::string& path) const;
  // Names in a folder, sorted, numbers by value (hwmon2 before hwmon10). Empty if it does not
  // exist.
  std::vector<std::string> list(const std::string& folder) const;
  // The path of the file on this machine, with links followed inside the root.
  std::string host_path(const std::string& path) const;
  // `path` with links followed, as a path of the board.
  std::string resolve(const std::string& path) const;
  const std::string& root() const { return root_; }

 private:
  std::string root_;  // without a trailing slash; empty for "/"
};

// The numbers in a list of CPUs, "0-3,6" or "0 1 2". Skips other text.
std::vector<int> cpu_list(std::string text);
// `value` as an integer without an exponent, the format of kernel files.
std::string digits_of(double value);

}  // namespace ridgewatt::platform
