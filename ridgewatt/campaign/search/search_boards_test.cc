// Tests a search over boards that fail, with an engine that runs each task immediately or not at
// all.
#include "ridgewatt/campaign/search_boards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::campaign {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using End = tune::FinishedRun::End;

Plan plan_in(const std::string& store) {
  Plan plan;
  plan.name = "c";
  plan.store = store;
  plan.profile.series.workload = "w";
  plan.profile.measure.command = {"true"};
  plan.boards = {{.name = "nano", .boards = 2}};
  plan.boards[0].points.push_back({.label = "0", .point = {{4, 0, 0, 0, ""}, 1}});
  return plan;
}

// Hosts n1 and n2 with boards b1 and b2. A task runs on the first usable host that it does not
// avoid.
class FakeEngine : public Executor {
 public:
  explicit FakeEngine(store::Store& store) : store_(store) {}

  std::vector<EngineNode> hosts = {{"n1", "nano", true, "idle", ""},
                                   {"n2", "nano", true, "idle", ""}};
  std::set<std::string> bad;           // hosts whose tasks fail
  bool waits = false;                  // tasks stay in the queue
  std::map<std::string, int> tasks;    // number of tasks by host
  std::vector<std::string> aside;      // from the newest set_aside()
  std::vector<std::string> cancelled;  // jobs

  std::string name() const override { return "fake"; }
  std::string preview(const Order&) override { return ""; }
  std::vector<Job> submit(const Order& order) override {
    const Job job{"fake", order.board_kind, std::to_string(++jobs_), {0}, 0, order.avoid};
    phases_[job.id] = waits ? TaskPhase::kQueued : run(order);
    return {job};
  }
  std::vector<TaskState> states(const std::vector<Job>& jobs) override {
    std::vector<TaskState> result;
    for (const auto& job : jobs) {
      result.push_back({job.id, job.board_kind, 0, phases_[job.id], "", ""});
    }
    return result;
  }
  bool release(const TaskState&) override { return false; }
  std::vector<EngineNode> nodes(const std::vector<std::string>&) override { return hosts; }
  bool set_aside(const Job&, const std::vector<std::string>& some) override {
    aside = some;
    return true;
  }
  void cancel(const Job& job) override { cancelled.push_back(job.id); }

 private:
  TaskPhase run(const Order& order) {
    for (const auto& host : hosts) {
      const bool avoided =
          std::find(order.avoid.begin(), order.avoid.end(), host.name) != order.avoid.end();
      if (!host.usable || avoided) continue;
      ++tasks[host.name];
      return run_on(host.name, order.tasks.at(0).points.at(0));
    }
    throw IoError("every host of this kind of board is set aside");
  }
  TaskPhase run_on(const std::string& host, const PlannedPoint& point) {
    const std::string serial = "b" + host.substr(1);
    const std::string slot = slot_of("c", "nano", point.slot_label());
    store_.add_campaign_board({"c", "nano", serial, host, ++clock_});
    if (bad.contains(host)) {
      store_.add_failures({{slot, "nano", serial, host, ++clock_, "no weights", "end"}});
      return TaskPhase::kFailed;
    }
    store::PointRecord record;
    record.observation = {point.point, 0.1, 20};
    record.slot = slot;
    record.started_unix_s = ++clock_;
    store_.add(store_.series({"nano", "w", "inference", Provenance::kMeasured, serial}), record);
    return TaskPhase::kEnded;
  }

  store::Store& store_;
  std::map<std::string, TaskPhase> phases_;
  int jobs_ = 0;
  std::int64_t clock_ = 1'700'000'000;
};

class SearchBoards : public ::testing::Test {
 protected:
  // Runs the point until it is measured, as a search does, but at most `tries` times.
  bool measure(CampaignBoards& boards, int batch, int tries = 3) {
    for (int i = 0; i < tries; ++i) {
      boards.start(runs_++, {{4, 0, 0, 0, ""}, batch});
      if (boards.next(CampaignBoards::kForever)->end == End::kMeasured) return true;
    }
    return false;
  }
  std::string end_of(const std::function<void()>& search) {
    try {
      search();
    } catch (const Error& error) {
      return error.what();
    }
    return "it did not end";
  }

  testing::TemporaryFolder folder_;
  Plan plan_ = plan_in((folder_.path() / "points.db").string());
  store::Store store_{plan_.store};
  FakeEngine engine_{store_};
  std::size_t runs_ = 0;
};

// Boards b2 and b1 measured the points of the plan. Point 0 is planned again and not yet measured.
TEST_F(SearchBoards, WhatIsPlannedAgainIsNotKnown) {
  plan_.boards[0].points.push_back({.label = "1", .point = {{4, 0, 0, 0, ""}, 2}});
  plan_.boards[0].points[0].rerun = 1;
  const auto add = [&](const std::string& serial, const std::string& label, int batch) {
    store::PointRecord record;
    record.observation = {{{4, 0, 0, 0, ""}, batch}, 0.1 * batch, 20};
    record.slot = slot_of("c", "nano", label);
    const auto& of = plan_.profile.series;
    store_.add(store_.series({"nano", of.workload, of.kind, Provenance::kMeasured, serial}),
               record);
  };
  add("b2", "0", 1);
  add("b1", "1", 2);
  const auto batches = [&] {
    CampaignBoards boards(plan_, plan_.boards[0], engine_, store_, {});
    std::vector<int> seen;
    for (const auto& one : boards.known()) seen.push_back(one.point.batch);
    EXPECT_THAT(boards.serials(), ElementsAre("b1"));
    return seen;
  };
  EXPECT_THAT(batches(), ElementsAre(2));
  add("b1", "0@1", 1);
  EXPECT_THAT(batches(), ElementsAre(2, 1));
}

TEST_F(SearchBoards, ABadBoardFailsThreePointsAndGetsNoMore) {
  engine_.bad = {"n1"};
  CampaignBoards boards(plan_, plan_.boards[0], engine_, store_, {.boards = 1, .look_every_s = 0});
  for (int batch = 1; batch <= 6; ++batch) EXPECT_TRUE(measure(boards, batch)) << batch;
  EXPECT_EQ(engine_.tasks["n1"], 3);
  EXPECT_EQ(engine_.tasks["n2"], 6);
  EXPECT_EQ(boards.failures().size(), 3u);
  EXPECT_THAT(boards.set_aside(),
              ElementsAre("board b1: set aside after 3 failed points in a row: no weights"));
}

TEST_F(SearchBoards, ASearchWithoutABoardEndsWithTheReasonOfEach) {
  engine_.bad = {"n1", "n2"};
  CampaignBoards boards(plan_, plan_.boards[0], engine_, store_, {.boards = 1, .look_every_s = 0});
  const std::string said = end_of([&] {
    for (int batch = 1; batch <= 6; ++batch) measure(boards, batch);
  });
  EXPECT_THAT(said, AllOf(HasSubstr("no board of kind nano can still run tasks"),
                          HasSubstr("n1: set aside after 3 failed points in a row: no weights"),
                          HasSubstr("n2: set aside after 3 failed points in a row: no weights")));
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

TEST_F(SearchBoards, WhatWaitsForDrainedBoardsEndsAfterAWhile) {
  engine_.waits = true;
  for (auto& host : engine_.hosts) {
    host.usable = false;
    host.state = "drained";
    host.reason = "Duplicate jobid";
  }
  {
    CampaignBoards boards(plan_, plan_.boards[0], engine_, store_,
                          {.boards = 1, .look_every_s = 0, .patience_s = 0.05});
    const std::string said = end_of([&] { measure(boards, 1); });
    EXPECT_THAT(said, HasSubstr("n1: drained (Duplicate jobid); n2: drained (Duplicate jobid)"));
  }
  EXPECT_THAT(engine_.cancelled, ElementsAre("1"));
}

TEST_F(SearchBoards, WhatWaitsIsKeptFromABoardThatIsSetAside) {
  CampaignBoards boards(plan_, plan_.boards[0], engine_, store_, {.boards = 2, .look_every_s = 0});
  engine_.waits = true;
  boards.start(runs_++, {{4, 0, 0, 0, ""}, 64});
  engine_.waits = false;
  engine_.bad = {"n1"};
  for (int batch = 1; batch <= 4; ++batch) EXPECT_TRUE(measure(boards, batch)) << batch;
  EXPECT_THAT(engine_.aside, ElementsAre("n1"));
}

}  // namespace
}  // namespace ridgewatt::campaign
