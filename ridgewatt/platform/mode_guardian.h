// Holds a changed power mode and restores the original mode when the owner process ends: by return,
// exception, SIGINT, SIGTERM, SIGHUP or SIGKILL. A child process that waits on a pipe restores the
// mode. On a signal that ends the owner, the owner waits until the child has finished. Signals that
// the owner handles or ignores are not affected. A process that the owner forks restores nothing
// and may outlive the owner.
//
// If both processes are killed (power loss), the journal restores the mode at the next start.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/platform/mode_journal.h"

namespace ridgewatt::platform {

// A flag in memory that a process shares with its children.
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
  // Writes the journal and starts the child. If an interrupted run left a changed mode, restores it
  // first. A process may have one guardian at a time; create it before starting threads. `sysfs`
  // and `layout` must outlive it. Throws IoError (another writer, disk full, no child),
  // PermissionError, NotSupportedError (a journal of another version). After an error nothing is
  // left behind.
  ModeGuardian(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder,
               const std::vector<FileSetting>& others = {});
  // Restores the original mode, unless restore() or keep_and_exit() was called.
  ~ModeGuardian();
  ModeGuardian(const ModeGuardian&) = delete;
  ModeGuardian& operator=(const ModeGuardian&) = delete;

  // Restores the original values and waits until that is done. Throws IoError if it failed.
  void restore();
  // Makes the change permanent and exits with status 0; `mode restore` can undo it later. The
  // decision is a single write to shared memory directly before the exit. If the program is killed
  // earlier, the original values are restored.
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
  SharedFlag kept_;  // the change is permanent
  bool done_ = false;
};

// Whether this process holds a mode.
bool holds_mode();

// Restores the original mode after an interrupted run; returns whether there was a changed mode.
// Throws IoError if another process is changing the mode for longer than `wait_s`.
bool recover_mode(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder,
                  double wait_s = 3);

// Undoes `mode apply`. Throws NotFoundError if there is nothing to restore.
WriteSummary restore_saved_mode(Sysfs& sysfs, const JetsonLayout& layout,
                                const std::string& folder);

}  // namespace ridgewatt::platform
