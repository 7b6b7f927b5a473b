// The values that a board had before its mode was changed, on disk before the first write, so that
// they come back whatever happens to the program or the machine.
//
// One folder per board holds
//   mode.lock      held (flock) by whoever changes the mode: one writer at a time
//   mode.journal   a change is under way: whoever finds it unlocked restores it
//   mode.saved     a change was made on purpose ("mode apply"): `mode restore` brings this back
// A journal is text: a header with its version, the kernel's boot id, "path<TAB>value" lines and
// "end" with their count. What is found there has one of three answers:
//   nothing (or one of an earlier boot, whose values are gone): there is nothing to bring back;
//   damaged: journals appear whole and before the first change, so it holds nothing either; it is
//   kept as "mode.journal.damaged" when the next one is written;
//   of another version of ridgewatt: its values are worth keeping and cannot be read. That is an
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

// Old values by path.
using ModeSnapshot = std::map<std::string, std::string>;

// Everything that a mode may change, and `others` (further files of a preset).
ModeSnapshot take_snapshot(const Sysfs& sysfs, const JetsonLayout& layout,
                           const std::vector<FileSetting>& others = {});
// Brings the values back in the order that the kernel wants.
WriteSummary restore_snapshot(Sysfs& sysfs, const JetsonLayout& layout,
                              const ModeSnapshot& snapshot);

enum class JournalAnswer { kSound, kStale, kDamaged, kForeign };  // stale: of an earlier boot
struct ParsedJournal {
  JournalAnswer answer = JournalAnswer::kDamaged;
  ModeSnapshot snapshot;  // empty unless the answer is kSound
};
// A journal's text, whatever it holds; `boot_id` is this boot's.
ParsedJournal parse_mode_journal(std::string_view text, const std::string& boot_id);
// The text of a journal. Throws InputError for a path or value that it cannot hold: a tab, a line.
std::string mode_journal_text(const ModeSnapshot& snapshot, const std::string& boot_id);

class ModeJournal {
 public:
  // For the machine itself /var/lib/ridgewatt (or $XDG_STATE_HOME/ridgewatt for a user), for
  // another root the folder "ROOT.ridgewatt" next to it.
  static std::string default_folder(const Sysfs& sysfs);

  // Creates the folder and takes the lock, waiting up to `wait_s`. Throws IoError when another
  // process holds it, PermissionError.
  ModeJournal(const Sysfs& sysfs, const std::string& folder, double wait_s = 3);
  // What a run that died left behind, complete and of this boot. Throws NotSupportedError for a
  // journal of another version, PermissionError and IoError when it cannot be read.
  std::optional<ModeSnapshot> pending() const;
  // What `mode restore` brings back; throws as pending().
  std::optional<ModeSnapshot> saved() const;
  // Writes the old values; they are on disk when this returns. Throws InputError for a path that a
  // journal cannot hold, and as pending() before it would overwrite anything.
  void begin(const ModeSnapshot& snapshot);
  void end();     // the old values are back
  void commit();  // keep the change: the journal becomes the saved state
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
