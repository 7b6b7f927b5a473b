// A campaign measures one workload on many boards of several kinds. Its plan lists the operating
// points of each kind, which the boards of that kind share. Each planned point has a slot, such as
// "sweep7/agx-orin/117". A store holds at most one measurement per slot, from any board.
//
//   Plan plan = read_plan("sweep7.json");
//   const auto tasks = tasks_of(plan.boards[0]);
//   const auto order = order_of(plan, plan.boards[0], tasks, plan.options);  // campaign/executor.h
//
// docs/reference/file_formats.md describes the file (`ridgewatt.campaign/1`). The file is untrusted
// input: sizes are bounded, and all text that can reach a shell or a scheduler is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/board_names.h"
#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::campaign {

// A point to measure.
struct PlannedPoint {
  std::string label;  // letters, digits, '-', '_' and '.'
  OperatingPoint point;
  int repeat = 0;          // index of this repeat of the point, from 0
  double predicted_s = 0;  // settling, warm-up and window; 0: unknown
  double predicted_j = 0;
  int rerun = 0;       // number of reruns (campaign/rerun.h)
  double limit_s = 0;  // time limit of the program; set for tasks, not in plans; 0: none

  // The last part of its slot: "117", or "117@2" for its second rerun.
  std::string slot_label() const;
};

// Points that an executor runs as one task.
struct Task {
  int number = 0;  // index within the kind
  std::vector<PlannedPoint> points;
};

struct BoardKind {
  std::string name;  // name of a known board ("agx-orin") or of a fake board ("fake:agx-orin")
  int boards = 1;    // expected number of boards working at a time
  std::vector<PlannedPoint> points = {};
  std::vector<PlannedPoint> calibration = {};  // every board of the kind measures these first
  std::size_t points_per_task = 1;

  bool fake() const { return fake_name(name).has_value(); }
  // The value of --device on a board of this kind.
  std::string device() const { return fake() ? name : "local"; }
};

// Tasks that were submitted to an executor together.
struct Job {
  std::string executor;  // "slurm", "parallel" or "local"
  std::string board_kind;
  std::string id;  // assigned by the executor
  std::vector<int> tasks;
  std::int64_t submitted_unix_s = 0;
  std::vector<std::string> avoid = {};  // hosts that must not run its tasks
};

// How tasks are submitted to an executor.
struct ExecutorOptions {
  std::string program = "ridgewatt";  // path of the program on the boards
  // Folder for scripts and logs of GNU parallel; empty: default_folder().
  std::string folder = {};
  double time_limit_s = 0;  // of a task; 0: from the prediction, or none
  // Time limit of a point: `limit_factor` times its prediction, but at least `limit_floor_s`.
  // Factor 0: no limit.
  double limit_factor = 5;     // chosen: exceeds the errors of twins
  double limit_floor_s = 300;  // chosen: a Nano loads PyTorch and builds an engine in minutes
  // Number of successive failed points after which a board gets no more tasks; 0: never.
  int set_aside = 3;
  // For Slurm.
  std::string partition = {}, account = {};
  std::vector<std::string> sbatch_options = {};  // passed unchanged, such as "--qos=low"
  std::string logs = {};                         // folder that the boards share; empty: no logs
  // For GNU parallel: "HOST", or "KIND=HOST" for boards of one kind. Each host runs one task at a
  // time.
  std::vector<std::string> hosts = {};
  std::string ssh = {};  // command that replaces ssh; empty: ssh
  int retries = 10;      // of a failed task; for GNU parallel and local runs

  // Returns $XDG_STATE_HOME/ridgewatt/campaign/NAME; the default state folder is ~/.local/state.
  static std::string default_folder(const std::string& campaign);
};

struct Plan {
  std::string name;
  std::string store;  // file or postgresql://..
  // The command and how to measure it. `series` states the workload and its kind. In the command,
  // {batch} is replaced by the batch of the point and {device} by BoardKind::device().
  measure::ProfileOptions profile;
  // Only max_celsius, full_fan and no_idle_states are used.
  platform::JetsonModeControl::Options control;
  std::vector<BoardKind> boards;
  std::string executor = {};  // executor to which it was submitted; empty: not submitted
  ExecutorOptions options = {};
  std::vector<Job> jobs;
  // Time at which a board was readmitted, by serial number. Earlier failures do not count.
  std::map<std::string, std::int64_t> readmitted = {};
  // Jobs submitted before this time do not count as attempts. Set when points are planned again or
  // a board is readmitted.
  std::int64_t attempts_since_unix_s = 0;

  // Throws UsageError with the field, its value and the constraint.
  void check() const;
  // Returns the kind with this name. Throws NotFoundError, which lists the kinds.
  const BoardKind& kind(const std::string& name) const;
};

// Prefix of the labels of points that a search requests; not in any plan.
inline const std::string kSearchedLabel = "tune-";

// Returns "sweep7/agx-orin/117".
std::string slot_of(const std::string& campaign, const std::string& kind, const std::string& label);
// Returns "sweep7/agx-orin/cal-2/1421221012345"; each board has its own slot.
std::string calibration_slot(const std::string& campaign, const std::string& kind,
                             const std::string& label, const std::string& serial);
// The parts of a slot.
struct SlotParts {
  std::string campaign, kind, label;
  std::string serial;  // of a calibration point; empty: a planned point
};
// Returns nullopt if the text is not a slot of a campaign.
std::optional<SlotParts> parts_of_slot(const std::string& slot);

// Determines which measurements no longer count because their point is to be measured again.
class Superseded {
 public:
  explicit Superseded(const Plan& plan);
  // Whether the measurement in this slot no longer counts.
  bool has(const SlotParts& slot) const;

 private:
  std::map<std::string, std::string> newest_;  // "KIND/LABEL" -> label of its newest rerun
};
// Returns "117" for "117@2".
std::string label_without_rerun(const std::string& label);

// Returns the points of the kind in order, divided into tasks of `points_per_task`.
std::vector<Task> tasks_of(const BoardKind& kind);
// Returns the smallest number of points per task for which at most `most_tasks` are needed. Throws
// UsageError if `most_tasks` is 0.
std::size_t points_per_task(std::size_t points, std::size_t most_tasks);

// Returns the 64-bit FNV-1a hash of the text as 16 hexadecimal digits.
std::string hash_text(const std::string& text);

// The text of a point as the option --point of `campaign run`, such as
// "117:cores=4,gpu=612,batch=16,limit=300". Parsing throws UsageError for other text.
std::string point_text(const PlannedPoint& point);
PlannedPoint parse_point_text(const std::string& text);

// Converts 0, 1, 2, 3, 7 to "0-3,7" and back. Parsing throws UsageError for other text or for more
// than `most` numbers.
std::string ranges_text(std::vector<int> numbers);
std::vector<int> parse_ranges(const std::string& text, std::size_t most = 1000000);

// Returns whether the name has 1 to 64 letters, digits, '-', '_' or '.', and starts with a letter
// or digit.
bool is_plain_name(const std::string& name);

// Read a plan from a file, or from text with `source` as the name of the file. Throw InputError,
// which names file and field; read_plan() also throws the errors of reading a file.
Plan read_plan(const std::string& path);
Plan parse_plan(const std::string& text, const std::string& source);
// Returns the text of the file of a plan.
std::string plan_json(const Plan& plan);
// Returns a hash of everything that determines the measurements: name, workload, command, measuring
// options, and the points of each kind. Independent of the store, the number of boards, the tasks
// and the executor.
std::string fingerprint_of(const Plan& plan);
// Writes the file atomically.
void write_plan(const Plan& plan, const std::string& path);

}  // namespace ridgewatt::campaign
