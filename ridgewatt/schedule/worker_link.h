// One worker's connection: its socket, who is behind it, and whether that process still lives.
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

// The process at the other end, as the kernel names it. Refers to that very process where the
// kernel has pidfd (Linux 5.3); else to its number.
class PeerProcess {
 public:
  PeerProcess() = default;
  // Of the peer of a connected Unix socket.
  static PeerProcess of(int socket);

  pid_t pid() const { return pid_; }
  uid_t uid() const { return uid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once dead; -1: ask alive()
  bool alive() const;
  void kill() const;  // SIGKILL; never the caller itself

 private:
  pid_t pid_ = -1;
  uid_t uid_ = static_cast<uid_t>(-1);
  OwnedFd pidfd_;
};

class WorkerLink {
 public:
  enum class State { kNew, kIdle, kReady, kHolding };

  WorkerLink(OwnedFd socket, double now_s);

  // Sends a line; false when the worker does not read and its buffer is full, or it is gone.
  bool send(std::string_view line) const;
  // Reads what is there, at most `limit` bytes; false when the worker hung up.
  bool receive(std::size_t limit);

  // As a policy sees it.
  WorkerView view() const;

  OwnedFd socket;
  PeerProcess peer;
  LineBuffer lines;
  State state = State::kNew;
  WorkloadKind kind = WorkloadKind::kTraining;
  std::string name;
  int faults = 0;
  double connected_s = 0;
  double ready_s = 0;  // since when it waits
  double idle_s = 0;   // since when it does not
  bool counting = false;
  bool closing = false;
};

}  // namespace ridgewatt::schedule
