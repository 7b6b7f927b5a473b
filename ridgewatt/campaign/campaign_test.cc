#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/plan.h"

namespace ridgewatt::campaign {
namespace {

Plan small_plan() {
  Plan plan;
  plan.name = "sweep7";
  plan.store = "postgresql://board@db.lab/points?sslmode=verify-full";
  plan.profile.series.workload = "resnet50 $(touch x) 'y'";
  plan.profile.series.kind = "inference";
  plan.profile.measure.command = {"python3", "it's \"here\" $HOME `id` ; rm -rf \\",
                                  "--batch={batch}"};
  plan.profile.cache = {measure::CacheOptions::Start::kDropped, "/data/with blank"};
  plan.control.full_fan = true;
  BoardKind kind{.name = "agx-orin", .boards = 4};
  for (int i = 0; i < 7; ++i) {
    kind.points.push_back({.label = std::to_string(i),
                           .point = {{4, 1113.6e6, 612e6 + i * 1e6, 114.75e6, ""}, 16},
                           .repeat = i % 2,
                           .predicted_s = 0.1 + i});
  }
  kind.calibration = {{.label = "cal-0", .point = {{.governor = "schedutil"}, 16}}};
  kind.points_per_task = 3;
  plan.boards = {kind};
  plan.executor = "slurm";
  plan.options.hosts = {"agx-orin=orin1"};
  plan.jobs = {{"slurm", "agx-orin", "4711", {0, 1, 2}, 1700000000}};
  return plan;
}

TEST(Plan, ReadsBackWhatItWrote) {
  const Plan plan = small_plan();
  const Plan back = parse_plan(plan_json(plan), "plan.json");
  EXPECT_EQ(plan_json(back), plan_json(plan));
  EXPECT_EQ(back.profile.measure.command, plan.profile.measure.command);
  ASSERT_EQ(back.boards.size(), 1u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(back.boards[0].points[i].point, plan.boards[0].points[i].point);
    EXPECT_EQ(back.boards[0].points[i].predicted_s, plan.boards[0].points[i].predicted_s);
  }
  EXPECT_EQ(back.boards[0].calibration[0].point.mode.governor, "schedutil");
  EXPECT_EQ(back.jobs[0].tasks, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(back.control.full_fan);
}

TEST(Plan, ReadsPredictionsUnderTheirFormerName) {
  const Plan plan = small_plan();
  const std::string written = plan_json(plan);
  std::string former = written;
  for (std::size_t at = 0; (at = former.find("\"predicted_s\"", at)) != std::string::npos;) {
    former.replace(at, std::string_view("\"predicted_s\"").size(), "\"foretold_s\"");
  }
  ASSERT_NE(former, written);
  EXPECT_EQ(plan_json(parse_plan(former, "plan.json")), written);
}

TEST(Plan, HostileOnesAreRefusedInALine) {
  const std::string good = plan_json(small_plan());
  const auto with = [&](const std::string& from, const std::string& to) {
    const auto at = good.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(good).replace(at, from.size(), to);
  };
  const std::vector<std::string> bad = {
      "",
      "[]",
      "{",
      "null",
      R"({"schema": "ridgewatt.campaign/2"})",
      std::string(100000, '['),
      with("\"sweep7\"", "\"../../etc\""),
      with("\"sweep7\"", "\"a b\""),
      with("\"sweep7\"", "7"),
      with("\"python3\"", "\"a\\nb\""),
      with("\"agx-orin\"", "\"agx;orin\""),
      with("board@db", "board:secret@db"),
      with("sslmode=verify-full", "password=secret"),
      with("\"batch\": 16", "\"batch\": -1"),
      with("\"batch\": 16", "\"batch\": 1e300"),
      with("\"batch\": 16", "\"batch\": 1.5"),
      with("cores=4", "cores=4000"),
      with("\"label\": \"1\"", "\"label\": \"0\""),
      with("\"label\": \"1\"", "\"label\": \"a/b\""),
      with("\"points_per_task\": 3", "\"points_per_task\": 0"),
      with("\"tasks\": \"0-2\"", "\"tasks\": \"0-2147483647\""),
      with("\"boards\": 4", "\"boards\": \"four\""),
      with("\"settle_s\": 20.0", "\"settle_s\": -1"),
  };
  for (const auto& text : bad) {
    try {
      parse_plan(text, "plan.json");
      FAIL() << text.substr(0, 200);
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_EQ(what.find("secret"), std::string::npos) << what;
      EXPECT_LT(what.size(), 600u);
    }
  }
}

// With randomly changed bytes, a plan either reads back or is rejected.
// label: slow
TEST(Plan, DamagedOnesAreReadOrRefused) {
  const std::string good = plan_json(small_plan());
  std::mt19937 random(3);
  std::size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int change = 0; change <= i % 3; ++change) {
      const char byte = static_cast<char>(i % 2 == 0 ? random() : '0' + random() % 10);
      text[random() % text.size()] = byte;
    }
    try {
      const std::string written = plan_json(parse_plan(text, "plan.json"));
      EXPECT_EQ(plan_json(parse_plan(written, "plan.json")), written);
      ++read;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(read, 100u);
}

TEST(Plan, EveryPointIsInOneTask) {
  const BoardKind kind = small_plan().boards[0];
  const auto tasks = tasks_of(kind);
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[2].points.size(), 1u);
  std::vector<std::string> labels;
  for (const auto& task : tasks) {
    for (const auto& point : task.points) labels.push_back(point.label);
  }
  EXPECT_THAT(labels, testing::ElementsAre("0", "1", "2", "3", "4", "5", "6"));
}

TEST(Plan, TasksAreAsSmallAsTheClusterAllows) {
  EXPECT_EQ(points_per_task(0, 1000), 1u);
  EXPECT_EQ(points_per_task(1000, 1000), 1u);
  EXPECT_EQ(points_per_task(1001, 1000), 2u);
  EXPECT_EQ(points_per_task(113000, 1000), 113u);
  EXPECT_THROW(points_per_task(1, 0), UsageError);
  for (std::size_t points = 1; points < 300; ++points) {
    for (std::size_t most = 1; most < 40; ++most) {
      BoardKind kind{.name = "nano"};
      kind.points.resize(points);
      kind.points_per_task = points_per_task(points, most);
      EXPECT_LE(tasks_of(kind).size(), most);
    }
  }
}

TEST(Plan, PointsAndSlotsAsText) {
  const PlannedPoint point = parse_point_text("117:cores=4,gpu=612,batch=16");
  EXPECT_EQ(point.label, "117");
  EXPECT_EQ(point.point, (OperatingPoint{{4, 0, 612e6, 0, ""}, 16}));
  EXPECT_EQ(parse_point_text(point_text(point)).point, point.point);
  for (const char* bad : {"", "117", "117:", ":cores=4", "1/2:cores=4", "1:cores=4,batch=0",
                          "1:cores=4,batch=x", "1:nothing=4", "1@:cores=4", "1@0:cores=4",
                          "1@x:cores=4", "1:cores=4,limit=0", "1:cores=4,limit=nan"}) {
    EXPECT_THROW(parse_point_text(bad), UsageError) << bad;
  }
  const PlannedPoint again = parse_point_text("117@2:cores=4,limit=12.5");
  EXPECT_EQ(again.label, "117");
  EXPECT_EQ(again.rerun, 2);
  EXPECT_EQ(again.slot_label(), "117@2");
  EXPECT_EQ(again.limit_s, 12.5);
  EXPECT_EQ(point_text(again), "117@2:cores=4,limit=12.5");
  const auto planned = parts_of_slot(slot_of("sweep7", "fake:agx-orin", "117"));
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->kind, "fake:agx-orin");
  EXPECT_EQ(planned->label, "117");
  EXPECT_EQ(planned->serial, "");
  const auto calibration = parts_of_slot(calibration_slot("sweep7", "nano", "cal-2", "rack/3"));
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->label, "cal-2");
  EXPECT_EQ(calibration->serial, "rack/3");
  EXPECT_FALSE(parts_of_slot("sweep7/nano"));
  EXPECT_FALSE(parts_of_slot(""));
}

TEST(Plan, RangesAsSlurmWritesThem) {
  EXPECT_EQ(ranges_text({7, 0, 1, 2, 3}), "0-3,7");
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(parse_ranges("0-3,7"), (std::vector<int>{0, 1, 2, 3, 7}));
  EXPECT_TRUE(parse_ranges("").empty());
  for (const char* bad : {"a", "1-", "-1", "3-1", "1-2-3", "0-99999999999", "1,,2"}) {
    EXPECT_THROW(parse_ranges(bad), UsageError) << bad;
  }
}

TEST(Order, EachTaskIsACommandOfItsOwn) {
  Plan plan = small_plan();
  plan.profile.measure.command.emplace_back("--device={device}{device}");
  const auto order = order_of(plan, plan.boards[0], tasks_of(plan.boards[0]), {});
  plan.profile.measure.command.back() = "--device=locallocal";
  const auto words = command_of(order, order.tasks[2]);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  ASSERT_NE(dashes, words.end());
  EXPECT_THAT(std::vector<std::string>(dashes + 1, words.end()),
              testing::ElementsAreArray(plan.profile.measure.command));
  // Five times the prediction of some seconds is less than the minimum limit.
  EXPECT_EQ(*(dashes - 1), "6:cores=4,cpu=1113.6,gpu=618,mem=114.75,batch=16,limit=300");
  EXPECT_THAT(words, testing::Contains("--full-fan"));
  EXPECT_THAT(words, testing::Contains("cal-0:governor=schedutil,batch=16,limit=3600"));
  EXPECT_DOUBLE_EQ(order.predicted_s, 3.1 + 4.1 + 5.1);  // the longest of tasks 0-2, 3-5 and 6
}

}  // namespace
}  // namespace ridgewatt::campaign
