#include "ridgewatt/measure/output/output_tail.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "ridgewatt/base/text.h"

namespace ridgewatt::measure {
namespace {

constexpr std::size_t kMostBytes = 2000;  // chosen: enough text to understand one failure
constexpr std::size_t kMostLines = 20;
constexpr std::size_t kLongestLine = 400;

void write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(descriptor, bytes, count);
    if (written <= 0) return;  // standard error is closed
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

// Cuts each line before it is escaped, so that no escape sequence is cut.
std::string last_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto& line : split(text, '\n')) {
    const auto plain = trim(line);
    if (plain.empty()) continue;
    lines.push_back(
        escape_terminal(plain.substr(plain.size() - std::min(plain.size(), kLongestLine))));
  }
  std::string result;
  std::size_t count = 0;
  for (auto line = lines.rbegin(); line != lines.rend() && count < kMostLines; ++line, ++count) {
    if (count > 0 && result.size() + line->size() + 1 > kMostBytes) break;
    result = *line + (count == 0 ? "" : "\n") + result;
  }
  return result;
}

}  // namespace

OutputTail::OutputTail() {
  ::fcntl(output_.read_end.get(), F_SETFL, O_NONBLOCK);
  thread_ = std::thread([this] { pass_on(); });
}

OutputTail::~OutputTail() {
  end();
}

std::string OutputTail::end() {
  if (!thread_.joinable()) return "";
  output_.write_end.reset();
  stop_.write_end.reset();
  thread_.join();
  return last_lines(kept_);
}

// Returns false if there is nothing to read at the moment.
bool OutputTail::pass_block() {
  char block[4096];
  const ssize_t count = ::read(output_.read_end.get(), block, sizeof block);
  if (count <= 0) return false;
  write_all(STDERR_FILENO, block, static_cast<std::size_t>(count));
  kept_.append(block, static_cast<std::size_t>(count));
  if (kept_.size() > 4 * kMostBytes) kept_.erase(0, kept_.size() - 2 * kMostBytes);
  return true;
}

void OutputTail::pass_on() {
  while (true) {
    pollfd wait[2] = {{output_.read_end.get(), POLLIN, 0}, {stop_.read_end.get(), POLLIN, 0}};
    ::poll(wait, 2, -1);
    while (pass_block()) {
    }
    if (wait[1].revents != 0) return;  // everything written before the end of the command was read
  }
}

}  // namespace ridgewatt::measure
