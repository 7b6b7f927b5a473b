// Holds a changed power mode, and brings the old one back when its owner ends, however it ends: on
// return, exception, SIGINT, SIGTERM, SIGHUP and SIGKILL. The restoring is done by a child process
// that waits on a pipe; a signal that would end the owner first lets the child finish.
//
// If both processes die (power loss), the journal restores at the next start.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

#include "ridgewatt/platform/mode_journal.h"

namespace ridgewatt {

class ModeGuardian {
 public:
  // Writes the journal, starts the child. Restores first what a run that died left behind. One at a
  // time in a process; call it before starting threads. `sysfs` and `layout` must outlive this.
  // Throws IoError (another writer, disk full), PermissionError.
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
  void start_child();
  [[noreturn]] void run_child(int commands);
  bool finish_by_child();

  Sysfs& sysfs_;
  const JetsonLayout& layout_;
  std::unique_ptr<ModeJournal> journal_;
  ModeSnapshot snapshot_;
  pid_t child_ = -1;
  int commands_ = -1;
  std::atomic<int>* kept_ = nullptr;  // shared with the child
  bool done_ = false;
};

// Restores what a run that died left behind, if there is anything. True when it did. Throws IoError
// when another process is changing the mode.
bool recover_mode(Sysfs& sysfs, const JetsonLayout& layout, const std::string& folder);

// Undoes `mode apply`. Throws NotFoundError when there is nothing to restore.
WriteSummary restore_saved_mode(Sysfs& sysfs, const JetsonLayout& layout,
                                const std::string& folder);

}  // namespace ridgewatt
