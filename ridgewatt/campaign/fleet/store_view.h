// What the store of profiled points says of a fleet: drift, better modes, energy of the day.
#pragma once

#include "ridgewatt/campaign/fleet_status.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

class StoreView {
 public:
  // Reads all points of the store, without samples.
  StoreView(const std::string& location, std::int64_t since_unix_s);

  // One for each board of the store.
  std::vector<BoardStatus> boards(std::int64_t now_unix_s) const;
  std::vector<BoardDrift> drifts() const;
  std::vector<WorkloadEnergy> energies() const;
  // For what a board of the kind may run in this mode: `workload`, or any where that is empty.
  std::vector<DominatedMode> dominated(const BoardStatus& board) const;

 private:
  struct Held {
    store::Series series;
    std::vector<store::PointRecord> points;
  };
  std::vector<Held> held_;
  std::int64_t since_unix_s_;
};

// Knobs that both have, within half a percent; a governor is not compared.
bool same_clocks(const PowerMode& a, const PowerMode& b);

}  // namespace ridgewatt::campaign
