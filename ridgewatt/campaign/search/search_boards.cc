#include "ridgewatt/campaign/search_boards.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/identity.h"

namespace ridgewatt::campaign {
namespace {

using End = tune::FinishedRun::End;

std::string label_of(const OperatingPoint& point, int repeat) {
  PlannedPoint nameless;
  nameless.label = "0";
  nameless.point = point;
  const std::string label = kSearchedLabel + hash_text(point_text(nameless));
  return repeat == 0 ? label : fmt::format("{}-{}", label, repeat);
}

Error none_runs(const std::string& board_kind, const std::string& why) {
  return Error(fmt::format("no board of kind {} can still run tasks of the search", board_kind),
               why,
               "the measured points are kept; when a board is repaired, run `ridgewatt campaign "
               "boards PLAN --readmit SERIAL`");
}

}  // namespace

CampaignBoards::CampaignBoards(const Plan& plan, const BoardKind& kind, Executor& executor,
                               store::Store& store, const SearchBoardsOptions& options)
    : plan_(plan),
      superseded_(plan),
      kind_(kind),
      executor_(executor),
      store_(store),
      options_(options) {
  filled_slots(plan, store);  // throws UsageError if the store has another plan with this name
}

CampaignBoards::~CampaignBoards() {
  for (const Flight& flight : flights_) {
    for (const Job& job : flight.jobs) {
      try {
        executor_.cancel(job);
      } catch (const Error&) {  // the job ends by itself
      }
    }
  }
}

double CampaignBoards::now_s() const {
  return since_.s();
}

Provenance CampaignBoards::provenance() const {
  return kind_.fake() ? Provenance::kFake : Provenance::kMeasured;
}

void CampaignBoards::start(std::size_t run, const OperatingPoint& point) {
  Flight flight{run, point, measured_[point]};
  PlannedPoint wanted;
  wanted.label = label_of(point, flight.repeat);
  wanted.point = point;
  flight.slot = slot_of(plan_.name, kind_.name, wanted.label);
  if (!store_.has_slot(flight.slot)) flight.jobs = submit(Task{tasks_++, {wanted}});
  flights_.push_back(std::move(flight));
}

// Returns the boards of the kind, as the store and the engine know them. An engine that cannot list
// its hosts can still run tasks.
Fleet CampaignBoards::fleet() {
  std::vector<EngineNode> nodes;
  try {
    nodes = executor_.nodes({kind_.name});
  } catch (const Error&) {
  }
  return fleet_of(plan_, store_.filled_slots(slot_of(plan_.name, kind_.name, "")),
                  records_of(plan_, store_), std::move(nodes));
}

std::vector<Job> CampaignBoards::submit(const Task& task) {
  const Fleet now = fleet();
  set_boards_aside(now);
  if (all_set_aside(now, kind_.name)) throw none_runs(kind_.name, why_none_runs(now, kind_.name));
  Order order = order_of(plan_, kind_, {task}, options_.executor);
  order.avoid = hosts_to_avoid(plan_, now, kind_, task);
  return executor_.submit(order);
}

// Stops the engine's queue from giving tasks to boards that are set aside.
void CampaignBoards::set_boards_aside(const Fleet& now) {
  const auto hosts = set_aside_hosts(now, kind_.name);
  if (hosts == aside_) return;
  said_aside_.clear();
  for (const auto& board : now.boards) {
    if (board.kind != kind_.name || !board.set_aside) continue;
    said_aside_.push_back("board " + board.serial + ": " + why_set_aside(board));
  }
  if (!all_set_aside(now, kind_.name)) {
    for (Flight& flight : flights_) {
      for (Job& job : flight.jobs) {
        std::set<std::string> all(hosts.begin(), hosts.end());
        all.insert(job.avoid.begin(), job.avoid.end());
        executor_.set_aside(job, {all.begin(), all.end()});
      }
    }
  }
  aside_ = hosts;
}

// Throws if no board can run tasks: at once if all are set aside, and after a wait otherwise,
// because boards that are drained or lost may come back.
void CampaignBoards::require_a_board() {
  const Fleet now = fleet();
  set_boards_aside(now);
  const std::string why = why_none_runs(now, kind_.name);
  if (why.empty()) {
    blocked_.reset();
    return;
  }
  if (!blocked_) blocked_.emplace();
  if (all_set_aside(now, kind_.name) || blocked_->s() >= options_.patience_s) {
    throw none_runs(kind_.name, why);
  }
}

// Returns the points of this kind that count and whose slots begin with `prefix`.
std::vector<store::PointRecord> CampaignBoards::filled(const std::string& prefix) {
  std::set<std::int64_t> series;
  std::set<std::string> slots;
  for (const auto& slot : store_.filled_slots(prefix)) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || superseded_.has(*parts)) continue;
    if (const auto number = store_.find_series(slot.series)) series.insert(*number);
    slots.insert(slot.slot);
    serials_.insert(slot.series.serial);
  }
  std::vector<store::PointRecord> found;
  for (const auto number : series) {
    for (auto& record : store_.points(number)) {
      if (slots.contains(record.slot)) found.push_back(std::move(record));
    }
  }
  return found;
}

std::vector<Observation> CampaignBoards::known() {
  std::vector<Observation> seen;
  for (const auto& record : filled(slot_of(plan_.name, kind_.name, ""))) {
    const auto parts = parts_of_slot(record.slot);
    if (!parts || !parts->serial.empty()) continue;
    seen.push_back(record.observation);
    if (parts->label.starts_with(kSearchedLabel)) ++measured_[record.observation.point];
  }
  return seen;
}

std::optional<tune::FinishedRun> CampaignBoards::arrived() {
  for (auto flight = flights_.begin(); flight != flights_.end(); ++flight) {
    for (const auto& record : filled(flight->slot)) {
      if (record.slot != flight->slot) continue;
      measured_[flight->point] = flight->repeat + 1;
      const std::size_t run = flight->run;
      flights_.erase(flight);
      return tune::FinishedRun{run, End::kMeasured, record.observation, {}};
    }
  }
  return std::nullopt;
}

// Returns a task that failed or ended although its slot is empty. One failure does not show whether
// the board or the point is the cause. The task must have ended in two checks in a row, because its
// result may reach the store between reading the store and asking the engine.
std::optional<tune::FinishedRun> CampaignBoards::given_up() {
  bool waits = false, runs = false;
  for (auto flight = flights_.begin(); flight != flights_.end(); ++flight) {
    if (flight->jobs.empty()) continue;
    bool ended = true;
    std::string why;
    for (const auto& state : executor_.states(flight->jobs)) {
      if (state.phase == TaskPhase::kHeld) executor_.release(state);
      ended &= state.phase == TaskPhase::kEnded || state.phase == TaskPhase::kFailed;
      runs |= state.phase == TaskPhase::kRunning;
      if (!state.why.empty()) why = state.why;
    }
    waits |= !ended;
    if (!ended || !std::exchange(flight->ended, true)) continue;
    const std::size_t run = flight->run;
    failures_.push_back(flight->slot + ": " + (why.empty() ? "ended without a result" : why));
    flights_.erase(flight);
    return tune::FinishedRun{run, End::kLost, {}, failures_.back()};
  }
  waits_ = waits && !runs;
  return std::nullopt;
}

std::optional<tune::FinishedRun> CampaignBoards::next(double until_s) {
  if (flights_.empty() && until_s == kForever)
    throw Error("the search has no running task to wait for");
  while (true) {
    if (auto run = arrived()) return run;
    if (auto run = given_up()) return run;
    if (waits_) require_a_board();
    if (now_s() >= until_s) return std::nullopt;
    const double pause_s = std::min(options_.look_every_s, until_s - now_s());
    std::this_thread::sleep_for(std::chrono::duration<double>(std::max(pause_s, 0.0)));
  }
}

}  // namespace ridgewatt::campaign
