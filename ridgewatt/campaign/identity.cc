#include "ridgewatt/campaign/identity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt::campaign {
namespace {

std::string user_at_host() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  const passwd* user = ::getpwuid(::geteuid());
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : fmt::to_string(::geteuid()), host);
}

std::string described(const store::CampaignEntry& entry) {
  return fmt::format("plan {} of {}, {:%Y-%m-%dT%H:%M:%SZ}", entry.fingerprint, entry.owner,
                     fmt::gmtime(static_cast<std::time_t>(entry.created_unix_s)));
}

UsageError other_plan(const std::string& name, const std::string& theirs, const std::string& ours,
                      const std::string& where) {
  return UsageError(
      fmt::format("the store has a campaign {} with {}, but this task has {}", name, theirs, ours),
      where, "give this campaign another name, or another store");
}

std::string plan_named(const std::string& fingerprint) {
  return fingerprint.empty() ? "a task without a plan's fingerprint" : "plan " + fingerprint;
}

void check_entry(const store::CampaignEntry& entry, const std::string& fingerprint,
                 const std::string& where) {
  if (entry.fingerprint == fingerprint) return;
  throw other_plan(entry.name, described(entry), plan_named(fingerprint), where);
}

// Points of the plan by "KIND/LABEL". A calibration point has the same key for all boards of a
// kind.
std::map<std::string, OperatingPoint> planned_points(const Plan& plan) {
  std::map<std::string, OperatingPoint> points;
  for (const auto& kind : plan.boards) {
    for (const auto* list : {&kind.points, &kind.calibration}) {
      for (const auto& point : *list) points[kind.name + "/" + point.label] = point.point;
    }
  }
  return points;
}

// For a campaign that has no entry in the store: compares its points with the plan.
void compare_points(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                    const std::string& where) {
  const auto planned = planned_points(plan);
  for (const auto& slot : filled) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || parts->label.starts_with(kSearchedLabel)) continue;
    const auto found = planned.find(parts->kind + "/" + label_without_rerun(parts->label));
    if (found == planned.end()) {
      throw other_plan(plan.name, fmt::format("a plan with the point {}", slot.slot),
                       plan_named(fingerprint_of(plan)) + ", which has no such point", where);
    }
    check_slot(slot, found->second, plan.profile.series, where);
  }
}

}  // namespace

void check_slot(const store::FilledSlot& slot, const OperatingPoint& point,
                const store::Series& series, const std::string& where) {
  const bool same = slot.point == point && slot.series.workload == series.workload &&
                    slot.series.kind == series.kind;
  if (same) return;
  const auto words = [](const OperatingPoint& at, const store::Series& of) {
    return fmt::format("{} batch {} of {} {}", describe(at.mode), at.batch, of.workload, of.kind);
  };
  throw UsageError(fmt::format("point {} of the campaign is {}, but this task measures {}",
                               slot.slot, words(slot.point, slot.series), words(point, series)),
                   where, "give this campaign another name, or another store");
}

std::vector<store::FilledSlot> filled_slots(const Plan& plan, store::Store& store) {
  return filled_slots(plan, fingerprint_of(plan), store);
}

std::vector<store::FilledSlot> filled_slots(const Plan& plan, const std::string& fingerprint,
                                            store::Store& store) {
  auto filled = store.filled_slots(plan.name + "/");
  if (const auto entry = store.find_campaign(plan.name)) {
    check_entry(*entry, fingerprint, store.path());
  } else {
    compare_points(plan, filled, store.path());
  }
  return filled;
}

void claim_campaign(const Plan& plan, store::Store& store) {
  filled_slots(plan, store);
  claim_campaign(plan.name, fingerprint_of(plan), store);
}

void claim_campaign(const std::string& name, const std::string& fingerprint, store::Store& store) {
  const auto entry =
      fingerprint.empty()
          ? store.find_campaign(name)
          : store.enter_campaign({name, fingerprint, user_at_host(), std::time(nullptr)});
  if (entry) check_entry(*entry, fingerprint, store.path());
}

std::vector<CampaignHolding> campaigns_in(store::Store& store) {
  std::map<std::string, CampaignHolding> found;
  for (auto& entry : store.campaigns()) found[entry.name].entry = std::move(entry);
  std::map<std::string, std::set<std::pair<std::string, std::string>>> boards;
  std::map<std::string, std::set<std::string>> points;
  for (const auto& slot : store.filled_slots("")) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts) continue;
    auto& held = found[parts->campaign];
    held.entry.name = parts->campaign;
    if (parts->serial.empty()) {
      points[parts->campaign].insert(parts->kind + "/" + label_without_rerun(parts->label));
    }
    if (held.workload.empty()) {
      held.workload = slot.series.workload;
      held.kind = slot.series.kind;
    }
    boards[parts->campaign].insert({slot.series.board, slot.series.serial});
  }
  std::vector<CampaignHolding> result;
  for (auto& [name, held] : found) {
    held.points = points[name].size();
    held.boards = boards[name].size();
    result.push_back(std::move(held));
  }
  return result;
}

}  // namespace ridgewatt::campaign
