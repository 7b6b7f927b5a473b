// The values that a board had before its mode was changed, on disk before the first write, so that
// they come back whatever happens to the program or the machine.
//
// One folder a board holds
//   mode.lock      held (flock) by whoever changes the mode: one writer at a time
//   mode.journal   a change is under way: whoever finds it unlocked restores it
//   mode.saved     a change was made on purpose ("mode apply"): `mode restore` brings this back
// A journal is text: a header, the kernel's boot id, "path<TAB>value" lines and "end" with their
// count; an incomplete one was written before any change and is dropped.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/mode_settings.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt {

// Old values by path.
using ModeSnapshot = std::map<std::string, std::string>;

// Everything that a mode may change, and `others` (further files of a preset).
ModeSnapshot take_snapshot(const Sysfs& sysfs, const JetsonLayout& layout,
                           const std::vector<FileSetting>& others = {});
// Brings the values back in the order that the kernel wants.
WriteSummary restore_snapshot(Sysfs& sysfs, const JetsonLayout& layout,
                              const ModeSnapshot& snapshot);

class ModeJournal {
 public:
  // For the machine itself /var/lib/ridgewatt (or $XDG_STATE_HOME/ridgewatt for a user), for
  // another root the folder "ROOT.ridgewatt" beside it.
  static std::string default_folder(const Sysfs& sysfs);

  // Creates the folder and takes the lock, waiting up to `wait_s`. Throws IoError when another
  // process holds it, PermissionError.
  ModeJournal(const Sysfs& sysfs, const std::string& folder, double wait_s = 3);
  ~ModeJournal();
  ModeJournal(const ModeJournal&) = delete;
  ModeJournal& operator=(const ModeJournal&) = delete;

  // A journal of a run that died, complete and of this boot; others are dropped.
  bool pending() const;
  bool saved() const;
  ModeSnapshot read_pending() const;
  ModeSnapshot read_saved() const;
  void begin(const ModeSnapshot& snapshot);  // on disk when this returns
  void end();                                // the old values are back
  void commit();                             // keep the change: the journal becomes the saved state
  void forget_saved();

 private:
  bool valid(const std::string& path, ModeSnapshot* snapshot) const;
  void sync_folder() const;

  std::string folder_;
  std::string boot_id_;
  int lock_ = -1;
};

}  // namespace ridgewatt
