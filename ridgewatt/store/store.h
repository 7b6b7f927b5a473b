// Stores profiled operating points with their raw samples in an SQLite file (write-ahead log,
// synced at every commit) or in a PostgreSQL database. A sweep that takes hours therefore survives
// Ctrl+C, a crash and a power failure. docs/reference/store.md describes the versioned schema.
//
// A location is the path of a file, or "postgresql://USER@HOST:PORT/DATABASE?host=/socket" (also
// "postgres://") with any settings of libpq except a password. The password comes from PGPASSWORD,
// PGPASSFILE, ~/.pgpass or "?passfile=FILE", and never appears in a message. libpq is loaded only
// for such a location. A lost connection is re-established.
//
//   Store spool("spool.db"), shared("all.db");
//   spool.add(spool.series({"agx-orin", "resnet18", "training"}), point);
//   shared.take_from(spool);  // can be repeated: points are never duplicated
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/sweep/point_flag.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::store {

// The common properties of a set of points: one workload, profiled on one board in one way.
struct Series {
  std::string board;     // board name, "fake:agx-orin", or the name of a GPU
  std::string workload;  // name that the user gave, or the command
  std::string kind;      // "training", "inference", ...
  Provenance provenance = Provenance::kMeasured;
  std::string serial = {};  // Distinguishes boards with the same name. Empty: not known.
  bool operator==(const Series&) const = default;
};

// Selects series. An empty member matches any value.
struct SeriesFilter {
  std::string board;
  std::string workload;
  std::string kind;
  std::string serial = {};
  bool fits(const Series& series) const;
};

// One raw sample: time since the start of the point, and a value.
struct RawSample {
  std::string channel;  // "power:VDD_GPU_SOC", "minibatch", "temperature:gpu", ...
  double time_s = 0;
  double value = 0;  // in W, s, degrees Celsius or Hz, depending on the channel
};

// The channel that identifies the command of a point, by a single reading at time 0.
inline constexpr const char* kCommandChannel = "command";

// Number of points of a series that one command measured with these cores and this batch.
struct CommandCount {
  int cpu_cores = 0, batch = 0;
  double command = 0;  // the reading of kCommandChannel
  std::int64_t points = 0;
  bool operator==(const CommandCount&) const = default;
};

// A finished point with its measurement conditions.
struct PointRecord {
  Observation observation;   // time, power and energy of the window, per minibatch
  int repeat = 0;            // 0 for the first profile of this point
  double energy_j = 0;       // Of all counted minibatches. 0: not measured.
  double window_s = 0;       // total duration of the counted minibatches
  double idle_power_w = 0;   // Idle power in the same mode. 0: not measured.
  int minibatches = 0;       // counted minibatches
  int excluded = 0;          // minibatches not counted because of an external cause
  int power_samples = 0;     // number of samples in the mean power
  double largest_gap_s = 0;  // longest time between two power samples
  PointFlags flags;          // empty: nothing unusual
  std::int64_t started_unix_s = 0;
  std::vector<RawSample> samples;
  // The place (slot) in a campaign's plan that the point fills, such as "sweep7/agx-orin/117". A
  // store has at most one point per slot, from any board. Empty: none.
  std::string slot = {};
  // Whether a later rerun of its slot was measured. The point then does not count.
  bool superseded = false;
};

// Summary of one series in a store. Superseded points do not count.
struct Holding {
  Series series;
  std::int64_t points = 0;         // including repeats
  std::int64_t modes = 0;          // distinct modes
  std::int64_t batches = 0;        // distinct batches
  std::int64_t flagged = 0;        // points with flags
  std::int64_t newest_unix_s = 0;  // Start of the newest point. 0: not known.
  // Number of points that the newest run planned. Absent: unknown.
  std::optional<std::int64_t> planned;
};

// A point that filled a slot of a campaign's plan.
struct FilledSlot {
  std::string slot;
  Series series;  // with the board and serial
  std::int64_t started_unix_s = 0;
  double window_s = 0;
  PointFlags flags;
  OperatingPoint point = {};
  double energy_j = 0;  // energy of the window; 0: not measured
};

// The plan that first used a campaign's name in the store.
struct CampaignEntry {
  std::string name;
  std::string fingerprint;  // of the plan
  std::string owner;        // "USER@HOST" of the submitter
  std::int64_t created_unix_s = 0;
};

// A failed attempt to measure a point of a campaign.
struct FailedAttempt {
  std::string slot;           // slot that the point would have filled
  std::string board, serial;  // as in Series
  std::string host;           // name of the board in the executor: a Slurm node or an ssh host
  std::int64_t failed_unix_s = 0;
  std::string reason;  // one line
  std::string output;  // The last lines that the program printed. Empty: none.
  bool operator==(const FailedAttempt&) const = default;
};

// A board that works for a campaign, and its name in the executor.
struct CampaignBoard {
  std::string campaign, kind, serial, host;
  std::int64_t since_unix_s = 0;
};

// The result of adding the points of another store.
struct HandedIn {
  std::size_t added = 0;
  std::size_t present = 0;  // number of points that were already present
  // Points whose slot another board has filled; they stay in their own store only.
  std::size_t superseded = 0;
  // Number of added points that became an additional repeat, because the store has other values
  // under their repeat number.
  std::size_t differing = 0;
};

// What prune() deletes. An absent rule deletes nothing. Points that fill a slot of a campaign are
// kept unless `campaigns` is set, because the campaign would otherwise measure them again.
struct PruneRules {
  SeriesFilter filter;                         // applies to points, not to failures
  std::optional<std::int64_t> points_unix_s;   // points that began earlier than this
  std::optional<std::int64_t> samples_unix_s;  // raw samples of points that began earlier than this
  std::optional<std::int64_t> failures_unix_s;  // failed attempts before this time
  std::optional<std::int64_t> repeats;  // all but the newest N profiles of each point; N >= 1
  bool campaigns = false;
  // Throws UsageError if no rule is set or `repeats` is below 1.
  void check() const;
};
struct Pruned {
  std::int64_t points = 0;   // together with their samples
  std::int64_t samples = 0;  // rows deleted by samples_unix_s (PostgreSQL: one row per channel)
  std::int64_t failures = 0;
  std::int64_t kept_slots = 0;  // points that match a rule but are kept for their campaign
};

// A result of check(): rows that violate a condition.
struct StoreFault {
  std::string check;        // the condition: "energy is power times time"
  std::int64_t rows = 0;    // number of rows that violate it
  std::string example;      // the first such row
  std::string remark = {};  // remark on rows that satisfy it in another way; or empty
};

// A sweep that was imported into a store.
struct ImportedSweep {
  std::string workload, kind;
  std::size_t rows = 0, added = 0;  // rows of the file, and rows that were new
  // Added rows whose point the store already had with other values.
  std::size_t differing = 0;
};

class Connection;
struct NewPoint;

// Several processes can create, fill and read the same store at the same time.
class Store {
 public:
  // Opens the store. kCreate creates a missing store and upgrades an older one. kReadOnly reads an
  // older store without changing it. Throws InputError if the file or database is not a store or
  // was written by a newer version, and UsageError if the location contains a password. For a
  // server, also throws PermissionError (access denied), NotFoundError (no such database) and
  // IoError (unreachable).
  explicit Store(const std::string& location, Database::Access access = Database::Access::kCreate);
  // Like kCreate, but the first write creates a missing store. A run without a result then leaves
  // no store behind. Throws immediately if the file could not be created or the server is
  // unreachable.
  static Store made_at_first_write(const std::string& location);
  ~Store();
  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;

  // The location for use in messages; for a server, without settings.
  const std::string& path() const { return path_; }

  // Version of the schema. 0: the store does not exist yet.
  std::int64_t schema() const;

  // Returns the number of a series. Creates the series at first use; throws NotFoundError if the
  // store is read-only.
  std::int64_t series(const Series& series);
  // Returns the number of a series if the store has it; does not create it.
  std::optional<std::int64_t> find_series(const Series& series);
  std::vector<Series> all_series();
  // Returns the summary of every series, computed by the database.
  std::vector<Holding> holdings();

  // Announces that a run plans `points` points in total for the series. The number is written
  // together with the first point of the run, so that a run without a result writes nothing.
  void plan(const Series& series, std::int64_t points);
  // Returns the number of points that the newest run planned; empty if none did.
  std::optional<std::int64_t> planned(std::int64_t series);

  // Writes a point and its samples in one transaction. Throws IoError if the point (mode, batch,
  // repeat) exists or its slot is filled, and InputError if one of its numbers is not finite.
  void add(std::int64_t series, const PointRecord& point);
  // Like add(), but leaves an existing point unchanged, for example one from another process.
  // Returns true if the point was added.
  bool add_if_absent(std::int64_t series, const PointRecord& point);
  // Adds all points of `other` that this store lacks, with samples and slots, and its campaigns'
  // failures and boards. Works in transactions of a few hundred points, and can be interrupted and
  // repeated without loss. A point is present if any of its repeats has the same values. Calls
  // `progress` with the number of points examined so far.
  HandedIn take_from(Store& other, const std::function<void(std::size_t)>& progress = {});
  // has_slot() returns whether a slot of a campaign's plan is filled, find_slot() the point that
  // fills it, and filled_slots() all filled slots that begin with `prefix`.
  bool has_slot(const std::string& slot) { return find_slot(slot).has_value(); }
  std::optional<FilledSlot> find_slot(const std::string& slot);
  std::vector<FilledSlot> filled_slots(const std::string& prefix);
  // Returns the number of superseded points in matching series. A point is superseded if a later
  // rerun of its slot ("sweep7/agx-orin/117@1") was measured.
  std::int64_t superseded(const SeriesFilter& filter = {});
  // Returns the raw samples of the point that filled the slot.
  std::vector<RawSample> samples_of_slot(const std::string& slot);

  // Registers a campaign unless the store has a campaign with its name. Returns the registered
  // campaign. Empty if the store has none and this role may not register campaigns.
  std::optional<CampaignEntry> enter_campaign(const CampaignEntry& campaign);
  std::optional<CampaignEntry> find_campaign(const std::string& name);
  // Returns all campaigns in order of name. A store with schema 3 or older has none.
  std::vector<CampaignEntry> campaigns();

  // Adds failed attempts and boards that the store lacks. Schema 4 or older has no tables for them.
  void add_failures(const std::vector<FailedAttempt>& failures);
  void add_campaign_board(const CampaignBoard& board);
  // Returns the attempts whose slot begins with `prefix`, oldest first.
  std::vector<FailedAttempt> failures(const std::string& prefix);
  // Returns the boards of one campaign, or of all campaigns if the name is empty.
  std::vector<CampaignBoard> campaign_boards(const std::string& campaign);

  // Deletes rows by `rules`, or only counts them if `dry` is true. Can be interrupted and repeated.
  // A server requires a role that may delete. The file of an SQLite store does not shrink, but its
  // space is reused.
  Pruned prune(const PruneRules& rules, bool dry);
  // Looks for inconsistent rows, and in an SQLite file also for damaged pages. Returns one entry
  // per test.
  std::vector<StoreFault> check();
  // Returns the values of a point; empty if the store does not have it.
  std::optional<Observation> find(std::int64_t series, const OperatingPoint& point, int repeat);
  bool has(std::int64_t series, const OperatingPoint& point, int repeat = 0);
  // Returns the points in the order of profiling, with raw samples if `with_samples` is true.
  // Superseded points are marked.
  std::vector<PointRecord> points(std::int64_t series, bool with_samples = false);

  // Returns the commands that measured the points of the series. Points that do not identify their
  // command, as in older stores, are not counted.
  std::vector<CommandCount> commands(std::int64_t series);

  // Number of points in the store, over all series.
  std::int64_t size();

  // Returns the points of every board name, workload and kind as sweeps. Repeats, including those
  // of several boards with the same name, are combined into the median of time and energy, and the
  // power that follows from these. Repeats with flags count only if all repeats of the point have
  // flags. Superseded points are left out.
  std::vector<Sweep> sweeps(const SeriesFilter& filter = {});
  // Adds the rows of a sweep as points without raw samples, either all or none. Several rows of one
  // point become its repeats, in addition to those that the store has. Rows that the store already
  // has, with the same values, are skipped.
  ImportedSweep import(const Sweep& sweep, const std::string& board, Provenance provenance);
  // Adds the rows of several sweeps. The provenance of measured sweeps becomes kReplayed; fake and
  // modelled sweeps keep their provenance. `board` is the board of the rows. If empty, the board of
  // the sweep is used, or else "unknown".
  std::vector<ImportedSweep> import(const std::vector<Sweep>& sweeps, const std::string& board);

 private:
  struct Later {};
  Store(const std::string& location, Later);
  void open(Database::Access access);
  Connection& connection();
  void write_plan();
  struct Handed;
  void hand_in(std::vector<Handed> rows, HandedIn& done);
  std::optional<PointRecord> find_record(std::int64_t series, const OperatingPoint& point,
                                         int repeat);
  void read_samples(std::span<const std::int64_t> ids, std::span<PointRecord* const> points);
  std::vector<FilledSlot> slots_where(const std::string& condition, const std::string& text);
  std::map<std::int64_t, std::int64_t> superseded_points();  // series by id of the point
  void recount(Holding& held);

  std::string location_;
  std::string path_;
  std::unique_ptr<Connection> connection_;               // null: created by the first write
  std::optional<std::pair<Series, std::int64_t>> plan_;  // not yet written
};

}  // namespace ridgewatt::store
