#include "ridgewatt/base/interrupt_note.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace ridgewatt {
namespace {

constexpr std::array<int, 3> kNoted = {SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kHead = "ridgewatt: interrupted: ";
constexpr std::size_t kMostText = 400;

// The handler reads the line that `line_now` selects. set() writes to the other line.
struct NoteLine {
  std::size_t size = 0;
  std::array<char, kHead.size() + kMostText + 1> text;
};
std::array<NoteLine, 2> lines;
volatile sig_atomic_t line_now = -1;  // -1: no text
volatile sig_atomic_t noting = 0;

// Calls only functions that are safe in a signal handler.
void say_and_end(int number) {
  const int now = line_now;
  if (now >= 0) {
    const NoteLine& line = lines[static_cast<std::size_t>(now)];
    // Clears the progress line of a terminal first. The process ends even if writing fails.
    ssize_t written = ::isatty(STDERR_FILENO) != 0 ? ::write(STDERR_FILENO, "\r\033[K", 4) : 0;
    if (written >= 0) written = ::write(STDERR_FILENO, line.text.data(), line.size);
    static_cast<void>(written);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

InterruptNote::InterruptNote() {
  line_now = -1;
  noting = 1;
  for (const int number : kNoted) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler == SIG_DFL) ::signal(number, say_and_end);
  }
}

InterruptNote::~InterruptNote() {
  noting = 0;
  line_now = -1;
  for (const int number : kNoted) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler == say_and_end) ::signal(number, SIG_DFL);
  }
}

void InterruptNote::set(std::string_view text) {
  const int next = line_now == 0 ? 1 : 0;
  NoteLine& line = lines[static_cast<std::size_t>(next)];
  text = text.substr(0, kMostText);
  char* end = std::copy(kHead.begin(), kHead.end(), line.text.data());
  end = std::copy(text.begin(), text.end(), end);
  *end++ = '\n';
  line.size = static_cast<std::size_t>(end - line.text.data());
  std::atomic_signal_fence(std::memory_order_release);  // the text is written before it is selected
  line_now = next;
}

bool InterruptNote::ends_process(Handler handler) {
  return handler == SIG_DFL || handler == say_and_end;
}

InterruptNote::Handler InterruptNote::handler() {
  return noting != 0 ? say_and_end : SIG_DFL;
}

}  // namespace ridgewatt
