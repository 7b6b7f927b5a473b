// Which boards of a campaign can be trusted with tasks, from the attempts that failed:
//
//   const Fleet fleet = fleet_of(plan, filled_slots(plan, store), records, executor.nodes(kinds));
//   order.avoid = hosts_to_avoid(plan, fleet, kind, task);
//
// A board is set aside when it failed `set_aside` different points (ExecutorOptions) since its last
// measured one: it gets no more tasks until it is readmitted. A task that failed on a board is not
// given to that board again while another one is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// What a store has on the attempts and boards of a campaign.
struct CampaignRecords {
  std::vector<store::FailedAttempt> failures;
  std::vector<store::CampaignBoard> boards;
};
CampaignRecords records_of(const Plan& plan, store::Store& store);

struct BoardHealth {
  std::string kind, serial;
  std::vector<std::string> hosts;  // its names in the engine
  std::size_t failures = 0;        // attempts that failed
  std::size_t in_a_row = 0;        // different points since its last measured one
  std::string last_error;          // empty: none
  std::int64_t last_error_unix_s = 0;
  bool set_aside = false;
};

struct Fleet {
  std::vector<BoardHealth> boards;  // by kind and serial
  std::vector<store::FailedAttempt> failures;
  std::vector<EngineNode> nodes;  // empty: not known
};
Fleet fleet_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
               const CampaignRecords& records, std::vector<EngineNode> nodes);

// "set aside after 3 failed points in a row: no weights".
std::string why_set_aside(const BoardHealth& board);
// The hosts of the boards of a kind that are set aside.
std::vector<std::string> set_aside_hosts(const Fleet& fleet, const std::string& board_kind);
// The same, and the hosts on which a point of the task failed while another usable one is left.
std::vector<std::string> hosts_to_avoid(const Plan& plan, const Fleet& fleet, const BoardKind& kind,
                                        const Task& task);
// Attempts of the task on boards that are set aside now: they are no fault of its points.
int excused_attempts(const Plan& plan, const Fleet& fleet, const BoardKind& kind, const Task& task);
// Why no board of the kind can run a task, host by host; empty: one can, or it is not known.
std::string why_none_runs(const Fleet& fleet, const std::string& board_kind);
// All boards of the kind that the engine has are set aside: its queue is of no use.
bool all_set_aside(const Fleet& fleet, const std::string& board_kind);

// The newest failed attempt at a missing point.
struct PointFault {
  std::string kind, label, serial;
  std::size_t attempts = 0;
  std::string reason, output;
};
// Of planned and calibration points whose slots are empty, in the order of the plan.
std::vector<PointFault> point_faults(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                                     const std::vector<store::FailedAttempt>& failures);

// Trusts the board of this serial number again. Throws NotFoundError with the boards that are set
// aside if it is not one of them.
void readmit(Plan& plan, const Fleet& fleet, const std::string& serial, std::int64_t now_unix_s);

// A board with all that is known of it, as `campaign boards` lists it.
struct BoardReport {
  std::string kind, serial, host;
  std::string state;  // "working", "silent", "new", "set aside", or the engine's: "drained"
  std::size_t points = 0, failures = 0, in_a_row = 0;
  std::optional<double> points_per_h;
  std::string last_error;
  std::int64_t last_error_unix_s = 0;
  std::string engine_reason;
  std::size_t drifted = 0, throttled = 0;  // of its points
  std::optional<double> temperature_c;     // highest zone during its newest point
  std::int64_t newest_unix_s = 0;
};
std::vector<BoardReport> board_reports(const Plan& plan, store::Store& store,
                                       std::vector<EngineNode> nodes, std::int64_t now_unix_s);

}  // namespace ridgewatt::campaign
