// Profiled operating points with their raw samples, in one SQLite file (write-ahead log, synced at
// every commit), so that a sweep of hours survives Ctrl+C, a crash and loss of power. The schema
// is versioned and described in docs/reference/store.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_set.h"
#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::store {

// What a set of points has in common: one workload profiled on one board in one way.
struct Campaign {
  std::string board;     // board name, "fake:agx-orin", or a GPU's name
  std::string workload;  // name that the user gave, or the command
  std::string kind;      // "training", "inference", ...
  Provenance provenance = Provenance::kMeasured;
};

// Which campaigns: fields that are empty are those of any.
struct CampaignFilter {
  std::string board;
  std::string workload;
  std::string kind;
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
};

// Several processes may make, fill and read one store at once.
class Store {
 public:
  // Opens the store; kCreate makes it where there is none and brings an older one up to date, which
  // kReadOnly reads as it is. Throws InputError when the file is not a store or was written by a
  // newer version.
  explicit Store(const std::string& path, Database::Access access = Database::Access::kCreate);
  // The same as kCreate, but a file that is not there is made by the first write, so that a run
  // without a result leaves none behind. Throws at once where it could not be made.
  static Store made_at_first_write(const std::string& path);

  // The campaign's number; made at first use unless the store is read-only (NotFoundError).
  std::int64_t campaign(const Campaign& campaign);
  // Its number if the store has it; makes nothing.
  std::optional<std::int64_t> find_campaign(const Campaign& campaign);
  std::vector<Campaign> campaigns();

  // A run that adds to the campaign means it to hold so many points in the end. Written with the
  // run's first point, so that a run without a result leaves nothing.
  void plan(const Campaign& campaign, std::int64_t points);
  // What the newest run meant; nothing: none said.
  std::optional<std::int64_t> planned(std::int64_t campaign);

  // Writes a point and its samples in one transaction; a point (mode, batch, repeat) that is there
  // already is an IoError, so nothing is ever doubled.
  void add(std::int64_t campaign, const PointRecord& point);
  // The same, but leaves a point that is there as it is: another process was first. True when it
  // was added.
  bool add_if_absent(std::int64_t campaign, const PointRecord& point);
  // What the store has of a point.
  std::optional<Observation> find(std::int64_t campaign, const OperatingPoint& point, int repeat);
  bool has(std::int64_t campaign, const OperatingPoint& point, int repeat = 0);
  // In the order in which they were profiled; raw samples only where asked.
  std::vector<PointRecord> points(std::int64_t campaign, bool with_samples = false);

  // The points of every campaign as sweeps; repeats become their median time and energy, and the
  // power of those.
  std::vector<Sweep> sweeps(const CampaignFilter& filter = {});
  // Adds the rows of a sweep as points without raw samples, all of them or none. Points that are
  // there are skipped; returns how many were added.
  std::size_t import(const Sweep& sweep, const std::string& board, Provenance provenance);

 private:
  struct Later {};
  Store(const std::string& path, Later) : path_(path) {}
  void open(Database::Access access);
  void make_schema();
  void bring_up_to_date();
  Database& database();
  void insert(std::int64_t campaign, const PointRecord& point);
  void write_plan();
  std::vector<RawSample> samples(std::int64_t point);

  std::string path_;
  std::unique_ptr<Database> database_;                     // nothing: made at the first write
  std::optional<std::pair<Campaign, std::int64_t>> plan_;  // not yet written
};

}  // namespace ridgewatt::store
