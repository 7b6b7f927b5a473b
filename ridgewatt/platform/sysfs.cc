#include "ridgewatt/platform/sysfs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <deque>
#include <filesystem>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::platform {
namespace {

constexpr std::size_t kMaxTextBytes = 64 * 1024;
constexpr int kMaxLinks = 40;  // as in the kernel
constexpr const char* kNowhere = "/.no-such-file";
constexpr int kBusyTries = 3;

Sysfs::Text read_once(const std::string& path) {
  // O_NONBLOCK: a FIFO in a recorded tree must not block.
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return {errno, ""};
  Sysfs::Text result;
  char piece[4096];  // large enough for most files
  while (result.text.size() < kMaxTextBytes) {
    const std::size_t room = std::min(sizeof piece, kMaxTextBytes - result.text.size());
    const ssize_t count = ::read(file.get(), piece, room);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) result = {errno, ""};
    if (count <= 0) break;
    result.text.append(piece, static_cast<std::size_t>(count));
  }
  return result;
}

std::string_view without_ends(std::string_view text) {
  static constexpr std::string_view kEnds(" \t\r\n\0", 5);
  const auto first = text.find_first_not_of(kEnds);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kEnds) - first + 1);
}

// Natural order: text first, then the number after it, so hwmon2 is before hwmon10.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::size_t i_begin = i;
      const std::size_t j_begin = j;
      while (i < a.size() && digit(a[i])) ++i;
      while (j < b.size() && digit(b[j])) ++j;
      if (i - i_begin != j - j_begin) return i - i_begin < j - j_begin;
      const int order = a.compare(i_begin, i - i_begin, b, j_begin, j - j_begin);
      if (order != 0) return order < 0;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

std::string join(const std::vector<std::string>& parts) {
  std::string path;
  for (const auto& part : parts) path += "/" + part;
  return path.empty() ? "/" : path;
}

}  // namespace

Sysfs::Sysfs(std::string root) : root_(std::move(root)) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

std::string Sysfs::resolve(const std::string& path) const {
  std::deque<std::string> todo;
  for (auto& part : split(path, '/')) todo.push_back(std::move(part));
  std::vector<std::string> done;
  int links = 0;
  while (!todo.empty()) {
    const std::string part = std::move(todo.front());
    todo.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    done.push_back(part);
    char target[PATH_MAX];
    const ssize_t length = ::readlink((root_ + join(done)).c_str(), target, sizeof target);
    if (length < 0) continue;
    if (++links > kMaxLinks) return kNowhere;  // a cycle of links within the root
    const std::string_view link(target, static_cast<std::size_t>(length));
    if (link.substr(0, 1) == "/")
      done.clear();
    else
      done.pop_back();
    const auto parts = split(link, '/');
    todo.insert(todo.begin(), parts.begin(), parts.end());
  }
  return join(done);
}

std::string Sysfs::host_path(const std::string& path) const {
  return root_.empty() ? path : root_ + resolve(path);
}

Sysfs::Text Sysfs::read(const std::string& path) const {
  const std::string host = host_path(path);
  Text result;
  for (int i = 0; i < kBusyTries; ++i) {
    result = read_once(host);
    if (result.error_number != EAGAIN) break;
  }
  result.text = std::string(without_ends(result.text));
  return result;
}

int Sysfs::write(const std::string& path, std::string_view value) {
  OwnedFd file(::open(host_path(path).c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC | O_NONBLOCK));
  if (!file) return errno;
  ssize_t count = 0;
  do {
    count = ::write(file.get(), value.data(), value.size());
  } while (count < 0 && errno == EINTR);
  int result = 0;
  if (count < 0)
    result = errno;
  else if (static_cast<std::size_t>(count) != value.size())
    result = ENOSPC;
  if (file.close() != 0 && result == 0) result = errno;
  return result;
}

std::optional<std::string> Sysfs::text(const std::string& path) const {
  auto result = read(path);
  if (!result.ok()) return std::nullopt;
  return std::move(result.text);
}

std::optional<double> Sysfs::number(const std::string& path) const {
  const auto content = text(path);
  if (!content) return std::nullopt;
  const auto value = parse_double(*content);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<double> Sysfs::numbers(const std::string& path) const {
  std::vector<double> values;
  std::string content = text(path).value_or("");
  std::replace_if(
      content.begin(), content.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  for (const auto& word : split(content, ' ')) {
    const auto value = parse_double(word);
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  return values;
}

bool Sysfs::exists(const std::string& path) const {
  struct stat status {};
  return ::stat(host_path(path).c_str(), &status) == 0;
}

std::vector<std::string> Sysfs::list(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(host_path(folder), error), end;
       !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

std::vector<int> cpu_list(std::string text) {
  static constexpr std::int64_t kMaxCpus = 1024;
  std::replace(text.begin(), text.end(), ' ', ',');
  std::vector<int> cpus;
  for (const auto& part : split(text, ',')) {
    const auto dash = part.find('-');
    const auto first = parse_int(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_int(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= kMaxCpus) continue;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::string digits_of(double value) {
  return fmt::format("{:.0f}", value);
}

}  // namespace ridgewatt::platform
