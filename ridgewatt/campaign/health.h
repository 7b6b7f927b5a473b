// Decides from failed attempts which boards of a campaign get tasks.
//
//   const Fleet fleet = fleet_of(plan, filled_slots(plan, store), records, executor.nodes(kinds));
//   order.avoid = hosts_to_avoid(plan, fleet, kind, task);
//
// A board is set aside, which means that it gets no more tasks, after it failed at
// ExecutorOptions::set_aside different points since its last measured point. It gets tasks again
// after it is readmitted. A task that failed on a board is not given to that board again while
// another board is usable.
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

// Failed attempts and boards of a campaign in a store.
struct CampaignRecords {
  std::vector<store::FailedAttempt> failures;
  std::vector<store::CampaignBoard> boards;
};
// Reads the records from the store.
CampaignRecords records_of(const Plan& plan, store::Store& store);

// Health of one board.
struct BoardHealth {
  std::string kind, serial;
  std::vector<std::string> hosts;  // names of its hosts in the executor
  std::size_t failures = 0;        // number of failed attempts
  std::size_t in_a_row = 0;  // number of different failed points since its last measured point
  std::string last_error;    // empty: none
  std::int64_t last_error_unix_s = 0;
  bool set_aside = false;  // whether it gets no more tasks
};

struct Fleet {
  std::vector<BoardHealth> boards;  // sorted by kind and serial number
  std::vector<store::FailedAttempt> failures;
  std::vector<EngineNode> nodes;  // hosts of the executor; empty: unknown
};
// Computes the health of all boards in `filled` and `records`. Points of other campaigns are
// ignored.
Fleet fleet_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
               const CampaignRecords& records, std::vector<EngineNode> nodes);

// Returns text such as "set aside after 3 failed points in a row: no weights".
std::string why_set_aside(const BoardHealth& board);
// Returns the hosts of the boards of a kind that are set aside.
std::vector<std::string> set_aside_hosts(const Fleet& fleet, const std::string& board_kind);
// Returns set_aside_hosts() and, if another usable host remains, the hosts on which a point of the
// task failed.
std::vector<std::string> hosts_to_avoid(const Plan& plan, const Fleet& fleet, const BoardKind& kind,
                                        const Task& task);
// Returns the number of failed attempts of the task on boards that are now set aside. These
// attempts do not count against the task.
int excused_attempts(const Plan& plan, const Fleet& fleet, const BoardKind& kind, const Task& task);
// Returns why no board of the kind can run a task, by host. Empty: a board can, or the hosts are
// unknown.
std::string why_none_runs(const Fleet& fleet, const std::string& board_kind);
// Returns whether all hosts of the executor for this kind belong to boards that are set aside.
bool all_set_aside(const Fleet& fleet, const std::string& board_kind);

// The last failed attempt at a point that is not yet measured.
struct PointFault {
  // `label` of the point, and serial number of the board.
  std::string kind, label, serial;
  std::size_t attempts = 0;  // number of failed attempts at the point
  // The error, and the last lines that the program printed.
  std::string reason, output;
};
// Returns the faults of planned points that are not measured, in the order of the plan.
std::vector<PointFault> point_faults(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                                     const std::vector<store::FailedAttempt>& failures);

// Readmits the board with this serial number. Throws NotFoundError if this board is not set aside;
// the message lists the boards that are.
void readmit(Plan& plan, const Fleet& fleet, const std::string& serial, std::int64_t now_unix_s);

// The state of a board, as `campaign boards` lists it.
struct BoardReport {
  std::string kind, serial, host;
  // "working", "silent", "new", "set aside", or the state of an unusable host in the executor's
  // words ("drained").
  std::string state;
  std::size_t points = 0, failures = 0, in_a_row = 0;
  std::optional<double> points_per_h;
  std::string last_error;
  std::int64_t last_error_unix_s = 0;
  std::string engine_reason;               // the executor's reason for the state of the host
  std::size_t drifted = 0, throttled = 0;  // numbers of its points with these flags
  std::optional<double> temperature_c;     // highest temperature of a zone during its newest point
  std::int64_t newest_unix_s = 0;
};
// Returns the states of all boards of the campaign, and of hosts without a board. `nodes`: hosts of
// the executor; empty: unknown.
std::vector<BoardReport> board_reports(const Plan& plan, store::Store& store,
                                       std::vector<EngineNode> nodes, std::int64_t now_unix_s);

}  // namespace ridgewatt::campaign
