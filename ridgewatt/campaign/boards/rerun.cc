#include "ridgewatt/campaign/rerun.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/identity.h"

namespace ridgewatt::campaign {
namespace {

bool is_doubtful(const store::FilledSlot& slot, const RerunRules& rules) {
  return (rules.flagged && !slot.flags.empty()) ||
         (rules.until_unix_s && slot.started_unix_s <= *rules.until_unix_s) ||
         (!rules.serial.empty() && slot.series.serial == rules.serial);
}

}  // namespace

void RerunRules::check() const {
  if (flagged || until_unix_s || !serial.empty()) return;
  throw UsageError("campaign rerun needs the points to measure again", "",
                   "give --flagged, --older-than or --board");
}

Reruns plan_reruns(Plan& plan, const std::vector<store::FilledSlot>& filled,
                   const RerunRules& rules) {
  rules.check();
  std::map<std::string, bool> doubtful;  // filled slots, by "KIND/LABEL"
  for (const auto& slot : filled) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || parts->campaign != plan.name) continue;
    auto& known = doubtful[parts->kind + "/" + parts->label];
    known = known || is_doubtful(slot, rules);
  }
  Reruns reruns;
  for (auto& kind : plan.boards) {
    auto& counts = reruns.kinds.emplace_back();
    counts.kind = kind.name;
    const auto plan_again = [&](std::vector<PlannedPoint>& points, std::size_t& again) {
      for (auto& point : points) {
        const auto found = doubtful.find(kind.name + "/" + point.slot_label());
        if (found == doubtful.end() || !found->second) continue;
        ++point.rerun;
        ++again;
      }
    };
    for (const auto& point : kind.points) {
      counts.measured += doubtful.contains(kind.name + "/" + point.slot_label()) ? 1 : 0;
    }
    plan_again(kind.points, counts.points);
    plan_again(kind.calibration, counts.calibration);
  }
  return reruns;
}

Reruns rerun(const std::string& path, const RerunRules& rules, bool dry) {
  rules.check();
  const PlanLock lock(path);
  Plan plan = read_plan(path);
  store::Store store(plan.store, store::Database::Access::kReadOnly);
  const auto filled = filled_slots(plan, store);
  if (!rules.serial.empty()) {
    std::set<std::string> serials;
    for (const auto& slot : filled) serials.insert(slot.series.serial);
    std::string known;
    for (const auto& serial : serials) known += (known.empty() ? "" : ", ") + serial;
    if (!serials.contains(rules.serial)) {
      throw NotFoundError(
          "no board '" + rules.serial + "' measured a point", plan.name,
          known.empty() ? "the store has no point of this campaign" : "choose one of " + known);
    }
  }
  const Reruns reruns = plan_reruns(plan, filled, rules);
  const bool any = std::ranges::any_of(
      reruns.kinds, [](const auto& kind) { return kind.points + kind.calibration > 0; });
  plan.attempts_since_unix_s = std::time(nullptr);
  if (any && !dry) write_plan(plan, path);
  return reruns;
}

}  // namespace ridgewatt::campaign
