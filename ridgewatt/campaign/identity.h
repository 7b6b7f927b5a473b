// Which plan a campaign's name belongs to in a store. Slots begin with the campaign's name; so a
// second plan of that name would take the first one's points for its own. The store therefore
// keeps, with the name, the fingerprint of the plan that used it first, and every other plan is
// refused.
//
//   claim_campaign(plan, store);                       // who submits
//   const auto filled = filled_slots(plan, store);     // who watches, collects, searches
//
// Points that came without a plan's fingerprint (`campaign run` by hand, older versions) are
// compared with the plan's own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::campaign {

// The slots that the plan's campaign has filled. UsageError naming both plans: the store has the
// name for another one, or points of another one.
std::vector<store::FilledSlot> filled_slots(const Plan& plan, store::Store& store);
// The same check, then the name belongs to the plan. A role that may not enter it leaves it to
// others.
void claim_campaign(const Plan& plan, store::Store& store);

// A task has the fingerprint alone; an empty one is that of a task without a plan.
void claim_campaign(const std::string& name, const std::string& fingerprint, store::Store& store);
// UsageError: the slot holds another point than `point`, or one of another workload.
void check_slot(const store::FilledSlot& slot, const OperatingPoint& point,
                const store::Series& series, const std::string& where);

// What a store has of a campaign. The entry lacks all but the name where no plan was entered.
struct CampaignHolding {
  store::CampaignEntry entry;
  std::string workload, kind;  // of its first point; empty: it has none yet
  std::size_t points = 0;      // of the plan or a search; calibration is not counted
  std::size_t boards = 0;      // that measured them
};
// By name.
std::vector<CampaignHolding> campaigns_in(store::Store& store);

}  // namespace ridgewatt::campaign
