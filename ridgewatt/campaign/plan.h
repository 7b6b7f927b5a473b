// A campaign: one workload on many boards of several kinds. The plan says which operating points
// every kind is to have; boards of the kind share them out. Each planned point is a slot,
// "sweep7/agx-orin/117", that a store holds at most once, whichever board filled it.
//
//   Plan plan = read_plan("sweep7.json");
//   const auto tasks = tasks_of(plan.boards[0]);
//   const auto order = order_of(plan, plan.boards[0], tasks);   // campaign/executor.h
//
// The file (`ridgewatt.campaign/1`) is described in docs/reference/file_formats.md. It comes from
// outside: sizes are bounded, and whatever would reach a shell or a scheduler is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::campaign {

// A point to be measured. Its label is the last part of its slot.
struct PlannedPoint {
  std::string label;  // "117"; letters, digits, '-', '_' and '.'
  OperatingPoint point;
  int repeat = 0;         // of this point in the plan, from 0
  double foretold_s = 0;  // of measuring it: settling, warm-up and window; 0: not known
  double foretold_j = 0;
};

// What one task of an engine measures.
struct Task {
  int number = 0;  // in its kind, from 0
  std::vector<PlannedPoint> points;
};

struct BoardKind {
  std::string name;  // of the library, "agx-orin", or "fake:agx-orin"
  int boards = 1;    // that are expected to work at once
  std::vector<PlannedPoint> points = {};
  std::vector<PlannedPoint> calibration = {};  // every board of the kind measures these first
  std::size_t points_per_task = 1;

  bool fake() const { return name.starts_with("fake:"); }
  // What --device is on such a board.
  std::string device() const { return fake() ? name : "local"; }
};

// Tasks that an engine was given.
struct Job {
  std::string executor;  // "slurm", "parallel", "local"
  std::string board_kind;
  std::string id;  // the engine's
  std::vector<int> tasks;
  std::int64_t submitted_unix_s = 0;
};

// How tasks are given to an engine.
struct ExecutorOptions {
  std::string program = "ridgewatt";  // on the boards
  std::string folder = {};            // of scripts and logs of parallel; empty: default_folder
  // Slurm.
  std::string partition = {}, account = {};
  double time_limit_s = 0;  // of a task; 0: from the foretold duration, or none
  std::vector<std::string> sbatch_options = {};  // "--qos=low", as they are
  std::string logs = {};                         // folder that the boards share; empty: no logs
  // GNU parallel: "HOST", or "KIND=HOST" for boards of one kind; one task at a time on each.
  std::vector<std::string> hosts = {};
  std::string ssh = {};  // in place of ssh
  int retries = 10;      // of parallel and of this machine alone

  // $XDG_STATE_HOME/ridgewatt/campaign/NAME (~/.local/state/..).
  static std::string default_folder(const std::string& campaign);
};

struct Plan {
  std::string name;
  std::string store;  // file or postgresql://..
  // Command, window, settling; workload and kind are those of its series. In the command {batch} is
  // the batch of the point, {device} what --device is on the board.
  measure::ProfileOptions profile;
  platform::JetsonModeControl::Options control;  // max_celsius, full_fan and no_idle_states alone
  std::vector<BoardKind> boards;
  std::string executor = {};  // that it was submitted to, "slurm"; empty: not yet
  ExecutorOptions options = {};
  std::vector<Job> jobs;

  // Throws UsageError naming the field, its value and what it must be.
  void check() const;
  // NotFoundError with the kinds that there are.
  const BoardKind& kind(const std::string& name) const;
};

// What labels of points begin with that a search asks for: they are in no plan.
inline const std::string kSearchedLabel = "tune-";

// "sweep7/agx-orin/117".
std::string slot_of(const std::string& campaign, const std::string& kind, const std::string& label);
// "sweep7/agx-orin/cal-2/1421221012345": each board has its own.
std::string calibration_slot(const std::string& campaign, const std::string& kind,
                             const std::string& label, const std::string& serial);
// The parts of either; nothing when it is not a slot of a campaign.
struct SlotParts {
  std::string campaign, kind, label;
  std::string serial;  // of a calibration point; empty: a planned point
};
std::optional<SlotParts> parts_of_slot(const std::string& slot);

// The kind's points in their order, `points_per_task` each.
std::vector<Task> tasks_of(const BoardKind& kind);
// Points per task so that there are at most `most_tasks`: as few as possible.
std::size_t points_per_task(std::size_t points, std::size_t most_tasks);

// 16 hexadecimal digits, the same for the same text everywhere (FNV-1a).
std::string hash_text(const std::string& text);

// "117:cores=4,gpu=612,batch=16", as `campaign run` takes it. UsageError on anything else.
std::string point_text(const PlannedPoint& point);
PlannedPoint parse_point_text(const std::string& text);

// "0-3,7" of 0, 1, 2, 3, 7, and back; UsageError on anything else, or more than `most` numbers.
std::string ranges_text(std::vector<int> numbers);
std::vector<int> parse_ranges(const std::string& text, std::size_t most = 1000000);

// Letters, digits, '-', '_' and '.', at most 64, a letter or digit first.
bool is_plain_name(const std::string& name);

// Throws InputError with file and field, and what reading a file throws.
Plan read_plan(const std::string& path);
Plan parse_plan(const std::string& text, const std::string& source);
std::string plan_json(const Plan& plan);
// Of what is measured: name, workload, command, how it is measured, and the points of each kind.
// Where the points are kept, by how many boards, in which tasks and on which engine does not count.
std::string fingerprint_of(const Plan& plan);
// Whole or not at all.
void write_plan(const Plan& plan, const std::string& path);

}  // namespace ridgewatt::campaign
