// A real or fake board behind the interface that searches use: an operating point is set, the
// program runs until power is steady, is measured by the protocol of docs/methods/measuring.md and
// stored.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/pipeline/page_cache.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/profiler.h"

namespace ridgewatt::measure {

// What the page cache holds of a file, or of all files of a folder, when each point begins. In the
// end it holds what it held; after a kill it does not, since that is a cache and no setting.
struct CacheOptions {
  enum class Start { kAsItIs, kFilled, kDropped };
  Start start = Start::kAsItIs;
  std::string path;
};

struct ProfileOptions {
  // Its command marks minibatches; the placeholders of measure/placeholders.h become the batch and
  // the cores of the point. The idle baseline is each mode's own, and the command is ended when the
  // window is complete.
  MeasureOptions measure;
  store::Series series;
  int batch = 0;
  CacheOptions cache;  // of the files that the program reads
  bool quiet = false;
  // Points are measured without power where the machine has no power sensor: their power is NaN,
  // and the store, which needs a power, does not keep them.
  bool power_optional = false;

  ProfileOptions() {
    measure.window.minibatches = 40;
    measure.settle = SettleOptions();
    measure.end_after_window = true;
  }
};

// The point could not be measured: the command failed there, or marked no minibatches.
class PointFailedError : public NotFoundError {
 public:
  using NotFoundError::NotFoundError;
  std::string output;  // the last lines that the command printed
};

class LiveProfiler : public Profiler {
 public:
  // All must outlive this.
  LiveProfiler(platform::Sysfs& sysfs, platform::JetsonModeControl& control, store::Store& store,
               const ProfileOptions& options);

  // A point that an earlier run has stored is answered from there the first time that it is asked
  // for; so a search that was cut off goes on without repeating one. What is asked for again is
  // measured again, as a repeat. What another process has put into the store since is taken.
  // Throws PointFailedError, IoError where no point can be measured (no sensor, no program), and
  // what JetsonModeControl::apply throws for permission and safety.
  Observation profile(const OperatingPoint& point) override;
  Provenance provenance() const override { return options_.series.provenance; }
  // Measures and stores nothing: for whoever has a place of their own for it. Throws what profile()
  // throws, and NotSupportedError for a mode that the board does not have.
  // `limit_s`: the command may run as long; 0: without limit.
  store::PointRecord take(const OperatingPoint& point, double limit_s = 0);

  // An earlier run has stored it, and it was not asked for yet.
  bool waiting(const OperatingPoint& point) const;
  // All that earlier runs have stored; profile() measures these points again from here on.
  std::vector<Observation> take_known();
  int measured() const { return measured_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  struct Stored {
    std::vector<Observation> waiting;  // in reverse order of their repeats
    int repeats = 0;
  };
  void take_stored(const store::Series& series);
  void set(const PowerMode& mode);
  Observation measure(const OperatingPoint& point, int repeat);
  std::optional<Observation> found_by_others(const OperatingPoint& point, int repeat);
  [[noreturn]] void fail(const OperatingPoint& point, const std::string& reason,
                         const std::string& output = "");

  platform::Sysfs& sysfs_;
  platform::PowerMeter meter_;  // the rails are opened once for all points
  platform::JetsonModeControl& control_;
  store::Store& store_;
  const ProfileOptions& options_;
  std::map<OperatingPoint, Stored> stored_;
  int measured_ = 0;
  bool sets_threads_ = false;  // the command's threads take the place of modes
  std::vector<std::string> failures_;
  std::unique_ptr<pipeline::PageCacheState> cache_;
};

}  // namespace ridgewatt::measure
