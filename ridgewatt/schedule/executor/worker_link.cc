#include "ridgewatt/schedule/worker_link.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

namespace ridgewatt::schedule {

PeerProcess PeerProcess::of(int socket) {
  PeerProcess peer;
  struct ucred credentials {};
  socklen_t length = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return peer;
  peer.pid_ = credentials.pid;
  peer.uid_ = credentials.uid;
#ifdef SYS_pidfd_open
  peer.pidfd_ = OwnedFd(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid_, 0)));
#endif
  return peer;
}

bool PeerProcess::alive() const {
  if (pid_ <= 0) return false;
  if (pidfd_) {
    struct pollfd poll_fd = {pidfd_.get(), POLLIN, 0};
    return ::poll(&poll_fd, 1, 0) == 0;
  }
  if (::kill(pid_, 0) != 0 && errno == ESRCH) return false;
  // A zombie does not hold the device. /proc/PID/stat: "PID (NAME) STATE ..."; NAME may contain
  // parentheses.
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t bracket = text.rfind(')');
  return bracket == std::string::npos || bracket + 2 >= text.size() || text[bracket + 2] != 'Z';
}

void PeerProcess::kill() const {
  if (pid_ <= 0 || pid_ == ::getpid()) return;
#ifdef SYS_pidfd_send_signal
  if (pidfd_) {
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    return;
  }
#endif
  ::kill(pid_, SIGKILL);
}

WorkerLink::WorkerLink(OwnedFd fd, double now_s)
    : socket(std::move(fd)), peer(PeerProcess::of(socket.get())), connected_s(now_s) {}

WorkerView WorkerLink::view() const {
  const bool is_ready = state == State::kReady;
  return {name, kind, is_ready, counting, is_ready ? ready_s : idle_s};
}

bool WorkerLink::send(std::string_view line) const {
  const ssize_t sent = ::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(line.size());
}

bool WorkerLink::receive(std::size_t limit) {
  std::array<char, 512> buffer{};
  const ssize_t count =
      ::recv(socket.get(), buffer.data(), std::min(limit, buffer.size()), MSG_DONTWAIT);
  if (count > 0) {
    lines.feed({buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace ridgewatt::schedule
