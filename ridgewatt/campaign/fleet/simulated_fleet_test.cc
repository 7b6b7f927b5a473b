// Tests `campaign watch` on a thousand boards in simulated time, with a simulated engine and a real
// store. RIDGEWATT_FLEET_BOARDS and RIDGEWATT_FLEET_POINTS set the size, and RIDGEWATT_FLEET_TASKS
// sets the largest number of tasks per kind. The figures are printed (docs/results/fleet.md).
// Failures defines the statistics of failures.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <queue>
#include <random>
#include <set>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/identity.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::int64_t kBeganUnixS = 1'700'000'000;

// The distributions are those of 23,000 failures at Los Alamos (Schroeder and Gibson, DSN 2006):
// the time between failures of a node has a Weibull distribution with decreasing hazard, and
// repairs are lognormal. The scales are chosen, harsher than in the paper, so that a campaign of
// hours sees all kinds of failures.
struct Failures {
  double between_s = 50 * 3600, shape = 0.7;          // power failures of a board; mean
  double repair_median_s = 1800, repair_sigma = 1.2;  // until the board is back
  double task_lost = 0.2;      // share of these in which the engine forgets the task
  double bad_boards = 0.01;    // boards on which no point ever works
  double point_fails = 0.003;  // the program fails
  double point_hangs = 0.001;  // the program hangs until its limit
  double slow_boards = 0.01;   // three times slower
  double store_between_s = 3600, store_median_s = 300;  // the store is unavailable; mean, median
  double engine_silent = 0.02;  // share of queries that the engine does not answer
};

struct Counts {
  int power_losses = 0, forgotten = 0, failed = 0, hung = 0, store_outages = 0, silent_looks = 0;
  int retried = 0;                               // tasks that ended with status 75
  std::size_t stored = 0, twice = 0, asked = 0;  // twice: another board had filled the slot
};

class SimulatedFleet : public Executor {
 public:
  SimulatedFleet(const Plan& plan, store::Store& store, const Failures& failures, unsigned seed)
      : plan_(plan), store_(store), failures_(failures), random_(seed) {
    for (const auto& kind : plan.boards) {
      for (int i = 0; i < kind.boards; ++i) add_board(kind.name);
    }
    at(exponential(failures_.store_between_s), -1);
  }

  Counts counts;
  std::size_t bad_boards() const {
    return static_cast<std::size_t>(
        std::count_if(boards_.begin(), boards_.end(), [](const auto& one) { return one.bad; }));
  }
  bool is_bad(const std::string& serial) const { return boards_.at(index_of_.at(serial)).bad; }
  double now_s() const { return now_s_; }
  // The time that boards without failures would take.
  double ideal_s() const {
    double longest_s = 0;
    for (const auto& kind : plan_.boards) {
      double speed = 0, work_s = 0;
      for (const auto& board : boards_) {
        if (board.kind == kind.name) speed += 1 / board.slowness;
      }
      for (const auto& point : kind.points) work_s += point.predicted_s;
      longest_s = std::max(longest_s, work_s / speed);
    }
    return longest_s;
  }

  void advance(double until_s) {
    give_tasks();
    while (!events_.empty() && events_.top().when_s <= until_s) {
      const Event event = events_.top();
      events_.pop();
      now_s_ = event.when_s;
      if (event.board < 0) {
        change_store();
      } else {
        happen(boards_[static_cast<std::size_t>(event.board)], event);
      }
      give_tasks();
    }
    now_s_ = until_s;
  }

  std::string name() const override { return "simulated"; }
  std::string preview(const Order&) override { return ""; }
  std::vector<Job> submit(const Order& order) override {
    Job job{name(), order.board_kind, std::to_string(++jobs_), {}, unix_s(), order.avoid};
    for (const auto& task : order.tasks) {
      job.tasks.push_back(task.number);
      const std::size_t number = tasks_.size();
      tasks_.push_back({job.id,
                        order.board_kind,
                        task.number,
                        task.points,
                        {order.avoid.begin(), order.avoid.end()}});
      of_job_[job.id].push_back(number);
      queues_[order.board_kind].push_back(number);
    }
    return {job};
  }
  std::vector<TaskState> states(const std::vector<Job>& jobs) override {
    if (jobs.empty()) return {};
    if (chance(failures_.engine_silent)) {
      ++counts.silent_looks;
      throw IoError("the controller does not answer");
    }
    std::vector<TaskState> result;
    for (const auto& job : jobs) {
      for (const auto number : of_job_[job.id]) {
        const auto& task = tasks_[number];
        result.push_back({job.id, task.kind, task.number, task.phase, "", task.why});
      }
    }
    return result;
  }
  bool release(const TaskState& state) override {
    for (const auto number : of_job_[state.job]) {
      auto& task = tasks_[number];
      if (task.number != state.task || task.phase != TaskPhase::kHeld) continue;
      enqueue(number);
      return true;
    }
    return false;
  }
  std::vector<EngineNode> nodes(const std::vector<std::string>&) override {
    std::vector<EngineNode> result;
    for (const auto& board : boards_) {
      result.push_back({board.name, board.kind, board.up, board.up ? "idle" : "down", ""});
    }
    return result;
  }
  bool set_aside(const Job& job, const std::vector<std::string>& hosts) override {
    for (const auto number : of_job_[job.id]) tasks_[number].avoid = {hosts.begin(), hosts.end()};
    return true;
  }
  void cancel(const Job& job) override {
    for (const auto number : of_job_[job.id]) {
      if (tasks_[number].phase != TaskPhase::kRunning) tasks_[number].phase = TaskPhase::kEnded;
    }
  }

 private:
  struct SimulatedTask {
    std::string job, kind;
    int number = 0;
    std::vector<PlannedPoint> points;
    std::set<std::string> avoid;
    TaskPhase phase = TaskPhase::kQueued;
    std::string why = {};
    std::size_t next = 0;  // point
    bool failed = false;
  };
  struct SimulatedBoard {
    std::string name, kind;
    std::int64_t series = 0;
    double slowness = 1;
    bool bad = false, up = true;
    long task = -1;
    int generation = 0;  // events of an earlier generation are void: the power failed
    bool point_fails = false, point_hangs = false;
    std::vector<store::PointRecord> spool;
    std::vector<store::FailedAttempt> failed;
  };
  enum class What { kPoint, kPowerLoss, kRepaired };
  struct Event {
    double when_s = 0;
    int board = -1;  // none: the store goes down or comes back
    int generation = 0;
    What what = What::kPoint;
    bool operator<(const Event& other) const { return when_s > other.when_s; }
  };

  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  bool chance(double share) { return uniform() < share; }
  double exponential(double mean) { return -mean * std::log(1 - uniform()); }
  double lognormal(double median, double sigma) {
    return median * std::exp(sigma * std::normal_distribution<double>()(random_));
  }
  double weibull_s() {
    const double scale_s = failures_.between_s / std::tgamma(1 + 1 / failures_.shape);
    return std::weibull_distribution<double>(failures_.shape, scale_s)(random_);
  }
  std::int64_t unix_s() const { return kBeganUnixS + static_cast<std::int64_t>(now_s_); }
  void at(double delay_s, int board, What what = What::kPoint) {
    const int generation = board < 0 ? 0 : boards_[static_cast<std::size_t>(board)].generation;
    events_.push({now_s_ + delay_s, board, generation, what});
  }
  int index(const SimulatedBoard& board) const { return static_cast<int>(&board - boards_.data()); }

  void add_board(const std::string& kind) {
    SimulatedBoard board{fmt::format("n{}", boards_.size()), kind};
    index_of_[board.name] = boards_.size();
    board.slowness = chance(failures_.slow_boards) ? 3 : lognormal(1, 0.05);
    board.bad = chance(failures_.bad_boards);
    board.series = store_.series({kind, "w", "inference", Provenance::kModelled, board.name});
    store_.add_campaign_board({plan_.name, kind, board.name, board.name, kBeganUnixS});
    boards_.push_back(std::move(board));
    at(weibull_s(), static_cast<int>(boards_.size()) - 1, What::kPowerLoss);
  }

  void change_store() {
    store_up_ = !store_up_;
    counts.store_outages += store_up_ ? 0 : 1;
    at(store_up_ ? exponential(failures_.store_between_s) : lognormal(failures_.store_median_s, 1),
       -1);
  }

  void enqueue(std::size_t number) {
    tasks_[number].phase = TaskPhase::kQueued;
    queues_[tasks_[number].kind].push_back(number);
  }

  // Idle boards take the first task of the queue that does not avoid them.
  void give_tasks() {
    for (auto& [kind, queue] : queues_) {
      std::erase_if(queue,
                    [&](std::size_t number) { return tasks_[number].phase != TaskPhase::kQueued; });
      if (queue.empty()) continue;
      for (auto& board : boards_) {
        if (board.kind != kind || !board.up || board.task >= 0) continue;
        const auto found = std::find_if(queue.begin(), queue.end(), [&](std::size_t number) {
          return !tasks_[number].avoid.contains(board.name);
        });
        if (found == queue.end()) continue;
        board.task = static_cast<long>(*found);
        queue.erase(found);
        begin_task(board);
        if (queue.empty()) break;
      }
    }
  }

  SimulatedTask& task_of(const SimulatedBoard& board) {
    return tasks_[static_cast<std::size_t>(board.task)];
  }
  void begin_task(SimulatedBoard& board) {
    auto& task = task_of(board);
    task.phase = TaskPhase::kRunning;
    task.next = 0;
    task.failed = false;
    hand_in(board);
    next_point(board);
  }

  // Like a task, skips points that are filled in the spool or, if the store answers, in the store.
  bool is_filled(const SimulatedBoard& board, const PlannedPoint& point) {
    const std::string slot = slot_of(plan_.name, board.kind, point.slot_label());
    if (std::any_of(board.spool.begin(), board.spool.end(),
                    [&](const auto& record) { return record.slot == slot; })) {
      return true;
    }
    ++counts.asked;
    return store_up_ && store_.has_slot(slot);
  }

  void next_point(SimulatedBoard& board) {
    auto& task = task_of(board);
    while (task.next < task.points.size() && is_filled(board, task.points[task.next])) ++task.next;
    if (task.next == task.points.size()) return end_task(board);
    const auto& point = task.points[task.next];
    board.point_hangs = !board.bad && chance(failures_.point_hangs);
    board.point_fails = board.bad || board.point_hangs || chance(failures_.point_fails);
    const double takes_s = board.bad           ? 30
                           : board.point_hangs ? point.limit_s
                                               : point.predicted_s * board.slowness;
    at(takes_s, index(board), What::kPoint);
  }

  void end_point(SimulatedBoard& board) {
    auto& task = task_of(board);
    const auto& point = task.points[task.next++];
    const std::string slot = slot_of(plan_.name, board.kind, point.slot_label());
    if (board.point_fails) {
      ++(board.point_hangs ? counts.hung : counts.failed);
      task.failed = true;
      board.failed.push_back({slot, board.kind, board.name, board.name, unix_s(),
                              board.point_hangs ? "longer than its limit" : "no weights", ""});
    } else {
      store::PointRecord record;
      record.observation = {point.point, 0.1 * board.slowness, 20};
      record.slot = slot;
      record.started_unix_s = unix_s() - static_cast<std::int64_t>(point.predicted_s);
      record.window_s = point.predicted_s;
      board.spool.push_back(std::move(record));
    }
    hand_in(board);
    next_point(board);
  }

  void hand_in(SimulatedBoard& board) {
    if (!store_up_) return;
    for (const auto& record : board.spool) {
      ++(store_.add_if_absent(board.series, record) ? counts.stored : counts.twice);
    }
    board.spool.clear();
    if (!board.failed.empty()) store_.add_failures(board.failed);
    board.failed.clear();
  }

  // Without the store, the task ends with status 75, and the engine retries it.
  void end_task(SimulatedBoard& board) {
    auto& task = task_of(board);
    hand_in(board);
    const bool waits = !board.spool.empty() || !board.failed.empty();
    counts.retried += waits ? 1 : 0;
    task.phase = waits ? TaskPhase::kHeld : task.failed ? TaskPhase::kFailed : TaskPhase::kEnded;
    task.why = task.failed ? "a point failed" : "";
    board.task = -1;
  }

  void happen(SimulatedBoard& board, const Event& event) {
    if (event.generation != board.generation) return;
    if (event.what == What::kPoint) return end_point(board);
    ++board.generation;
    if (event.what == What::kRepaired) {
      board.up = true;
      return at(weibull_s(), index(board), What::kPowerLoss);
    }
    ++counts.power_losses;
    board.up = false;
    if (board.task >= 0) {
      const bool forgotten = chance(failures_.task_lost);
      counts.forgotten += forgotten ? 1 : 0;
      task_of(board).phase = forgotten ? TaskPhase::kEnded : TaskPhase::kHeld;
      board.task = -1;
    }
    at(lognormal(failures_.repair_median_s, failures_.repair_sigma), index(board), What::kRepaired);
  }

  const Plan& plan_;
  store::Store& store_;
  Failures failures_;
  std::mt19937_64 random_;
  std::vector<SimulatedBoard> boards_;
  std::map<std::string, std::size_t> index_of_;
  std::deque<SimulatedTask> tasks_;
  std::map<std::string, std::vector<std::size_t>> of_job_;
  std::map<std::string, std::deque<std::size_t>> queues_;  // by kind
  std::priority_queue<Event> events_;
  double now_s_ = 0;
  bool store_up_ = true;
  int jobs_ = 0;
};

int size_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::max(std::atoi(text), 10);
}

// Two kinds of boards; each point takes ten minutes.
Plan plan_of(const std::string& store, int boards, int points, int tasks) {
  Plan plan;
  plan.name = "fleet";
  plan.store = store;
  plan.executor = "slurm";
  plan.profile.series.workload = "w";
  plan.profile.measure.command = {"true"};
  for (const char* name : {"agx-orin", "orin-nano-8gb"}) {
    BoardKind kind{.name = name, .boards = boards / 2};
    for (int i = 0; i < points / 2; ++i) {
      kind.points.push_back({.label = std::to_string(i),
                             .point = {{4, 1e8 + 1e4 * i, 3e8, 2e9, ""}, 1},
                             .predicted_s = 600});
    }
    kind.points_per_task = points_per_task(kind.points.size(), static_cast<std::size_t>(tasks));
    plan.boards.push_back(kind);
  }
  return plan;
}

double peak_mb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

double megabytes(const std::string& path) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(path, none);
  return none ? 0 : static_cast<double>(bytes) / 1e6;
}

// label: waits
TEST(SimulatedFleet, NoPointIsLostAndBadBoardsAreSetAside) {
  const int boards = size_from("RIDGEWATT_FLEET_BOARDS", 100);
  const int points = size_from("RIDGEWATT_FLEET_POINTS", 1000);
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "plan.json").string();
  const int tasks = size_from("RIDGEWATT_FLEET_TASKS", 1000);
  const Plan plan = plan_of((folder.path() / "points.db").string(), boards, points, tasks);
  store::Store store(plan.store);
  claim_campaign(plan, store);
  write_plan(plan, path);
  SimulatedFleet fleet(plan, store, {}, 2026);

  std::vector<double> looks_s;
  Stopwatch look;
  FollowOptions options;
  options.interval_s = 60;
  options.engine = &fleet;
  options.now_unix_s = [&] { return kBeganUnixS + static_cast<std::int64_t>(fleet.now_s()); };
  options.wait = [&](double pause_s) {
    looks_s.push_back(look.s());
    ASSERT_LT(fleet.now_s(), 14 * 86400) << "the campaign does not end";
    fleet.advance(fleet.now_s() + pause_s);
    look = Stopwatch();
  };
  const Stopwatch all;
  const Standing end = follow(path, options);

  EXPECT_TRUE(end.complete()) << end.done << " of " << end.planned;
  std::set<std::string> slots;
  for (const auto& slot : filled_slots(plan, store)) {
    EXPECT_TRUE(slots.insert(slot.slot).second) << slot.slot;
  }
  EXPECT_EQ(slots.size(), static_cast<std::size_t>(points));
  EXPECT_EQ(fleet.counts.stored, slots.size());
  std::size_t aside = 0;
  const Fleet known = fleet_of(plan, filled_slots(plan, store), records_of(plan, store), {});
  for (const auto& board : known.boards) {
    EXPECT_EQ(board.set_aside, fleet.is_bad(board.serial)) << board.serial;
    aside += board.set_aside ? 1 : 0;
  }
  const auto& counts = fleet.counts;
  std::sort(looks_s.begin(), looks_s.end());
  double sum_s = 0;
  for (const double one : looks_s) sum_s += one;
  fmt::print(
      "{} boards, {} points: done after {:.2f} h, ideal {:.2f} h\n"
      "drawn: {} power losses ({} tasks forgotten), {} failed and {} hung points, {} bad boards, "
      "{} outages of the store, {} looks without an answer\n"
      "set aside: {} boards; {} tasks ended with 75; {} points were measured twice\n"
      "watch: {} looks of {:.1f} ms, at most {:.1f}; {} jobs; {:.0f} MB with the simulation\n"
      "store: {} points, {} failures, {:.1f} MB; {} questions for a slot by tasks; a look reads "
      "{} rows; plan {:.1f} MB; took {:.1f} s\n",
      boards, points, fleet.now_s() / 3600, fleet.ideal_s() / 3600, counts.power_losses,
      counts.forgotten, counts.failed, counts.hung, fleet.bad_boards(), counts.store_outages,
      counts.silent_looks, aside, counts.retried, counts.twice, looks_s.size(),
      1000 * sum_s / static_cast<double>(looks_s.size()), 1000 * looks_s.back(),
      read_plan(path).jobs.size(), peak_mb(), slots.size(), known.failures.size(),
      megabytes(plan.store) + megabytes(plan.store + "-wal"), counts.asked,
      slots.size() + known.failures.size() + static_cast<std::size_t>(boards), megabytes(path),
      all.s());
}

}  // namespace
}  // namespace ridgewatt::campaign
