// Results for stored points of many boards: sweep files, stores, campaigns and fleets.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/collect.h"
#include "ridgewatt/campaign/fleet_status.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/merged_sweep.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/campaign/rerun.h"
#include "ridgewatt/campaign/standing.h"
#include "ridgewatt/campaign/task.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::report {

// The result for a plan that was written to `path`. `known`: whether twins predicted its
// duration.
Result plan_result(const campaign::Plan& plan, const std::string& path, bool known);
Result job_result(const std::vector<campaign::Job>& jobs);
// Progress of a campaign, by type of board and by board, with held and failed points.
Result standing_result(const std::string& name, const campaign::Standing& standing);
// Why no job can run on the boards of a type.
std::string blocked_line(const campaign::KindStanding& kind);
// Every board with its state, rate and last error, and the message of the executor.
Result boards_result(const std::string& name, const campaign::BoardsLook& look);
// The points that will be measured again.
Result rerun_result(const campaign::Reruns& reruns);
// The progress in one line.
std::string standing_line(const campaign::Standing& standing);
// Input of campaign_metrics(), for `ridgewatt export --campaign`.
struct CampaignLook {
  std::string name;
  bool store_answers = false;
  campaign::Standing standing;  // empty if the store does not answer
  std::int64_t now_unix_s = 0;
};

// Throws the errors of reading the plan. The result states whether store and executor answer.
CampaignLook look_for_metrics(const std::string& plan_path);
// Metrics in the format of Prometheus. docs/reference/metrics.md lists families, labels and units.
std::string campaign_metrics(const std::vector<CampaignLook>& campaigns);

Table campaigns_table(const std::vector<campaign::CampaignHolding>& campaigns);
// Every measured point, with its slot in the store and the serial number of its board.
Table raw_points_table(const std::vector<campaign::BoardRows>& boards);
// task_result() describes a completed task of a campaign. profile_result() describes a run over
// modes whose points are in `store`.
Result task_result(const campaign::TaskSummary& done);
Result profile_result(const measure::ProfileSummary& summary, const std::string& store);

// The tables of a fleet's status. CSV contains the selected one.
enum class FleetPart { kBoards, kModes, kDrift, kEnergy };
constexpr auto enum_names(FleetPart) {
  return named<FleetPart>({{FleetPart::kBoards, "boards"},
                           {FleetPart::kModes, "modes"},
                           {FleetPart::kDrift, "drift"},
                           {FleetPart::kEnergy, "energy"}});
}
Result fleet_result(const campaign::FleetStatus& status, FleetPart data);
// Differences between the boards of each type.
Result board_effects_result(const std::vector<campaign::MergedSweep>& kinds);
// Appends remarks on the reliability of the estimated effects to `remarks`.
std::vector<std::string> merge_remarks(const campaign::MergedSweep& kind,
                                       std::vector<std::string> remarks = {});

Table holdings_table(const std::vector<store::Holding>& holdings);
Table handed_in_table(const std::vector<store::HandedIn>& done);
Table imported_table(const std::vector<store::ImportedSweep>& sweeps);
struct StoreSchema {
  std::string store;
  std::int64_t version = 0;
};
Table pruned_table(const std::vector<store::Pruned>& pruned);
Table store_check_table(const std::vector<store::StoreFault>& faults);
Table schema_table(const std::vector<StoreSchema>& stores);

Table sweeps_table(const std::vector<Sweep>& sweeps);
struct CheckedSweep {
  Sweep sweep;
  QualityReport quality;
};
// Rows that cannot be trusted, with line numbers and reasons.
Result quality_result(const std::vector<CheckedSweep>& sweeps);

}  // namespace ridgewatt::report
