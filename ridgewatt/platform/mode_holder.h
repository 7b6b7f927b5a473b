// Changes the power mode for a program with threads, and restores the original mode when the
// program ends, in whatever way. A small process, forked before any thread starts, controls the
// mode (platform/mode_control.h, with its journal and guardian). It receives requests over a socket
// pair and restores the mode when the socket is closed.
//
//   ModeHolder holder(*device.sysfs);               // before starting threads; changes nothing
//   const HeldMode held = holder.set("MODE_30W");   // or "cores=4,gpu=612"; from any thread
//   holder.state().fault;                           // why the mode was restored early, or empty
//   holder.restore();                               // also when `holder` or the program ends
//
// If some of the processes are killed, one of the remaining ones restores the mode. If all are
// killed (power loss), the journal restores it at the next start. While a mode is set, temperature
// and over-current are checked twice per second.
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
  PowerMode applied = {};              // as read back
  std::string preset = {};             // the preset that equals this mode; empty: none
  std::size_t writes = 0;              // number of files written
  std::vector<ReadBack> changed = {};  // the first 20 values that the board changed
};

struct HolderState {
  bool holding = false;
  HeldMode held = {};    // valid if `holding`
  PowerMode first = {};  // the original mode, which will be restored
  std::string first_preset = {};
  // Why the original mode was restored without a request. Empty: this did not happen.
  std::string fault = {};
};

class ModeHolder {
 public:
  // Forks. `sysfs` must outlive this object. Throws UsageError if the process has threads already,
  // and IoError.
  explicit ModeHolder(Sysfs& sysfs, const JetsonModeControl::Options& options = {});
  // Restores the original mode.
  ~ModeHolder();
  ModeHolder(const ModeHolder&) = delete;
  ModeHolder& operator=(const ModeHolder&) = delete;

  // Sets a preset by name or id, or a mode as text (device/mode_text.h). Returns the mode that was
  // read back. Knobs that the text omits do not change. Throws the errors of
  // JetsonModeControl::apply() and apply_preset(), and IoError if the process that controls the
  // mode has ended.
  HeldMode set(const std::string& mode);
  // Restores the original mode, if a mode is set.
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
