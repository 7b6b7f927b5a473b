// Results about stored points of many boards: sweep files, stores, campaigns and fleets.
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

// A plan that was written to `path`. `known`: the duration is an estimate of the boards' twins.
Result plan_result(const campaign::Plan& plan, const std::string& path, bool known);
Result job_result(const std::vector<campaign::Job>& jobs);
// The progress of a campaign: by kind of board, by board, and held or failed points.
Result standing_result(const std::string& name, const campaign::Standing& standing);
// Why nothing can run on the boards of a kind.
std::string blocked_line(const campaign::KindStanding& kind);
// Every board with its state, rate, last error and the engine's reason.
Result boards_result(const std::string& name, const campaign::BoardsLook& look);
// Points that are planned again.
Result rerun_result(const campaign::Reruns& reruns);
// A standing in one line, for progress.
std::string standing_line(const campaign::Standing& standing);
// A campaign for `ridgewatt export --campaign`, which writes the format of Prometheus.
struct CampaignLook {
  std::string name;
  bool store_answers = false;
  campaign::Standing standing;  // empty unless the store answers
  std::int64_t now_unix_s = 0;
};

// Throws what reading the plan throws. A store or an engine that does not answer is reported in the
// result.
CampaignLook look_for_metrics(const std::string& plan_path);
// Families, labels and units: docs/reference/metrics.md.
std::string campaign_metrics(const std::vector<CampaignLook>& campaigns);

Table campaigns_table(const std::vector<campaign::CampaignHolding>& campaigns);
// Every measured point, with slot and serial.
Table raw_points_table(const std::vector<campaign::BoardRows>& boards);
// The measurements of a task of a campaign, or of a run over modes into `store`.
Result task_result(const campaign::TaskSummary& done);
Result profile_result(const measure::ProfileSummary& summary, const std::string& store);

// One of the tables of a fleet's status; CSV has one.
enum class FleetPart { kBoards, kModes, kDrift, kEnergy };
constexpr auto enum_names(FleetPart) {
  return named<FleetPart>({{FleetPart::kBoards, "boards"},
                           {FleetPart::kModes, "modes"},
                           {FleetPart::kDrift, "drift"},
                           {FleetPart::kEnergy, "energy"}});
}
Result fleet_result(const campaign::FleetStatus& status, FleetPart data);
// Differences between boards of one kind, for each kind.
Result board_effects_result(const std::vector<campaign::MergedSweep>& kinds);
// Adds to `remarks` the limits of the estimated effects.
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
// Rows that cannot be trusted, with lines and reasons.
Result quality_result(const std::vector<CheckedSweep>& sweeps);

}  // namespace ridgewatt::report
