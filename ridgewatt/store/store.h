// Profiled operating points with their raw samples, in one SQLite file (write-ahead log, synced at
// every commit) or in a PostgreSQL database, so that a sweep of hours survives Ctrl+C, a crash and
// loss of power. The schema is versioned and described in docs/reference/store.md.
//
// A location is the path of a file, or "postgresql://USER@HOST:PORT/DATABASE?host=/socket" (also
// "postgres://") with any of libpq's settings but a password: that comes from PGPASSWORD,
// PGPASSFILE, ~/.pgpass or "?passfile=FILE", and is never in a message. libpq is opened when such a
// location is; a connection that breaks is made again.
//
//   Store spool("spool.db"), shared("all.db");
//   spool.add(spool.series({"agx-orin", "resnet18", "training"}), point);
//   shared.take_from(spool);  // again and again: what is there already is not doubled
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

// What a set of points has in common: one workload profiled on one board in one way.
struct Series {
  std::string board;     // board name, "fake:agx-orin", or a GPU's name
  std::string workload;  // name that the user gave, or the command
  std::string kind;      // "training", "inference", ...
  Provenance provenance = Provenance::kMeasured;
  std::string serial = {};  // which of the boards of that name; empty: not said
  bool operator==(const Series&) const = default;
};

// Which series: fields that are empty are those of any.
struct SeriesFilter {
  std::string board;
  std::string workload;
  std::string kind;
  std::string serial = {};
};

// What a point is to be used with care for.
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

// A finished point: what it cost and how well that is known.
struct PointRecord {
  Observation observation;   // time, power and energy are the window's over its minibatches
  int repeat = 0;            // 0 for the first time this point was profiled
  double energy_j = 0;       // of the counted minibatches together; 0: not measured
  double window_s = 0;       // their length together
  double idle_power_w = 0;   // baseline in the same mode; 0 when it was not measured
  int minibatches = 0;       // that were counted
  int excluded = 0;          // that were not, for an outside cause
  int power_samples = 0;     // that the mean power rests on
  double largest_gap_s = 0;  // between two power samples
  PointFlags flags;          // empty: a clean point
  std::int64_t started_unix_s = 0;
  std::vector<RawSample> samples;
  // The place in a campaign's plan that the point fills, "sweep7/agx-orin/117": a store has each
  // place at most once, whichever board filled it. Empty: none.
  std::string slot = {};
};

// What a store holds of one series.
struct Holding {
  Series series;
  std::int64_t points = 0;         // repeats count
  std::int64_t modes = 0;          // that differ
  std::int64_t batches = 0;        // that differ
  std::int64_t flagged = 0;        // points to be used with care
  std::int64_t newest_unix_s = 0;  // when the newest point began; 0: not said
  std::optional<std::int64_t> planned;
};

// Who filled a place of a campaign's plan, when, and with which point.
struct FilledSlot {
  std::string slot;
  Series series;  // its board and serial did
  std::int64_t started_unix_s = 0;
  double window_s = 0;
  PointFlags flags;
  OperatingPoint point = {};
};

// The plan that was the first to use a campaign's name in the store.
struct CampaignEntry {
  std::string name;
  std::string fingerprint;  // of the plan
  std::string owner;        // "USER@HOST", who submitted it
  std::int64_t created_unix_s = 0;
};

// What became of the points of another store.
struct HandedIn {
  std::size_t added = 0;
  std::size_t present = 0;     // were here already
  std::size_t superseded = 0;  // another board has filled their slot; they stay where they are
};

class Connection;
struct NewPoint;

// Several processes may make, fill and read one store at once.
class Store {
 public:
  // Opens the store; kCreate makes it where there is none and brings an older one up to date, which
  // kReadOnly reads as it is. Throws InputError when the file or database is not a store or was
  // written by a newer version, UsageError when the location holds a password; of a server
  // PermissionError (it refuses), NotFoundError (no such database) and IoError (out of reach).
  explicit Store(const std::string& location, Database::Access access = Database::Access::kCreate);
  // The same as kCreate, but a store that is not there is made by the first write, so that a run
  // without a result leaves none behind. Throws at once where a file could not be made, or a server
  // be reached.
  static Store made_at_first_write(const std::string& location);
  ~Store();
  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;

  // Where it is, for messages: of a server without settings.
  const std::string& path() const { return path_; }

  // The version of the schema; 0: a store that is made at the first write.
  std::int64_t schema() const;

  // The number of a series; made at first use unless the store is read-only (NotFoundError).
  std::int64_t series(const Series& series);
  // Its number if the store has it; makes nothing.
  std::optional<std::int64_t> find_series(const Series& series);
  std::vector<Series> all_series();
  // The same with what there is of each; the database counts.
  std::vector<Holding> holdings();

  // A run that adds to the series means it to hold so many points in the end. Written with the
  // run's first point, so that a run without a result leaves nothing.
  void plan(const Series& series, std::int64_t points);
  // What the newest run meant; nothing: none said.
  std::optional<std::int64_t> planned(std::int64_t series);

  // Writes a point and its samples in one transaction; a point (mode, batch, repeat) that is there
  // already, or whose slot is taken, is an IoError, so nothing is ever doubled. InputError: a
  // figure of it is not finite.
  void add(std::int64_t series, const PointRecord& point);
  // The same, but leaves what is there as it is: another process was first. True when the point was
  // added.
  bool add_if_absent(std::int64_t series, const PointRecord& point);
  // Adds all points of another store that this one lacks, with samples and slots, some hundred per
  // transaction. Breaking off loses nothing: the next call goes on. `told` is called with the
  // number of points looked at.
  HandedIn take_from(Store& other, const std::function<void(std::size_t)>& told = {});
  // Whether a place of a campaign's plan is filled; those that begin with `prefix`.
  bool has_slot(const std::string& slot) { return find_slot(slot).has_value(); }
  std::optional<FilledSlot> find_slot(const std::string& slot);
  std::vector<FilledSlot> filled_slots(const std::string& prefix);

  // Enters a campaign unless the store has one of that name, and returns the one that it has then.
  // Nothing: this role may not enter campaigns, and the store has none of that name.
  std::optional<CampaignEntry> enter_campaign(const CampaignEntry& campaign);
  std::optional<CampaignEntry> find_campaign(const std::string& name);
  // By name. A store of schema 3 or older has none.
  std::vector<CampaignEntry> campaigns();
  // What the store has of a point.
  std::optional<Observation> find(std::int64_t series, const OperatingPoint& point, int repeat);
  bool has(std::int64_t series, const OperatingPoint& point, int repeat = 0);
  // In the order in which they were profiled; raw samples only where asked.
  std::vector<PointRecord> points(std::int64_t series, bool with_samples = false);

  // Points of the store, all series together.
  std::int64_t size();

  // The points of every board name, workload and kind as sweeps; repeats, of boards of one name
  // too, become their median time and energy, and the power of those.
  std::vector<Sweep> sweeps(const SeriesFilter& filter = {});
  // Adds the rows of a sweep as points without raw samples, all of them or none. Points that are
  // there are skipped; returns how many were added.
  std::size_t import(const Sweep& sweep, const std::string& board, Provenance provenance);

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
  std::unique_ptr<Connection> connection_;               // nothing: made at the first write
  std::optional<std::pair<Series, std::int64_t>> plan_;  // not yet written
};

}  // namespace ridgewatt::store
