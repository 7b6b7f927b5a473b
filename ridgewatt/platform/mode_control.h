// The interface to a board's power modes: lists levels, sets a mode, and restores the original
// mode. A mode is fixed clocks, or a DVFS governor, optionally with upper limits on clocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/mode_guardian.h"
#include "ridgewatt/platform/mode_settings.h"
#include "ridgewatt/platform/nvpmodel_conf.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// The current settings of a board. Clocks are upper limits; a clock is fixed if its lower limit
// equals the upper one.
struct ModeState {
  PowerMode limits;  // `governor` is that of the CPU
  bool cpu_fixed = false;
  bool gpu_fixed = false;
  bool mem_fixed = false;
  std::string gpu_governor;
  std::string preset;  // the preset with these limits; empty: none
};

// Only reads, so that a monitor may call it often. `presets` are the board's presets, or null. If
// not null, throws NotSupportedError on a machine without knobs.
ModeState read_mode_state(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf* presets);

struct ApplySummary {
  PowerMode requested;
  PowerMode applied;  // as read back
  WriteSummary written;
};

class ModeControl {
 public:
  virtual ~ModeControl() = default;
  // The levels of each knob on this board. Throws NotSupportedError if the board has no knob.
  virtual KnobSpace::Levels levels() const = 0;
  KnobSpace space() const { return KnobSpace(levels()); }
  // DVFS governors that a mode may use.
  virtual std::vector<std::string> governors() const = 0;
  virtual ModeState state() const = 0;
  // Sets `mode` and reads it back. The first call takes the lock, writes the journal and starts the
  // guardian. A knob without a value in `mode` does not change; a clock is rounded to the nearest
  // supported one. If anything fails, the original mode is restored before the error is thrown.
  // Throws UsageError, PermissionError, IoError, NotSupportedError.
  virtual ApplySummary apply(const PowerMode& mode) = 0;
  // Restores the original mode, if a mode was applied.
  virtual void restore() = 0;
  // Makes the applied mode permanent and exits the program; see ModeGuardian::keep_and_exit.
  // Returns if no mode was applied.
  virtual void keep_and_exit() = 0;
};

// Mode control of a Jetson: a real, recorded or fake one.
class JetsonModeControl : public ModeControl {
 public:
  struct Options {
    std::string state_folder;  // folder of the journal; empty: ModeJournal::default_folder
    double max_celsius = 100;  // if a zone is hotter, abort and restore
    bool dry_run = false;      // write nothing; ApplySummary::written lists the writes
    // Other conditions, set with every mode and restored with it.
    bool full_fan = false;
    bool no_idle_states = false;  // of the CPU
  };
  // `sysfs` must outlive this object. If an interrupted run left a changed mode and write
  // permission is given, first restores the original mode.
  JetsonModeControl(Sysfs& sysfs, Options options);
  explicit JetsonModeControl(Sysfs& sysfs) : JetsonModeControl(sysfs, Options()) {}

  KnobSpace::Levels levels() const override;
  std::vector<std::string> governors() const override;
  ModeState state() const override;
  ApplySummary apply(const PowerMode& mode) override;
  // Uses another governor for the GPU, between its lowest clock and the clock of the mode (or its
  // highest). Throws UsageError that lists the GPU's governors.
  ApplySummary apply(const PowerMode& mode, const std::string& gpu_governor);
  void restore() override;
  void keep_and_exit() override;
  // Governors that all devfreq devices of the GPU support.
  std::vector<std::string> gpu_governors() const;

  // The presets in the board's own nvpmodel.conf; empty if there is no such file.
  const std::optional<NvpConf>& presets() const { return conf_; }
  // Applies a preset by name or id, in the order of its settings. If the kernel rejects the TPC
  // mask, a reboot is needed: throws NotSupportedError and changes nothing.
  ApplySummary apply_preset(const std::string& name);

  // Throws IoError if a temperature is above the limit, an over-current counter has increased since
  // the first apply, or another program changed the fan or idle states. Before it throws, it
  // restores the original mode.
  void check_safety();
  const JetsonLayout& layout() const { return layout_; }
  // Why apply() will fail, such as a journal of another version. Empty: no known reason.
  const std::string& warning() const { return warning_; }

 private:
  ApplySummary write(const PowerMode& requested, ModeSettings settings);
  void require_governors(const PowerMode& mode, const std::string& gpu_governor) const;
  void require_held() const;
  void require_writable(const WriteSummary& plan) const;
  PowerMode nearest(const PowerMode& mode) const;

  Sysfs& sysfs_;
  Options options_;
  JetsonLayout layout_;
  std::optional<NvpConf> conf_;
  std::string warning_;
  std::unique_ptr<ModeGuardian> guardian_;
  std::vector<ThrottleSignal> throttling_;  // read before the first apply
  std::vector<FileSetting> held_;           // values that are held for fan and CPU idle states
};

}  // namespace ridgewatt::platform
