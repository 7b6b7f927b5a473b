// Status of a fleet from the store of profiled points: drift, better modes and energy of the day.
#pragma once

#include "ridgewatt/campaign/fleet_status.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

class StoreView {
 public:
  // Reads all points of the store without samples. `since_unix_s`: start of the day.
  StoreView(const std::string& location, std::int64_t since_unix_s);

  // Returns an entry for each board in the store.
  std::vector<BoardStatus> boards(std::int64_t now_unix_s) const;
  std::vector<BoardDrift> drifts() const;
  std::vector<WorkloadEnergy> energies() const;
  // Returns better modes than the current mode of the board, from all boards of its kind: for the
  // board's workload or, if it is empty, for any workload.
  std::vector<DominatedMode> dominated(const BoardStatus& board) const;

 private:
  struct Held {
    store::Series series;
    std::vector<store::PointRecord> points;
  };
  std::vector<Held> held_;
  std::int64_t since_unix_s_;
};

// Compares the knobs that both modes have, with a tolerance of 0.5 %. Ignores governors.
bool same_clocks(const PowerMode& a, const PowerMode& b);

}  // namespace ridgewatt::campaign
