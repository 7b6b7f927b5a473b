// Stores the original values of a board's mode on disk before the first change, so that they can be
// restored after any failure of the program or the machine.
//
// One folder per board holds
//   mode.lock      locked (flock) while a process changes the mode: one writer at a time
//   mode.journal   the original values during a change; whoever finds it unlocked restores them
//   mode.saved     the original values after a permanent change ("mode apply"), for `mode restore`
// A journal is text: a header with its version, the kernel's boot id, "path<TAB>value" lines and
// "end" with the number of values. Reading it has these results:
// * There is no journal, or a journal of an earlier boot (its values are void): nothing to
//   restore.
// * It is damaged: nothing to restore, because a journal is complete before the first change. The
//   file is renamed to "mode.journal.damaged" when the next journal is written.
// * It is of another version of ridgewatt: its values are needed but cannot be read. This is an
//   error, and nothing is changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/mode_settings.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// Original values by path.
using ModeSnapshot = std::map<std::string, std::string>;

// Reads all values that a mode may change, and the files `others` of a preset.
ModeSnapshot take_snapshot(const Sysfs& sysfs, const JetsonLayout& layout,
                           const std::vector<FileSetting>& others = {});
// Writes the values in the order that the kernel requires.
WriteSummary restore_snapshot(Sysfs& sysfs, const JetsonLayout& layout,
                              const ModeSnapshot& snapshot);

// kStale: of an earlier boot. kForeign: of another version of ridgewatt.
enum class JournalAnswer { kSound, kStale, kDamaged, kForeign };
struct ParsedJournal {
  JournalAnswer answer = JournalAnswer::kDamaged;
  ModeSnapshot snapshot;  // empty unless the answer is kSound
};
// Parses any text as a journal; `boot_id` is that of the current boot. Never throws.
ParsedJournal parse_mode_journal(std::string_view text, const std::string& boot_id);
// The text of a journal. Throws InputError if a path or value contains a tab or a newline.
std::string mode_journal_text(const ModeSnapshot& snapshot, const std::string& boot_id);

class ModeJournal {
 public:
  // For the local machine: /var/lib/ridgewatt as root, otherwise $XDG_STATE_HOME/ridgewatt or
  // ~/.local/state/ridgewatt. For another root folder: "ROOT.ridgewatt" next to this folder. Throws
  // NotFoundError if neither XDG_STATE_HOME nor HOME is set.
  static std::string default_folder(const Sysfs& sysfs);

  // Creates the folder and takes the lock, waiting up to `wait_s`. Throws IoError if another
  // process holds the lock, PermissionError.
  ModeJournal(const Sysfs& sysfs, const std::string& folder, double wait_s = 3);
  // The journal that an interrupted run left, if it is complete and of the current boot. Throws
  // NotSupportedError for a journal of another version, PermissionError and IoError if it cannot be
  // read.
  std::optional<ModeSnapshot> pending() const;
  // The values that `mode restore` restores. Throws the errors of pending().
  std::optional<ModeSnapshot> saved() const;
  // Writes the original values to disk before it returns. Throws InputError for a path that a
  // journal cannot hold, and the errors of pending() before it overwrites a journal.
  void begin(const ModeSnapshot& snapshot);
  void end();     // removes the journal after the original values were restored
  void commit();  // keeps the change: the journal becomes mode.saved
  void forget_saved();
  int lock_fd() const { return lock_.get(); }

 private:
  std::optional<ModeSnapshot> read(const std::string& path) const;
  void keep_damaged(const std::string& path) const;
  void sync_folder() const;

  std::string folder_;
  std::string boot_id_;
  OwnedFd lock_;
};

}  // namespace ridgewatt::platform
