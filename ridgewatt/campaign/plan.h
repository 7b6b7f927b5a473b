// A campaign: one workload on many boards of several kinds. The plan lists the operating points of
// every kind; boards of the kind share them. Each planned point is a slot, "sweep7/agx-orin/117",
// that a store holds at most once, whichever board filled it.
//
//   Plan plan = read_plan("sweep7.json");
//   const auto tasks = tasks_of(plan.boards[0]);
//   const auto order = order_of(plan, plan.boards[0], tasks);   // campaign/executor.h
//
// The file (`ridgewatt.campaign/1`) is described in docs/reference/file_formats.md. It is untrusted
// input: sizes are bounded, and everything that would reach a shell or a scheduler is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::campaign {

// A point to be measured. Its label is the last part of its slot; "117@2" is its second rerun.
struct PlannedPoint {
  std::string label;  // "117"; letters, digits, '-', '_' and '.'
  OperatingPoint point;
  int repeat = 0;          // counts the repeats of this point in the plan, from 0
  double predicted_s = 0;  // predicted: settling, warm-up and window; 0: unknown
  double predicted_j = 0;
  int rerun = 0;       // times that it was planned again because its measurement was in doubt
  double limit_s = 0;  // that the program may run; set for a task, not in a plan; 0: none

  std::string slot_label() const;
};

// The points of one task of an engine.
struct Task {
  int number = 0;  // within its kind, from 0
  std::vector<PlannedPoint> points;
};

struct BoardKind {
  std::string name;  // of a board in the library, "agx-orin", or "fake:agx-orin"
  int boards = 1;    // expected number that works at once
  std::vector<PlannedPoint> points = {};
  std::vector<PlannedPoint> calibration = {};  // every board of the kind measures these first
  std::size_t points_per_task = 1;

  bool fake() const { return name.starts_with("fake:"); }
  // The value of --device on such a board.
  std::string device() const { return fake() ? name : "local"; }
};

// Tasks that were submitted to an engine.
struct Job {
  std::string executor;  // "slurm", "parallel", "local"
  std::string board_kind;
  std::string id;  // given by the engine
  std::vector<int> tasks;
  std::int64_t submitted_unix_s = 0;
  std::vector<std::string> avoid = {};  // hosts that it does not use
};

// Options for submitting tasks to an engine.
struct ExecutorOptions {
  std::string program = "ridgewatt";  // on the boards
  std::string folder = {};            // of scripts and logs of parallel; empty: default_folder
  double time_limit_s = 0;            // of a task; 0: from the predicted duration, or none
  // A point may take `limit_factor` times its prediction, at least `limit_floor_s`; 0: no limit.
  double limit_factor = 5;     // chosen: above the factor that separates twins from boards
  double limit_floor_s = 300;  // chosen: a Nano loads PyTorch and builds an engine in minutes
  int set_aside = 3;  // points that a board fails in a row before it gets no more; 0: never
  // Slurm.
  std::string partition = {}, account = {};
  std::vector<std::string> sbatch_options = {};  // "--qos=low", unchanged
  std::string logs = {};                         // folder shared by the boards; empty: no logs
  // GNU parallel: "HOST", or "KIND=HOST" for boards of one kind; one task at a time on each.
  std::vector<std::string> hosts = {};
  std::string ssh = {};  // command to use instead of ssh
  int retries = 10;      // of parallel and of this machine alone

  // $XDG_STATE_HOME/ridgewatt/campaign/NAME (~/.local/state/..).
  static std::string default_folder(const std::string& campaign);
};

struct Plan {
  std::string name;
  std::string store;  // file or postgresql://..
  // Command, window, settling; workload and kind are those of its series. In the command {batch} is
  // the batch of the point, {device} the value of --device on the board.
  measure::ProfileOptions profile;
  platform::JetsonModeControl::Options control;  // only max_celsius, full_fan and no_idle_states
  std::vector<BoardKind> boards;
  std::string executor = {};  // the submitted engine, "slurm"; empty: not submitted
  ExecutorOptions options = {};
  std::vector<Job> jobs;
  // Serial number -> when its board was trusted again; earlier failures no longer count.
  std::map<std::string, std::int64_t> readmitted = {};
  // Jobs from before do not count as attempts: points were planned again, or a board readmitted.
  std::int64_t attempts_since_unix_s = 0;

  // Throws UsageError with the field, its value and the constraint.
  void check() const;
  // Throws NotFoundError with the known kinds.
  const BoardKind& kind(const std::string& name) const;
};

// Prefix of the labels of points that a search requests: no plan contains them.
inline const std::string kSearchedLabel = "tune-";

// "sweep7/agx-orin/117".
std::string slot_of(const std::string& campaign, const std::string& kind, const std::string& label);
// "sweep7/agx-orin/cal-2/1421221012345": one per board.
std::string calibration_slot(const std::string& campaign, const std::string& kind,
                             const std::string& label, const std::string& serial);
// The parts of either; empty if the text is not a slot of a campaign.
struct SlotParts {
  std::string campaign, kind, label;
  std::string serial;  // of a calibration point; empty: a planned point
};
std::optional<SlotParts> parts_of_slot(const std::string& slot);

// Which slots hold a measurement that no longer counts, because its point is planned again.
class Superseded {
 public:
  explicit Superseded(const Plan& plan);
  bool has(const SlotParts& slot) const;

 private:
  std::map<std::string, std::string> newest_;  // "KIND/LABEL" -> label of its newest rerun
};
// "117@2" without its rerun: "117".
std::string label_without_rerun(const std::string& label);

// The points of the kind in order, `points_per_task` each.
std::vector<Task> tasks_of(const BoardKind& kind);
// The smallest number of points per task that needs at most `most_tasks`.
std::size_t points_per_task(std::size_t points, std::size_t most_tasks);

// 16 hexadecimal digits that depend only on the text (FNV-1a).
std::string hash_text(const std::string& text);

// "117:cores=4,gpu=612,batch=16,limit=300", as `campaign run` takes it. Throws UsageError for
// anything else.
std::string point_text(const PlannedPoint& point);
PlannedPoint parse_point_text(const std::string& text);

// "0-3,7" for 0, 1, 2, 3, 7, and back; throws UsageError for anything else, or more than `most`
// numbers.
std::string ranges_text(std::vector<int> numbers);
std::vector<int> parse_ranges(const std::string& text, std::size_t most = 1000000);

// Letters, digits, '-', '_' and '.', at most 64, starting with a letter or digit.
bool is_plain_name(const std::string& name);

// Throws InputError with file and field, and what reading a file throws.
Plan read_plan(const std::string& path);
Plan parse_plan(const std::string& text, const std::string& source);
std::string plan_json(const Plan& plan);
// Fingerprint of the measurements: name, workload, command, options of measuring, and the points of
// each kind. The store, the number of boards, the tasks and the engine do not count.
std::string fingerprint_of(const Plan& plan);
// Writes the whole file or nothing.
void write_plan(const Plan& plan, const std::string& path);

}  // namespace ridgewatt::campaign
