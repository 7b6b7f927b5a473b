// Identifies the plan that owns a campaign's name in a store. Slots begin with the campaign's name,
// so a second plan of that name would use the points of the first. The store therefore keeps the
// fingerprint of the first plan with the name, and every other plan is rejected.
//
//   claim_campaign(plan, store);                       // who submits
//   const auto filled = filled_slots(plan, store);     // to watch, collect, search
//
// Points without a plan's fingerprint (from a manual `campaign run`, or older versions) are
// compared with those of the plan.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// The filled slots of the plan's campaign. Throws UsageError naming both plans if the name belongs
// to another plan, or points of another plan exist.
std::vector<store::FilledSlot> filled_slots(const Plan& plan, store::Store& store);
// For who asks often: the fingerprint is that of the plan.
std::vector<store::FilledSlot> filled_slots(const Plan& plan, const std::string& fingerprint,
                                            store::Store& store);
// The same check; then the plan owns the name. A role without permission to register it leaves this
// to others.
void claim_campaign(const Plan& plan, store::Store& store);

// A task only has the fingerprint; it is empty for a task without a plan.
void claim_campaign(const std::string& name, const std::string& fingerprint, store::Store& store);
// Throws UsageError if the slot holds a point other than `point`, or one of another workload.
void check_slot(const store::FilledSlot& slot, const OperatingPoint& point,
                const store::Series& series, const std::string& where);

// Summary of a campaign in a store. The entry contains only the name if no plan was registered.
struct CampaignHolding {
  store::CampaignEntry entry;
  std::string workload, kind;  // of its first point; empty: no point yet
  std::size_t points = 0;      // of the plan or a search, without calibration
  std::size_t boards = 0;      // number of boards that measured them
};
// All campaigns by name.
std::vector<CampaignHolding> campaigns_in(store::Store& store);

}  // namespace ridgewatt::campaign
