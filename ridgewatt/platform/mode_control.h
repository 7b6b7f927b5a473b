// The seam to a board's power modes: what can be set, what is set, setting and bringing back.
// A mode is fixed clocks, or a named DVFS governor (with upper limits where clocks are given too).
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

// What a board is set to. Clocks are the upper limits; they are fixed when a lower limit equals it.
struct ModeState {
  PowerMode limits;  // its governor is the CPU's
  bool cpu_fixed = false;
  bool gpu_fixed = false;
  bool mem_fixed = false;
  std::string gpu_governor;
  std::string preset;  // the preset whose limits these are; empty: none
};

// Reads and nothing else: what a monitor asks again and again. `presets` (may be null) are the
// board's own; with them, a machine that shows no knob is a NotSupportedError.
ModeState read_mode_state(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf* presets);

struct ApplySummary {
  PowerMode requested;
  PowerMode applied;  // read back
  WriteSummary written;
};

class ModeControl {
 public:
  virtual ~ModeControl() = default;
  // The board's own tables. Throws NotSupportedError when the board shows no knob.
  virtual KnobSpace::Levels levels() const = 0;
  KnobSpace space() const { return KnobSpace(levels()); }
  // Names of DVFS governors that can be a mode.
  virtual std::vector<std::string> governors() const = 0;
  virtual ModeState state() const = 0;
  // Sets `mode` now and reads it back. The first call takes the lock, writes the journal and starts
  // the guardian. A knob that the mode lacks stays as it is; a clock that is not in the table is
  // moved to the nearest. On any failure the board is brought back to its first state before the
  // error leaves. Throws UsageError, PermissionError, IoError, NotSupportedError.
  virtual ApplySummary apply(const PowerMode& mode) = 0;
  // Brings the first state back. Nothing happens when nothing was applied.
  virtual void restore() = 0;
  // Lets the mode stay and ends the program; see ModeGuardian::keep_and_exit. Returns when nothing
  // was applied.
  virtual void keep_and_exit() = 0;
};

// A Jetson, real, recorded or fake.
class JetsonModeControl : public ModeControl {
 public:
  struct Options {
    std::string state_folder;  // of the journal; empty: ModeJournal::default_folder
    double max_celsius = 100;  // any zone above: abort and restore
    bool dry_run = false;      // writes nothing: ApplySummary::written says what it would
    // Held with every mode, and taken back with it.
    bool full_fan = false;
    bool no_idle_states = false;  // of the CPU
  };
  // `sysfs` must outlive this. Restores first what a run that died left behind, when it may write.
  JetsonModeControl(Sysfs& sysfs, Options options);
  explicit JetsonModeControl(Sysfs& sysfs) : JetsonModeControl(sysfs, Options()) {}

  KnobSpace::Levels levels() const override;
  std::vector<std::string> governors() const override;
  ModeState state() const override;
  ApplySummary apply(const PowerMode& mode) override;
  // With a governor of the GPU's own, between its lowest clock and the mode's (or the highest).
  // UsageError names those that devfreq has.
  ApplySummary apply(const PowerMode& mode, const std::string& gpu_governor);
  void restore() override;
  void keep_and_exit() override;
  // Names that all of the GPU's devfreq devices have.
  std::vector<std::string> gpu_governors() const;

  // Presets of the board's own nvpmodel.conf; nothing when it has none.
  const std::optional<NvpConf>& presets() const { return conf_; }
  // Applies a preset by name or id, in the order of its file. A TPC mask that the kernel refuses
  // needs a reboot: NotSupportedError, and nothing is changed.
  ApplySummary apply_preset(const std::string& name);

  // Throws IoError when a temperature is over the limit, an over-current counter went up since the
  // first apply or somebody took fan or idle states back; what was applied has been restored then.
  void check_safety();
  const JetsonLayout& layout() const { return layout_; }
  // Why apply() will refuse: a journal of another version. Empty: it will not.
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
  std::vector<ThrottleSignal> throttling_;  // before the first apply
  std::vector<FileSetting> held_;           // of fan and CPU idle states
};

}  // namespace ridgewatt::platform
