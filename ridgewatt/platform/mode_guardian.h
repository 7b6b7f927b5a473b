// Holds a changed power mode, and brings the old one back when its owner ends, however it ends: on
// return, exception, SIGINT, SIGTERM, SIGHUP and SIGKILL. The restoring is done by a child process
// that waits on a pipe; a signal that would end the owner first lets the child finish. Signals that
// the owner handles or ignores stay its own. Processes that the owner forks have no part in it:
// there nothing is restored, and they may outlive it.
//
// If both processes die (power loss), the journal restores at the next start.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/platform/mode_journal.h"

namespace ridgewatt::platform {

// A flag that a process shares with its children.
class SharedFlag {
 public:
  SharedFlag();  // throws IoError
  void raise() { flag_->store(1); }
  bool raised() const { return flag_->load() != 0; }

 private:
  SharedMapping memory_;
  std::atomic<int>* flag_;
};

class ModeGuardian {
 public:
  // Writes the journal, starts the child. Restores first what a run that died left behind. One at a
  // time in a process; call it before starting threads. `sysfs` and `layout` must outlive this.
  // Throws IoError (another writer, disk full, no child), PermissionError, NotSupportedError (a
  // journal of another version); nothing of it is left then.
  ModeGuardian(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder,
               const std::vector<FileSetting>& others = {});
  // Restores unless restored or kept.
  ~ModeGuardian();
  ModeGuardian(const ModeGuardian&) = delete;
  ModeGuardian& operator=(const ModeGuardian&) = delete;

  // Brings the old values back and waits for it. Throws IoError when that failed.
  void restore();
  // Lets the change stay, and ends the program with status 0; `mode restore` can undo it later.
  // The decision is one store to memory that the child shares, with nothing between it and the end
  // of the process: whoever sees the program killed finds the old values.
  [[noreturn]] void keep_and_exit();

 private:
  void recover();
  void start_child();
  [[noreturn]] void run_child(int commands);
  bool finish_by_child();

  Sysfs& sysfs_;
  const JetsonLayout& layout_;
  std::unique_ptr<ModeJournal> journal_;
  ModeSnapshot snapshot_;
  pid_t owner_ = ::getpid();
  pid_t child_ = -1;
  OwnedFd commands_;
  SharedFlag kept_;  // the change is to stay
  bool done_ = false;
};

// This process holds a mode.
bool holds_mode();

// Restores what a run that died left behind, if there is anything. True when it did. Throws IoError
// when another process is changing the mode.
bool recover_mode(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder);

// Undoes `mode apply`. Throws NotFoundError when there is nothing to restore.
WriteSummary restore_saved_mode(Sysfs& sysfs, const JetsonLayout& layout,
                                const std::string& folder);

}  // namespace ridgewatt::platform
