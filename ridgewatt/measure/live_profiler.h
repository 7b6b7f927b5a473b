// The Profiler of searches for a real or fake board: sets an operating point, runs the program
// until power is steady, measures it by the protocol of docs/methods/measuring.md and stores the
// result.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/pipeline/page_cache.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/profiler.h"

namespace ridgewatt::measure {

// Puts a file, or all files of a folder, into the page cache or removes them before each point.
// Afterwards the original content is restored, except if this program was killed.
struct CacheOptions {
  enum class Start { kAsItIs, kFilled, kDropped };
  Start start = Start::kAsItIs;
  std::string path;
};

// Which stored points profile() measures again, each as a new repeat.
enum class Again { kNone, kFlagged, kEvery };
constexpr auto enum_names(Again) {
  return named<Again>(
      {{Again::kNone, "none"}, {Again::kFlagged, "flagged"}, {Again::kEvery, "every"}});
}

struct ProfileOptions {
  // The command must mark its minibatches. The placeholders of measure/placeholders.h are replaced
  // by the batch and the cores of the point. Idle power is measured in each mode. The command is
  // ended when its window is complete.
  MeasureOptions measure;
  store::Series series;
  int batch = 0;
  Again again = Again::kNone;  // kFlagged: points whose repeats all have flags
  CacheOptions cache;          // for the files that the program reads
  bool quiet = false;
  // On a machine without a power sensor, points are measured without power. Their power is NaN, and
  // they are not stored, because the store requires a power.
  bool power_optional = false;

  ProfileOptions() {
    measure.window.minibatches = 40;
    measure.settle = SettleOptions();
    measure.end_after_window = true;
  }
};

// The point could not be measured: the command failed, or it marked no minibatches.
class PointFailedError : public NotFoundError {
 public:
  using NotFoundError::NotFoundError;
  std::string output;  // the last lines that the command printed
};

// A stored point is valid only for the command that measured it. Therefore every point states its
// command, with the placeholders filled in.
//   require_same_command(sysfs, store, series, command, batches);  // before stored points are used
//   add_command(filled_command, record);                           // before a point is stored
// An empty command is unknown. Points without a command, as in older stores, are valid for any
// command. Throws UsageError if another command measured points of the series at one of
// `batches`.
void require_same_command(const platform::Sysfs& sysfs, store::Store& store,
                          const store::Series& series, const std::vector<std::string>& command,
                          const std::vector<int>& batches);
void add_command(const std::vector<std::string>& command, store::PointRecord& record);

class LiveProfiler : public Profiler {
 public:
  // All references must outlive this object.
  LiveProfiler(platform::Sysfs& sysfs, platform::JetsonModeControl& control, store::Store& store,
               const ProfileOptions& options);

  // First returns each result that earlier runs have stored for the point, so that an interrupted
  // search repeats no measurement. After that, each call is a new repeat: the result is measured,
  // or taken from the store if another process has stored this repeat. Throws PointFailedError,
  // IoError if no point can be measured (no sensor, no program), and the errors of
  // JetsonModeControl::apply() for permission and safety.
  Observation profile(const OperatingPoint& point) override;
  Provenance provenance() const override { return options_.series.provenance; }
  // Measures a point without storing it. `limit_s`: maximum time of the command; 0: none. Throws
  // the errors of profile(), and NotSupportedError for a mode that the board does not have.
  store::PointRecord take(const OperatingPoint& point, double limit_s = 0);

  // Returns whether the next call of profile() for the point returns a result of an earlier run.
  bool waiting(const OperatingPoint& point) const;
  // Returns the results of earlier runs that profile() has not returned yet. After this call,
  // profile() measures these points again.
  std::vector<Observation> take_known();
  // Measures a point again, even if the store has a result of it.
  Observation profile_again(const OperatingPoint& point);
  // Whether this object has measured the point; otherwise its result comes from the store.
  bool has_measured(const OperatingPoint& point) const { return measured_points_.contains(point); }
  // The flags of the last result that this object measured at the point.
  PointFlags measured_flags(const OperatingPoint& point) const;
  // Whether all stored results of the point have flags.
  bool flagged(const OperatingPoint& point) const;
  int measured() const { return measured_; }
  std::size_t malformed_marks() const { return malformed_marks_; }  // of all runs
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  struct Stored {
    std::vector<Observation> waiting;  // results of earlier runs, in reverse order of repeats
    int repeats = 0;
    bool clean = false;  // a result without flags
  };
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
  std::map<OperatingPoint, PointFlags> measured_points_;
  int measured_ = 0;
  std::size_t malformed_marks_ = 0;
  bool sets_threads_ = false;  // whether thread counts take the place of modes
  std::vector<std::string> failures_;
  std::unique_ptr<pipeline::PageCacheState> cache_;
};

}  // namespace ridgewatt::measure
