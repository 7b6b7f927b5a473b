#include "ridgewatt/report/campaign_report.h"

#include <ctime>
#include <functional>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/monitor/exposition.h"

namespace ridgewatt::report {
namespace {

using campaign::KindStanding;
using monitor::Exposition;

double count_of(std::size_t number) {
  return static_cast<double>(number);
}

// Writes the metric families of all campaigns. A family has one series per kind of board, or one
// per kind and state.
class CampaignFamilies {
 public:
  explicit CampaignFamilies(const std::vector<CampaignLook>& campaigns) : campaigns_(campaigns) {}

  std::string text() {
    add_answers();
    add_points();
    add_tasks();
    add_boards();
    add_progress();
    return out_.text();
  }

 private:
  using Value = std::function<std::optional<double>(const CampaignLook&, const KindStanding&)>;

  void each_kind(const char* state, const Value& value) {
    for (const auto& look : campaigns_) {
      for (const auto& kind : look.standing.kinds) {
        Exposition::Labels labels = {{"campaign", look.name}, {"board_kind", kind.name}};
        if (*state != 0) labels.push_back({"state", state});
        out_.series(std::move(labels), value(look, kind));
      }
    }
  }
  void each_state(const char* state, std::size_t KindStanding::*member) {
    each_kind(state, [member](const CampaignLook&, const KindStanding& kind) {
      return count_of(kind.*member);
    });
  }

  void add_answers() {
    out_.gauge("ridgewatt_campaign_store_up", "1 if the store of the campaign responds, else 0.");
    for (const auto& look : campaigns_) {
      out_.series({{"campaign", look.name}}, look.store_answers ? 1 : 0);
    }
    out_.gauge("ridgewatt_campaign_engine_up",
               "1 if the executor of the campaign responds, else 0.");
    for (const auto& look : campaigns_) {
      if (!look.store_answers) continue;
      out_.series({{"campaign", look.name}}, look.standing.engine_fault.empty() ? 1 : 0);
    }
  }

  void add_points() {
    out_.gauge("ridgewatt_campaign_points",
               "Points of the plan that are measured, and that are missing.");
    each_state("done", &KindStanding::done);
    each_kind("missing", [](const CampaignLook&, const KindStanding& kind) {
      return count_of(kind.planned - kind.done);
    });
    out_.gauge("ridgewatt_campaign_flagged_points", "Measured points with a flag.");
    each_state("", &KindStanding::flagged);
    out_.gauge("ridgewatt_campaign_rerun_points",
               "Missing points that were measured before and are marked to be measured again.");
    each_state("", &KindStanding::to_rerun);
  }

  void add_tasks() {
    out_.gauge("ridgewatt_campaign_tasks", "Tasks with missing points, by state in the executor.");
    each_state("queued", &KindStanding::queued);
    each_state("running", &KindStanding::running);
    each_state("held", &KindStanding::held);
    each_state("failed", &KindStanding::failed);
  }

  void add_boards() {
    out_.gauge("ridgewatt_campaign_boards",
               "Boards that measured points: active, silent, and set aside.");
    each_kind("working", [](const CampaignLook& look, const KindStanding& kind) {
      std::size_t working = 0;
      for (const auto& board : look.standing.boards) {
        working += board.kind == kind.name && !board.set_aside &&
                           !campaign::is_resting(board, look.now_unix_s)
                       ? 1
                       : 0;
      }
      return count_of(working);
    });
    each_state("silent", &KindStanding::silent);
    each_state("set_aside", &KindStanding::set_aside);
    out_.gauge("ridgewatt_campaign_blocked",
               "1 if points are missing and no task can run: all boards are drained, down or set "
               "aside, or no task is queued or running.");
    each_kind("", [](const CampaignLook&, const KindStanding& kind) {
      return kind.blocked.empty() ? 0.0 : 1.0;
    });
  }

  void add_progress() {
    out_.gauge("ridgewatt_campaign_points_per_second",
               "Rate of the boards that work now, over their newest points.");
    each_kind("", [](const CampaignLook&, const KindStanding& kind) { return kind.points_per_s; });
    out_.gauge("ridgewatt_campaign_end_timestamp_seconds",
               "Expected time at which the last missing point is measured, in seconds since 1970; "
               "absent if it is not known or no task can run.");
    each_kind("", [](const CampaignLook& look, const KindStanding& kind) -> std::optional<double> {
      if (!kind.eta_s || kind.done == kind.planned) return std::nullopt;
      return static_cast<double>(look.now_unix_s) + *kind.eta_s;
    });
    out_.counter("ridgewatt_campaign_failures_total", "Failed attempts to measure a point.");
    each_state("", &KindStanding::failures);
    out_.counter("ridgewatt_campaign_energy_joules_total",
                 "Energy of the measured windows; without settling and idle time.");
    each_kind("", [](const CampaignLook&, const KindStanding& kind) { return kind.energy_j; });
  }

  const std::vector<CampaignLook>& campaigns_;
  Exposition out_{true};
};

}  // namespace

CampaignLook look_for_metrics(const std::string& plan_path) {
  const auto plan = campaign::read_plan(plan_path);
  CampaignLook look;
  look.name = plan.name;
  look.now_unix_s = std::time(nullptr);
  try {
    look.standing = campaign::look(plan);
    look.store_answers = true;
  } catch (const IoError&) {
  }
  return look;
}

std::string campaign_metrics(const std::vector<CampaignLook>& campaigns) {
  return CampaignFamilies(campaigns).text();
}

}  // namespace ridgewatt::report
