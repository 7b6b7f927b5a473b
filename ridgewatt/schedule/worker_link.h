// The executor's connection to one worker: the socket, the process at the other end, and whether
// that process is alive.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/schedule/grant_policy.h"
#include "ridgewatt/schedule/protocol.h"

namespace ridgewatt::schedule {

// The process at the other end of a socket, as reported by the kernel. With pidfd (Linux 5.3), the
// object refers to this process; otherwise to its process ID, which may be reused.
class PeerProcess {
 public:
  PeerProcess() = default;
  // Returns the peer of a connected Unix socket.
  static PeerProcess of(int socket);

  pid_t pid() const { return pid_; }
  uid_t uid() const { return uid_; }
  int pidfd() const { return pidfd_.get(); }  // readable when the process is dead; -1: use alive()
  bool alive() const;
  void kill() const;  // sends SIGKILL, but never to the calling process itself

 private:
  pid_t pid_ = -1;
  uid_t uid_ = static_cast<uid_t>(-1);
  OwnedFd pidfd_;
};

class WorkerLink {
 public:
  enum class State { kNew, kIdle, kReady, kHolding };

  WorkerLink(OwnedFd socket, double now_s);

  // Sends a line. Returns false if the buffer is full because the worker does not read, or if the
  // worker has disconnected.
  bool send(std::string_view line) const;
  // Reads the available bytes, at most `limit`. False if the worker closed the connection.
  bool receive(std::size_t limit);

  // Returns the worker's state for a GrantPolicy.
  WorkerView view() const;

  OwnedFd socket;
  PeerProcess peer;
  LineBuffer lines;
  State state = State::kNew;
  WorkloadKind kind = WorkloadKind::kTraining;
  std::string name;
  int faults = 0;
  double connected_s = 0;
  double ready_s = 0;     // when it began to wait for a grant
  double idle_s = 0;      // when it stopped waiting
  bool counting = false;  // reports its requests
  bool closing = false;   // will be disconnected
};

}  // namespace ridgewatt::schedule
