// The status of a fleet according to the store of profiled points: drift, better modes, energy of
// the day.
#pragma once

#include "ridgewatt/campaign/fleet_status.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

class StoreView {
 public:
  // Reads all points of the store, without samples.
  StoreView(const std::string& location, std::int64_t since_unix_s);

  // One entry for each board of the store.
  std::vector<BoardStatus> boards(std::int64_t now_unix_s) const;
  std::vector<BoardDrift> drifts() const;
  std::vector<WorkloadEnergy> energies() const;
  // The modes that are better for a board of the kind than this mode: for `workload`, or any if it
  // is empty.
  std::vector<DominatedMode> dominated(const BoardStatus& board) const;

 private:
  struct Held {
    store::Series series;
    std::vector<store::PointRecord> points;
  };
  std::vector<Held> held_;
  std::int64_t since_unix_s_;
};

// Compares the knobs that both have, within half a percent; the governor is ignored.
bool same_clocks(const PowerMode& a, const PowerMode& b);

}  // namespace ridgewatt::campaign
