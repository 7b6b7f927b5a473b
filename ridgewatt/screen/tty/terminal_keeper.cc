#include "ridgewatt/screen/tty/terminal_keeper.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "ridgewatt/base/process.h"

namespace ridgewatt::screen {

TerminalKeeper::TerminalKeeper(const std::string& back) {
  termios before{};
  if (::tcgetattr(STDOUT_FILENO, &before) != 0) return;
  Pipe alive;
  child_ = ::fork();
  if (child_ == 0) {
    alive.write_end.reset();
    keep(alive.read_end.get(), back, before);
  }
  if (child_ > 0) pipe_ = std::move(alive.write_end);
}

void TerminalKeeper::keep(int owner, const std::string& back, const termios& before) {
  ::setsid();  // Ctrl+C is for the owner
  ::prctl(PR_SET_NAME, "ridgewatt-tty");
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  // Close the owner's files, so that they do not stay open when the owner ends.
  const long most = std::clamp(::sysconf(_SC_OPEN_MAX), 256L, 4096L);
  for (int fd = 0; fd < most; ++fd) {
    if (fd != owner && fd != STDOUT_FILENO) ::close(fd);
  }
  char letter = 0;
  ssize_t size = 0;
  do {
    size = ::read(owner, &letter, 1);
  } while (size < 0 && errno == EINTR);
  if (size == 0) {  // end of file without a letter: the owner was killed
    ::tcsetattr(STDOUT_FILENO, TCSANOW, &before);
    static_cast<void>(::write(STDOUT_FILENO, back.data(), back.size()) + 1);
  }
  ::_exit(0);
}

void TerminalKeeper::done() {
  if (child_ <= 0) return;
  static_cast<void>(::write(pipe_.get(), "d", 1) + 1);
  pipe_.reset();
  wait_for_process(child_);
  child_ = -1;
}

}  // namespace ridgewatt::screen
