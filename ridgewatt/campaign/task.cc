#include "ridgewatt/campaign/task.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/campaign/engine/host.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/slurm/slurm.h"
#include "ridgewatt/campaign/try_again.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/mode_journal.h"

namespace ridgewatt::campaign {
namespace {

namespace fs = std::filesystem;

// A point with the slot that it fills on this board.
struct SlottedPoint {
  OperatingPoint point;
  std::string slot;
  double limit_s = 0;
};

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0)
    throw_errno(errno, "cannot read the host name of this board", "");
  return name;
}

// Converts a kind of board to a file name.
std::string file_of_kind(std::string kind) {
  std::replace(kind.begin(), kind.end(), ':', '-');
  return kind;
}

// Ensures that only one task runs on a board. The process that restores the mode inherits the lock,
// so the next task starts only after the mode is restored.
OwnedFd lock_board(const std::string& folder, const std::string& kind) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw TryAgainError("cannot make the spool's folder", folder, error.message());
  const std::string path = folder + "/" + file_of_kind(kind) + ".lock";
  OwnedFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!lock && (errno == EACCES || errno == EPERM)) throw_errno(errno, "cannot open", path);
  if (!lock)
    throw TryAgainError("cannot open", path,
                        std::error_code(errno, std::generic_category()).message());
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    throw TryAgainError("another task of a campaign runs on this board", path);
  }
  return lock;
}

// False if the disk is full.
bool can_write(const std::string& folder) {
  const std::string block(65536, 'x');
  const OwnedFd file(::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  return file &&
         ::write(file.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size());
}

// Throws TryAgainError if another command that changes modes, such as `profile` or `tune`, is using
// the board.
void require_idle_board(const platform::Sysfs& sysfs, const std::string& state_folder) {
  const std::string folder =
      state_folder.empty() ? platform::ModeJournal::default_folder(sysfs) : state_folder;
  try {
    const platform::ModeJournal journal(sysfs, folder);
  } catch (const IoError& error) {
    throw TryAgainError("the board is busy", error.what());
  }
}

// Returns the kind of this board. "orin-nano-8gb@super" also counts as "orin-nano-8gb". Throws
// UsageError if the board is not of the `wanted` kind.
std::string local_kind(const platform::LocalDevice& device, const std::string& wanted) {
  std::string found = device.name;
  if (device.name == "local") {
    const auto board = platform::local_board(*device.sysfs);
    found = board ? *board : "not a Jetson";
  }
  if (wanted.empty()) return found;
  if (found == wanted || found.substr(0, found.find('@')) == wanted) return wanted;
  throw UsageError("this board is of the wrong kind", found,
                   fmt::format("the task is for {}", wanted));
}

class BoardTask {
 public:
  BoardTask(const platform::LocalDevice& device, TaskOptions& options)
      : device_(device), options_(options) {}

  TaskSummary run() {
    name_board();
    const auto points = lacking();
    if (!points.empty()) measure(points);
    hand_in_at_last();
    return summary_;
  }

 private:
  void name_board() {
    measure::name_series(device_, options_.profile);
    auto& series = options_.profile.series;
    if (series.serial.empty()) series.serial = host_name();
    summary_.board = series.board;
    summary_.serial = series.serial;
  }

  // Waits before failing. Otherwise a board with a full disk would fail quickly and be given all
  // tasks.
  void wait_for_disk() const {
    constexpr double kPatienceS = 10;
    const Stopwatch waiting;
    while (!can_write(options_.spool_folder)) {
      if (waiting.s() >= kPatienceS) {
        throw TryAgainError("the spool cannot be written", options_.spool_folder,
                            "the disk is full");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
  }

  void hand_in_at_last() {
    constexpr auto kPause = std::chrono::seconds(1);
    const Stopwatch waiting;
    while (!hand_in(summary_.measured > 0 || summary_.failed > 0)) {
      if (waiting.s() >= options_.wait_s) {
        throw TryAgainError(
            "the store cannot be reached; the measured points are kept in the spool", away_);
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  std::vector<SlottedPoint> planned() const {
    std::vector<SlottedPoint> result;
    const auto add = [&](const std::vector<PlannedPoint>& points, bool calibration) {
      std::vector<PowerMode> modes;
      for (const auto& point : points) modes.push_back(point.point.mode);
      // Sort the modes in an order that all boards accept.
      for (const auto& mode : measure::profiling_order(modes)) {
        for (const auto& point : points) {
          if (point.point.mode != mode) continue;
          result.push_back(
              {point.point,
               calibration ? calibration_slot(options_.campaign, options_.board_kind,
                                              point.slot_label(), summary_.serial)
                           : slot_of(options_.campaign, options_.board_kind, point.slot_label()),
               point.limit_s});
        }
      }
    };
    add(options_.calibration, true);
    add(options_.points, false);
    return result;
  }

  // Returns the points that are neither in the spool nor in the store, if the store is reachable.
  std::vector<SlottedPoint> lacking() {
    open_spool();
    hand_in(true);  // points of an earlier task; also finds out whether the store is reachable
    std::vector<SlottedPoint> result;
    for (auto& point : planned()) {
      if (filled(point)) {
        ++summary_.skipped;
      } else {
        result.push_back(std::move(point));
      }
    }
    return result;
  }

  bool holds(store::Store& store, const SlottedPoint& at) const {
    const auto found = store.find_slot(at.slot);
    if (found) check_slot(*found, at.point, options_.profile.series, store.path());
    return found.has_value();
  }

  bool filled(const SlottedPoint& at) {
    if (holds(*spool_, at)) return true;
    if (!store_) return false;
    try {
      return holds(*store_, at);
    } catch (const IoError&) {
      store_.reset();
      return false;
    }
  }

  void open_spool() {
    const std::string plan = options_.fingerprint.empty() ? "" : "-" + options_.fingerprint;
    const std::string path = options_.spool_folder + "/" + options_.campaign + plan + ".db";
    if (!fs::exists(path)) wait_for_disk();
    try {
      spool_.emplace(path);
      spool_->series(options_.profile.series);
      spool_->add_campaign_board({options_.campaign, options_.board_kind, summary_.serial,
                                  engine_host(), std::time(nullptr)});
    } catch (const IoError& error) {
      throw TryAgainError("the spool cannot be written", error.what());
    }
  }

  // Copies the spool to the store. Returns true if the store has all points of the spool. Throws if
  // the store refuses them permanently.
  bool hand_in(bool look) {
    if (!look && store_) return true;
    try {
      if (!store_) store_.emplace(options_.store);
      claim_campaign(options_.campaign, options_.fingerprint, *store_);
      const auto done = store_->take_from(*spool_);
      summary_.handed_in.added += done.added;
      summary_.handed_in.present = done.present;
      summary_.handed_in.superseded = done.superseded;
      return true;
    } catch (const IoError& error) {
      away_ = error.what();
    } catch (const NotFoundError& error) {
      away_ = error.what();
    }
    store_.reset();
    return false;
  }

  void measure(const std::vector<SlottedPoint>& points) {
    wait_for_disk();
    require_idle_board(*device_.sysfs, options_.control.state_folder);
    platform::JetsonModeControl control(*device_.sysfs, options_.control);
    measure::LiveProfiler profiler(*device_.sysfs, control, *spool_, options_.profile);
    store_.reset();  // leaves the server's few connections to other boards
    Progress progress("campaign", points.size(), options_.profile.quiet);
    Stopwatch since_hand_in;
    for (std::size_t i = 0; i < points.size(); ++i) {
      progress.update(i, describe(points[i].point.mode));
      measure_point(profiler, points[i]);
      if (since_hand_in.s() < options_.hand_in_every_s) continue;
      hand_in(true);
      store_.reset();
      since_hand_in = Stopwatch();
    }
    progress.update(points.size());
    control.restore();
    summary_.malformed_marks += profiler.malformed_marks();
  }

  void measure_point(measure::LiveProfiler& profiler, const SlottedPoint& at) {
    const auto failed = [&](const std::string& why, const std::string& output) {
      ++summary_.failed;
      summary_.failures.push_back(at.slot + ": " + why);
      keep_failure({at.slot, options_.profile.series.board, summary_.serial, engine_host(),
                    std::time(nullptr), escape_terminal(why), output});
    };
    try {
      store::PointRecord record = profiler.take(at.point, at.limit_s);
      record.slot = at.slot;
      keep(record);
    } catch (const measure::PointFailedError& error) {
      failed(error.what(), error.output);
    } catch (const NotSupportedError& error) {
      failed(error.what(), "");
    } catch (const IoError& error) {
      if (can_write(options_.spool_folder)) throw;
      // The mode journal cannot be written either.
      throw TryAgainError("the spool cannot be written", error.what());
    }
  }

  void keep_failure(const store::FailedAttempt& failure) {
    try {
      spool_->add_failures({failure});
    } catch (const Error& error) {
      throw TryAgainError("the spool cannot be written", error.what());
    }
  }

  void keep(store::PointRecord& record) {
    try {
      const auto series = spool_->series(options_.profile.series);
      record.repeat = 0;
      while (spool_->has(series, record.observation.point, record.repeat)) ++record.repeat;
      if (spool_->add_if_absent(series, record)) ++summary_.measured;
    } catch (const Error& error) {
      hand_in(true);  // saves the points that the spool has
      throw TryAgainError("the spool cannot be written", error.what());
    }
  }

  const platform::LocalDevice& device_;
  TaskOptions& options_;
  std::optional<store::Store> spool_;
  std::optional<store::Store> store_;  // empty while the store is unreachable or the board measures
  std::string away_;                   // why the store is unreachable
  TaskSummary summary_;
};

}  // namespace

void TaskOptions::check() const {
  if (!is_plain_name(campaign)) {
    throw UsageError(fmt::format("'{}' cannot be the name of a campaign", campaign), "",
                     "use letters, digits, '-', '_' and '.'");
  }
  if (!fingerprint.empty() && !is_plain_name(fingerprint)) {
    throw UsageError(fmt::format("'{}' is not the fingerprint of a plan", fingerprint), "",
                     "`ridgewatt campaign list STORE` prints the fingerprints");
  }
  if (points.empty() && calibration.empty()) {
    throw UsageError("campaign run needs a point to measure", "", "give --point");
  }
  if (store.empty()) throw UsageError("campaign run needs a store", "", "give --store");
  profile.measure.check();
}

std::string default_spool_folder() {
  return user_state_folder().value_or("/root/.local/state") + "/ridgewatt/spool";
}

TaskSummary run_task(const platform::LocalDevice& device, TaskOptions options) {
  options.check();
  options.board_kind = local_kind(device, options.board_kind);
  if (options.spool_folder.empty()) options.spool_folder = default_spool_folder();
  const OwnedFd lock = lock_board(options.spool_folder, options.board_kind);
  try {
    TaskSummary summary = BoardTask(device, options).run();
    leave_comment(summary.failures.empty() ? "" : summary.failures[0]);
    return summary;
  } catch (const Error& error) {
    leave_comment(error.what());
    throw;
  }
}

}  // namespace ridgewatt::campaign
