// Changes the power mode for a program that has threads, and brings the first one back when that
// program ends, however it ends. A small process of its own, forked before any thread, keeps the
// mode (platform/mode_control.h, with its journal and its guardian); it gets what to set over a
// pair of sockets, and their end tells it to restore.
//
//   ModeHolder holder(*device.sysfs);               // before starting threads; nothing is changed
//   const HeldMode held = holder.set("MODE_30W");   // or "cores=4,gpu=612"; any thread, any time
//   holder.state().fault;                           // "over-temperature ..": it went back by
//   itself holder.restore();                               // or at the end of `holder`, or of the
//   program
//
// Of two processes that are killed one is left to restore; if all are (power loss), the journal
// restores at the next start. While a mode is held its safety is looked at twice per second.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::platform {

struct HeldMode {
  PowerMode applied = {};              // read back
  std::string preset = {};             // of exactly this mode; empty: none
  std::size_t writes = 0;              // files written
  std::vector<ReadBack> changed = {};  // taken differently by the board: the first 20
};

struct HolderState {
  bool holding = false;
  HeldMode held = {};    // when holding
  PowerMode first = {};  // what comes back
  std::string first_preset = {};
  std::string fault = {};  // why the first mode came back unasked; empty: it did not
};

class ModeHolder {
 public:
  // Forks. `sysfs` must outlive this. UsageError when threads run already, IoError.
  explicit ModeHolder(Sysfs& sysfs, const JetsonModeControl::Options& options = {});
  // Restores.
  ~ModeHolder();
  ModeHolder(const ModeHolder&) = delete;
  ModeHolder& operator=(const ModeHolder&) = delete;

  // Sets a preset by name or id, or a mode as text (device/mode_text.h), and says what the board
  // made of it. Knobs that the text lacks stay as they are. Throws what JetsonModeControl::apply
  // and apply_preset throw; IoError too when the process that holds the mode is gone.
  HeldMode set(const std::string& mode);
  // Brings the first mode back. Nothing happens when none is held.
  void restore();
  HolderState state();
  pid_t process() const { return child_; }

 private:
  std::string ask(std::string_view request);
  void end();

  pid_t owner_;
  pid_t child_ = -1;
  std::mutex asking_;
  OwnedFd socket_;
};

}  // namespace ridgewatt::platform
