// The edge to the hardware: the kernel's small text files, under a root that is "/" on a board and
// a folder for a recorded or fake board. Everything in this module goes through it, so that a
// recorded tree tests the code that runs on the board.
//
// Paths are the board's own ("/sys/class/hwmon/hwmon0/name"). Under another root, symbolic links
// are followed inside that root: an absolute link of a recorded tree does not lead to this machine.
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
    int error_number = 0;  // errno of open or read; 0: `text` holds the content
    std::string text;      // without blanks, newlines and NUL bytes at its ends; at most 64 KiB
    bool ok() const { return error_number == 0; }
  };
  // Content of a file. EAGAIN is tried three times: the kernel returns it for a busy sensor.
  virtual Text read(const std::string& path) const;
  // Writes `value` with one write(2). 0, or errno.
  virtual int write(const std::string& path, std::string_view value);

  // Content of a file that may be missing or unreadable.
  std::optional<std::string> text(const std::string& path) const;
  std::optional<double> number(const std::string& path) const;  // finite
  std::vector<double> numbers(const std::string& path) const;   // blank-separated; others skipped

  bool exists(const std::string& path) const;
  bool is_folder(const std::string& path) const;
  // Names in a folder, sorted, numbers by value (hwmon2 before hwmon10). Empty when there is none.
  std::vector<std::string> list(const std::string& folder) const;
  // Where `path` lies on this machine, links followed inside the root.
  std::string host_path(const std::string& path) const;
  // `path` with its links followed, in the board's own terms.
  std::string resolve(const std::string& path) const;
  const std::string& root() const { return root_; }

 private:
  std::string root_;  // without a slash at its end; empty for "/"
};

// Numbers of a list of CPUs, "0-3,6" or "0 1 2"; what is not a number is skipped.
std::vector<int> cpu_list(std::string text);
// The folder that `path` lies in.
std::string folder_of(const std::string& path);
// A number as kernels write it: whole, without an exponent.
std::string digits_of(double value);

}  // namespace ridgewatt::platform
