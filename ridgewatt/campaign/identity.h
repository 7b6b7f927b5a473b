// Ensures that a campaign's name in a store belongs to one plan. Slots (campaign/plan.h) begin with
// the name of the campaign, so a second plan with the same name would use the points of the first.
// Therefore the store holds the fingerprint of the first plan with the name, and any other plan is
// rejected.
//
//   claim_campaign(plan, store);                       // before submitting tasks
//   const auto filled = filled_slots(plan, store);     // to watch, collect or search
//
// If no fingerprint is registered (after a manual `campaign run`, or by older versions), the
// measured points are compared with the points of the plan.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// Returns the slots of the campaign that have a measurement. Throws UsageError, which names both
// plans, if the name belongs to another plan or there are points of another plan.
std::vector<store::FilledSlot> filled_slots(const Plan& plan, store::Store& store);
// For repeated calls; `fingerprint` must be fingerprint_of(plan).
std::vector<store::FilledSlot> filled_slots(const Plan& plan, const std::string& fingerprint,
                                            store::Store& store);
// Checks like filled_slots(), then registers the plan as owner of the name. Does not register it if
// the database role lacks the permission.
void claim_campaign(const Plan& plan, store::Store& store);

// Claims the name for a task with the fingerprint of its plan. Empty: a task without a plan.
void claim_campaign(const std::string& name, const std::string& fingerprint, store::Store& store);
// Throws UsageError if the slot has a measurement of another point or another workload. `where`:
// location of the store, for the message.
void check_slot(const store::FilledSlot& slot, const OperatingPoint& point,
                const store::Series& series, const std::string& where);

// Summary of a campaign in a store.
struct CampaignHolding {
  // Only the name is set if no plan was registered.
  store::CampaignEntry entry;
  std::string workload, kind;  // of its first point; empty: no point yet
  std::size_t points = 0;      // points without calibration, each counted once
  std::size_t boards = 0;      // number of boards that measured its points
};
// Returns all campaigns in the store, sorted by name.
std::vector<CampaignHolding> campaigns_in(store::Store& store);

}  // namespace ridgewatt::campaign
