// Stores profiled operating points with their raw samples in one SQLite file (write-ahead log,
// synced at every commit) or in a PostgreSQL database, so that a sweep of hours survives Ctrl+C, a
// crash and a power failure. The schema is versioned and described in docs/reference/store.md.
//
// A location is the path of a file, or "postgresql://USER@HOST:PORT/DATABASE?host=/socket" (also
// "postgres://") with any settings of libpq except a password. The password comes from PGPASSWORD,
// PGPASSFILE, ~/.pgpass or "?passfile=FILE", and never appears in a message. libpq is opened only
// for such a location; a lost connection is re-established.
//
//   Store spool("spool.db"), shared("all.db");
//   spool.add(spool.series({"agx-orin", "resnet18", "training"}), point);
//   shared.take_from(spool);  // may be repeated: points are never duplicated
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_set.h"
#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::store {

// The common properties of a set of points: one workload profiled on one board in one way.
struct Series {
  std::string board;     // board name, "fake:agx-orin", or a GPU's name
  std::string workload;  // name that the user gave, or the command
  std::string kind;      // "training", "inference", ...
  Provenance provenance = Provenance::kMeasured;
  std::string serial = {};  // distinguishes boards of one name; empty: unknown
  bool operator==(const Series&) const = default;
};

// Selects series; empty fields match any value.
struct SeriesFilter {
  std::string board;
  std::string workload;
  std::string kind;
  std::string serial = {};
};

// Reasons to use a point with care.
enum class PointFlag {
  kUnsteady,        // power under load did not become steady
  kDrifted,         // a clock was below what was set
  kThrottled,       // the machine signalled throttling
  kExcluded,        // many minibatches were not counted
  kFewMinibatches,  // the command ended before its window was complete
  kFewSamples,      // of power
};
constexpr auto enum_names(PointFlag) {
  return named<PointFlag>({{PointFlag::kUnsteady, "unsteady"},
                           {PointFlag::kDrifted, "drifted"},
                           {PointFlag::kThrottled, "throttled"},
                           {PointFlag::kExcluded, "excluded"},
                           {PointFlag::kFewMinibatches, "few-minibatches"},
                           {PointFlag::kFewSamples, "few-samples"}});
}
using PointFlags = EnumSet<PointFlag>;

// One raw reading: time since the start of the point, and a value in SI.
struct RawSample {
  std::string channel;  // "power:VDD_GPU_SOC", "minibatch", "temperature:gpu", ...
  double time_s = 0;
  double value = 0;  // W, s, degrees Celsius, Hz: by channel
};

// A finished point: its cost, and how well it is known.
struct PointRecord {
  Observation observation;   // time, power and energy are the window's over its minibatches
  int repeat = 0;            // 0 for the first time this point was profiled
  double energy_j = 0;       // of all counted minibatches; 0: not measured
  double window_s = 0;       // their total length
  double idle_power_w = 0;   // baseline in the same mode; 0 when it was not measured
  int minibatches = 0;       // counted minibatches
  int excluded = 0;          // not counted, because of an external cause
  int power_samples = 0;     // in the mean power
  double largest_gap_s = 0;  // between two power samples
  PointFlags flags;          // empty: a clean point
  std::int64_t started_unix_s = 0;
  std::vector<RawSample> samples;
  // The place in a campaign's plan that the point fills, "sweep7/agx-orin/117". A store has each
  // place at most once, whichever board filled it. Empty: none.
  std::string slot = {};
};

// Summary of one series in a store.
struct Holding {
  Series series;
  std::int64_t points = 0;         // including repeats
  std::int64_t modes = 0;          // distinct modes
  std::int64_t batches = 0;        // distinct batches
  std::int64_t flagged = 0;        // points to be used with care
  std::int64_t newest_unix_s = 0;  // when the newest point began; 0: unknown
  std::optional<std::int64_t> planned;
};

// The point that filled a place of a campaign's plan: when, and on which board.
struct FilledSlot {
  std::string slot;
  Series series;  // with the board and serial
  std::int64_t started_unix_s = 0;
  double window_s = 0;
  PointFlags flags;
  OperatingPoint point = {};
  double energy_j = 0;  // of its window; 0: not measured
};

// The plan that first used a campaign's name in the store.
struct CampaignEntry {
  std::string name;
  std::string fingerprint;  // of the plan
  std::string owner;        // "USER@HOST", who submitted it
  std::int64_t created_unix_s = 0;
};

// An attempt to measure a point of a campaign that failed.
struct FailedAttempt {
  std::string slot;           // that the point would have filled
  std::string board, serial;  // as in a series
  std::string host;           // as the engine names the board: node of Slurm, host of ssh
  std::int64_t failed_unix_s = 0;
  std::string reason;  // one line
  std::string output;  // the last lines that the program printed; empty: none
  bool operator==(const FailedAttempt&) const = default;
};

// A board that works for a campaign, and its name in the engine.
struct CampaignBoard {
  std::string campaign, kind, serial, host;
  std::int64_t since_unix_s = 0;
};

// The result of adding the points of another store.
struct HandedIn {
  std::size_t added = 0;
  std::size_t present = 0;     // already present
  std::size_t superseded = 0;  // another board has filled their slot; they stay in their own store
};

// What prune() deletes. A rule that is empty deletes nothing. Points that fill a slot of a campaign
// stay unless `campaigns` is set: without them the campaign would measure again.
struct PruneRules {
  SeriesFilter filter;                          // of the points, not of failures
  std::optional<std::int64_t> points_unix_s;    // points that began earlier
  std::optional<std::int64_t> samples_unix_s;   // raw samples of points that began earlier
  std::optional<std::int64_t> failures_unix_s;  // failed attempts from earlier
  std::optional<std::int64_t> repeats;          // all but the newest N of each point
  bool campaigns = false;
  // Throws UsageError without a rule.
  void check() const;
};
struct Pruned {
  std::int64_t points = 0;   // with their samples
  std::int64_t samples = 0;  // rows by their own rule; in PostgreSQL one per channel
  std::int64_t failures = 0;
  std::int64_t kept_slots = 0;  // points that a rule names, and that stay for their campaign
};

// What check() found: rows that cannot be right.
struct StoreFault {
  std::string check;      // what was tested: "energy is power times time"
  std::int64_t rows = 0;  // that fail; 0: none does
  std::string example;    // the first one
};

// A sweep that was imported into a store: rows of the file, and new rows.
struct ImportedSweep {
  std::string workload, kind;
  std::size_t rows = 0, added = 0;
};

class Connection;
struct NewPoint;

// Several processes may create, fill and read one store at the same time.
class Store {
 public:
  // Opens the store. kCreate creates a missing store and upgrades an older one; kReadOnly reads an
  // older one as it is. Throws InputError if the file or database is not a store or was written by
  // a newer version, UsageError if the location contains a password; for a server also
  // PermissionError (access denied), NotFoundError (no such database) and IoError (unreachable).
  explicit Store(const std::string& location, Database::Access access = Database::Access::kCreate);
  // The same as kCreate, but the first write creates a missing store, so that a run without a
  // result leaves no store behind. Throws at once if the file could not be created or the server
  // cannot be reached.
  static Store made_at_first_write(const std::string& location);
  ~Store();
  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;

  // The location for messages, for a server without settings.
  const std::string& path() const { return path_; }

  // The version of the schema; 0: the store is created by the first write.
  std::int64_t schema() const;

  // The number of a series; created at first use unless the store is read-only (NotFoundError).
  std::int64_t series(const Series& series);
  // The number of a series if the store has it; creates nothing.
  std::optional<std::int64_t> find_series(const Series& series);
  std::vector<Series> all_series();
  // All series, each with its summary; the database counts.
  std::vector<Holding> holdings();

  // Announces that a run intends the series to hold `points` points in the end. Written with the
  // run's first point, so that a run without a result leaves nothing behind.
  void plan(const Series& series, std::int64_t points);
  // The number of points that the newest run planned; empty: none.
  std::optional<std::int64_t> planned(std::int64_t series);

  // Writes a point and its samples in one transaction. Throws IoError if the point (mode, batch,
  // repeat) exists already or its slot is taken, so that nothing is stored twice, and InputError if
  // one of its figures is not finite.
  void add(std::int64_t series, const PointRecord& point);
  // The same, but leaves an existing point unchanged: another process was first. Returns true if
  // the point was added.
  bool add_if_absent(std::int64_t series, const PointRecord& point);
  // Adds all points of another store that this one lacks, with samples and slots, a few hundred per
  // transaction. It may be interrupted and repeated without loss. `progress` is called with the
  // number of points that were examined.
  HandedIn take_from(Store& other, const std::function<void(std::size_t)>& progress = {});
  // Whether a place of a campaign's plan is filled; the filled places that begin with `prefix`.
  bool has_slot(const std::string& slot) { return find_slot(slot).has_value(); }
  std::optional<FilledSlot> find_slot(const std::string& slot);
  std::vector<FilledSlot> filled_slots(const std::string& prefix);
  // The raw samples of the point that filled it.
  std::vector<RawSample> samples_of_slot(const std::string& slot);

  // Registers a campaign unless the store has one of that name, and returns the registered one.
  // Empty: this role may not register campaigns, and the store has none of that name.
  std::optional<CampaignEntry> enter_campaign(const CampaignEntry& campaign);
  std::optional<CampaignEntry> find_campaign(const std::string& name);
  // All campaigns by name. A store of schema 3 or older has none.
  std::vector<CampaignEntry> campaigns();

  // Adds what it lacks. A store of schema 4 or older has neither and cannot be read for them.
  void add_failures(const std::vector<FailedAttempt>& failures);
  void add_campaign_board(const CampaignBoard& board);
  // Attempts whose slot begins with `prefix`, the oldest first.
  std::vector<FailedAttempt> failures(const std::string& prefix);
  // Of one campaign, or all of them if the name is empty.
  std::vector<CampaignBoard> campaign_boards(const std::string& campaign);

  // Deletes what the rules name; `dry`: only counts. It may be interrupted and repeated. Needs a
  // role that may delete. The file of an SQLite store does not become smaller; the space is used
  // again.
  Pruned prune(const PruneRules& rules, bool dry);
  // Looks for rows that cannot be right, and in a file for damaged pages. One entry per test.
  std::vector<StoreFault> check();
  // The stored values of a point; empty if the store does not have it.
  std::optional<Observation> find(std::int64_t series, const OperatingPoint& point, int repeat);
  bool has(std::int64_t series, const OperatingPoint& point, int repeat = 0);
  // In the order of profiling; raw samples only if requested.
  std::vector<PointRecord> points(std::int64_t series, bool with_samples = false);

  // The number of points in the store, over all series.
  std::int64_t size();

  // The points of every board name, workload and kind as sweeps. Repeats, also those of several
  // boards of one name, become their median time and energy, and the power of those.
  std::vector<Sweep> sweeps(const SeriesFilter& filter = {});
  // Adds the rows of a sweep as points without raw samples, all of them or none. Existing points
  // are skipped; returns the number of added points.
  std::size_t import(const Sweep& sweep, const std::string& board, Provenance provenance);
  // The same for several. Measured sweeps are recordings here; fake or modelled ones keep their
  // kind. `board`: the board of the rows; empty: the board of the sweep, or "unknown".
  std::vector<ImportedSweep> import(const std::vector<Sweep>& sweeps, const std::string& board);

 private:
  struct Later {};
  Store(const std::string& location, Later);
  void open(Database::Access access);
  Connection& connection();
  void write_plan();
  void hand_in(const std::vector<NewPoint>& rows, HandedIn& done);
  void read_samples(std::span<const std::int64_t> ids, std::span<PointRecord* const> points);
  std::vector<FilledSlot> slots_where(const std::string& condition, const std::string& text);

  std::string location_;
  std::string path_;
  std::unique_ptr<Connection> connection_;               // null: created by the first write
  std::optional<std::pair<Series, std::int64_t>> plan_;  // not yet written
};

}  // namespace ridgewatt::store
