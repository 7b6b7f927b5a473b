// Tests ridgewatt soak, thermal, and the option --thermal of estimate and tune, on fake boards with
// known heat.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/heat_trace_support.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

// A soak test on a board with this heat; one hour takes 12 s.
struct Soaked {
  explicit Soaked(platform::FakeHeatSpec spec, const std::string& options, double idle_s = 60,
                  double scale = 300) {
    spec.scale = scale;
    platform::heat_fake_board(board.root, spec);
    const std::string where = " --sysroot " + board.root;
    const auto run = testing::run_program(
        "soak --format json --quiet --idle " + std::to_string(idle_s) + " --trace " + trace +
        " -o " + constants + " " + options + where + " -- " +
        (testing::build_folder() / "ridgewatt").string() +
        " fake-run zoo:resnet50 --batch 1 --minibatches 1000000 --quiet" + where);
    status = run.status;
    output = run.output;
    json = Json::parse(run.output, nullptr, false);
    // A run that ends because the answer is known states the answer.
    if (status == 0 && json["ended_early"] == true && !json["trip_c"].is_null()) {
      EXPECT_NE(json["verdict"], "not known") << output;
    }
  }
  // The steady temperature by the board's own equations at the power that it drew.
  double truth_celsius(double ambient_celsius) const {
    const auto heat = platform::FakeHeat::open(*board.sysfs);
    const double power_w = json["load_w"];
    return thermal::ThermalSystem(heat->model(), {power_w, ambient_celsius, 80.0 / 255})
        .steady()
        ->junction_celsius;
  }

  testing::FakeBoard board{"orin-nano"};
  testing::TemporaryFolder folder;
  std::string trace = (folder.path() / "trace.csv").string();
  std::string constants = (folder.path() / "thermal.toml").string();
  int status = 0;
  std::string output;
  Json json;
};

// label: waits
TEST(SoakCommand, SaysThatAModeHolds) {
  // Slow enough that the board does not warm up by several degrees while a busy machine delays the
  // program.
  const Soaked soaked({.ambient_celsius = 25}, "--mode 15W --ambient 25", 60, 60);
  ASSERT_EQ(soaked.status, 0) << soaked.output;
  EXPECT_EQ(soaked.json["verdict"], "holds") << soaked.output;
  EXPECT_EQ(soaked.json["provenance"], "fake");
  EXPECT_EQ(soaked.json["trip_c"], 95);
  EXPECT_TRUE(soaked.json["throttled"].empty());
  EXPECT_TRUE(soaked.json["ended_early"]);
  const double truth = soaked.truth_celsius(25);
  ASSERT_LT(truth, 95);
  EXPECT_NEAR(soaked.json["modelled"]["steady_c"], truth, 2.5) << soaked.output;
  // The mode is restored.
  const auto shown = testing::run_program("mode show --format json --sysroot " + soaked.board.root);
  EXPECT_EQ(shown.status, 0) << shown.output;
  // The trace can be fitted again, and the file states the result.
  EXPECT_GT(thermal::read_heat_trace(soaked.trace).rows.size(), 20u);
  const auto file = thermal::read_thermal_file(soaked.constants);
  EXPECT_EQ(file.provenance, Provenance::kFake);
  EXPECT_EQ(file.fit.trip_celsius, 95);
}

// The check that ends the run and the final fit use different rows. Their time constants differ
// most when time runs fast, so that there are few readings.
// label: waits
TEST(SoakCommand, KeepsTheVerdictThatEndedTheRun) {
  for (int run = 0; run < 4; ++run) {
    const Soaked soaked({.ambient_celsius = 25, .cooling = 1}, "--mode 15W --minutes 30", 30);
    ASSERT_EQ(soaked.status, 0) << soaked.output;
    if (soaked.json["ended_early"] == true) {
      EXPECT_EQ(soaked.json["verdict"], "holds") << soaked.output;
      EXPECT_EQ(soaked.json["reason"], "") << soaked.output;
    }
  }
}

// With a heat sink that cools too little, the same mode warms up to the trip temperature, and
// clocks are lowered.
// label: waits
TEST(SoakCommand, SaysThatAModeThrottles) {
  const Soaked soaked({.ambient_celsius = 35, .cooling = 0.4},
                      "--mode 15W --minutes 30 --to-the-end");
  ASSERT_EQ(soaked.status, 0) << soaked.output;
  ASSERT_GT(soaked.truth_celsius(35), 97);
  EXPECT_EQ(soaked.json["verdict"], "throttles") << soaked.output;
  EXPECT_TRUE(soaked.json["seen"]);
  EXPECT_GT(soaked.json["throttled_after_s"], 10);
  EXPECT_FALSE(soaked.json["throttled"].empty());
  EXPECT_LT(soaked.json["kept_speed"], 0.97) << soaked.output;
  EXPECT_LT(soaked.json["last"]["gpu_mhz"], soaked.json["first"]["gpu_mhz"]);
  EXPECT_LT(soaked.json["hottest_c"], 97);
  // The power while throttled is the power that the board can sustain forever.
  const double held_w = soaked.json["modelled"]["sustained_w"];
  EXPECT_NEAR(soaked.json["last"]["power_w"].get<double>() / held_w, 1, 0.2) << soaked.output;
}

// A few looks at the idle board are enough to state how long a power can be held from idle.
// label: waits
TEST(SoakCommand, KnowsTheRestThatItBeganWith) {
  const Soaked soaked({.ambient_celsius = 25}, "--mode 15W --minutes 10", 10);
  ASSERT_EQ(soaked.status, 0) << soaked.output;
  const auto trace = thermal::read_heat_trace(soaked.trace);
  const auto file = thermal::read_thermal_file(soaked.constants);
  EXPECT_NEAR(file.fit.idle_w, trace.rows.front().power_w, 0.03 * trace.rows.front().power_w);
}

// label: waits
TEST(SoakCommand, CountsOverCurrent) {
  const Soaked soaked({.limit_w = 13}, "--minutes 20 --to-the-end");
  ASSERT_EQ(soaked.status, 0) << soaked.output;
  EXPECT_GT(soaked.json["over_current_events"], 0) << soaked.output;
  EXPECT_EQ(soaked.json["verdict"], "throttles");
}

// label: waits
TEST(SoakCommand, SaysFaultsInOneLine) {
  const testing::FakeBoard board("orin-nano");
  const std::string where = "soak --idle 0 --sysroot " + board.root;
  const auto fails = [&](const std::string& rest, const char* what) {
    const auto run = testing::run_program(where + rest);
    EXPECT_NE(run.status, 0) << rest;
    EXPECT_THAT(run.output, HasSubstr(what)) << rest;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
  };
  fails(" -- /no/such/program", "/no/such/program");
  fails(" --mode NOPE -- true", "NOPE");
  fails(" --minutes 0 -- true", "--minutes");
  // A board without heat gives no constants. The verdict is "not known", which is not a failure.
  const auto run = testing::run_program(where + " --format json -- sleep 1");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(Json::parse(run.output)["verdict"], "not known") << run.output;
}

class ThermalCommand : public ::testing::Test {
 protected:
  ThermalCommand() {
    folder_.write("heat.csv", testing::heat_trace_text());
    fit_ = testing::run_program("thermal fit " + path("heat.csv") +
                                " --trip 90 --ambient 25 --format json -o " + path("heat.toml"));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  testing::TemporaryFolder folder_;
  testing::ProgramResult fit_;
};

// The constants of the trace: 0.3 K/W over 1 W/K and 300 J/K.
TEST_F(ThermalCommand, FitsTheTrace) {
  ASSERT_EQ(fit_.status, 0) << fit_.output;
  std::map<std::string, double> values;
  const Json fitted = Json::parse(fit_.output);
  for (const auto& row : fitted["constants"]) {
    values[row["constant"]] = row["value"];
  }
  EXPECT_NEAR(values["junction_sink_k_per_w"], 0.3, 0.03);
  EXPECT_NEAR(values["junction_j_per_k"], 10, 1);
  EXPECT_NEAR(values["sink_j_per_k"], 300, 30);
  EXPECT_NEAR(values["sink_w_per_k"], 1, 0.1);
}

TEST_F(ThermalCommand, ConstantsOfAFakeBoardMakeFakeAnswers) {
  const std::string line =
      "thermal fit " + path("heat.csv") + " --fake --ambient 25 --trip 90 -o " + path("fake.toml");
  ASSERT_EQ(testing::run_program(line).status, 0);
  const auto run =
      testing::run_program("thermal hold " + path("fake.toml") + " --power 30 --format json");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(Json::parse(run.output)["rows"][0]["provenance"], "fake");
}

TEST_F(ThermalCommand, SaysForHowLongAPowerIsHeld) {
  const auto run = testing::run_program("thermal hold " + path("heat.toml") +
                                        " --power 45,60 --ambient 25 --format json");
  ASSERT_EQ(run.status, 0) << run.output;
  const Json rows = Json::parse(run.output)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["answer"], "holds");  // 25 + 45 x 1.3 = 83.5 C, and some leakage
  EXPECT_EQ(rows[0]["provenance"], "modelled");
  // After idle at 10 W: the sink starts at 35 C and approaches 85 C. The trip temperature is
  // reached when the sink is at 90 - 18 = 72 C, after 300 s x ln(50 / 13) = 404 s.
  EXPECT_NEAR(rows[1]["holds_s"], 404, 0.15 * 404);
  // 65 K / 1.3 K/W.
  EXPECT_NEAR(rows[1]["sustained_w"], 50, 4);
}

TEST_F(ThermalCommand, EstimateAndTuneSayForHowLong) {
  const std::string thermal = " --thermal " + path("heat.toml") + " --ambient 25";
  const auto estimate = testing::run_program(
      "estimate zoo:resnet50 --device agx-orin --modes presets --batch 16 --format json" + thermal);
  ASSERT_EQ(estimate.status, 0) << estimate.output;
  const Json rows = Json::parse(estimate.output)["estimates"];
  bool held = false, throttles = false;
  for (const auto& row : rows) {
    const Json& hold = row["hold"];
    held |= hold["holds"].get<bool>();
    throttles |= !hold["holds"].get<bool>();
    // About 50 W can be sustained forever.
    const double power_w = row["power_w"];
    if (power_w < 42) {
      EXPECT_TRUE(hold["holds"]) << row;
    }
    if (power_w > 58) {
      EXPECT_FALSE(hold["holds"]) << row;
    }
    const double sustained_ms = row["sustained_time_ms"], time_ms = row["time_ms"];
    EXPECT_GE(sustained_ms, time_ms * (1 - 1e-9));
    if (!hold["holds"]) {
      EXPECT_GT(sustained_ms, time_ms);
      EXPECT_NEAR(hold["sustained_power_w"], hold["sustained_w"], 1e-9);
    }
  }
  EXPECT_TRUE(held);
  const auto tune = testing::run_program(
      "tune zoo:resnet50 --device agx-orin --batch 16 --max-power 60 --minimize time" + thermal);
  ASSERT_EQ(tune.status, 0) << tune.output;
  EXPECT_THAT(tune.output, HasSubstr("in air of 25 °C"));
  const auto cold = testing::run_program(
      "tune zoo:resnet50 --device agx-orin --batch 16 --max-power 30 --minimize time "
      "--format json" +
      thermal);
  EXPECT_TRUE(Json::parse(cold.output)["hold"]["holds"]) << cold.output;
}

// A mode may need more than the 60 W that the AGX Orin's module can draw (boards/agx-orin.toml).
// The estimate is cut at that limit and says so.
TEST(PowerEnvelope, IsSaidToBePassed) {
  const std::string model = " zoo:vgg16 --device agx-orin ";
  bool passed = false, kept = false;
  for (const char* rows : {"--modes maxn --batch 64", "--modes presets --batch 16", "--batch 1"}) {
    const auto run = testing::run_program("estimate" + model + rows + " --format json");
    ASSERT_EQ(run.status, 0) << run.output;
    const Json json = Json::parse(run.output);
    int above = 0;
    for (const auto& row : json["estimates"]) {
      EXPECT_LE(row["power_w"], 60);
      above += row["power_w"] == 60 ? 1 : 0;
    }
    (above > 0 ? passed : kept) = true;
    ASSERT_EQ(json.contains("envelope_note"), above > 0) << rows;
    if (above == 0) continue;
    EXPECT_THAT(json["envelope_note"].get<std::string>(), HasSubstr("60 W"));
    EXPECT_THAT(json["remarks"], ::testing::Contains(json["envelope_note"]));
    EXPECT_THAT(json["envelope_note"].get<std::string>(),
                HasSubstr(fmt::format("{} of {} row", above, json["estimates"].size())));
  }
  EXPECT_TRUE(passed);
  EXPECT_TRUE(kept);
  const std::string tune = "tune" + model + "--batch 64 --minimize time";
  for (const char* format : {"", " --format json"}) {
    EXPECT_THAT(testing::run_program(tune + " --max-power 80" + format).output,
                HasSubstr("above the 60 W"));
  }
  EXPECT_THAT(testing::run_program(tune + " --max-power 50").output,
              ::testing::Not(HasSubstr("above the 60 W")));
}

TEST_F(ThermalCommand, RefusesWhatMeansNothing) {
  const auto fails = [&](const std::string& line, const char* what) {
    const auto run = testing::run_program(line);
    EXPECT_NE(run.status, 0) << line;
    EXPECT_THAT(run.output, HasSubstr(what)) << line;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
  };
  fails("thermal fit /no/such.csv", "/no/such.csv");
  const std::string never = path("never.toml");
  fails("thermal fit " + path("heat.csv") + " --trip 10 -o " + never, "not above the ambient");
  EXPECT_FALSE(std::filesystem::exists(never));
  fails("thermal hold " + path("heat.csv") + " --power 30", "heat.csv");
  fails("thermal hold " + path("heat.toml") + " --power 0", "--power");
  fails("estimate zoo:lenet5 --device agx-orin --ambient 30", "--ambient");
  fails("estimate zoo:lenet5 --device all --thermal " + path("heat.toml"), "one board");
  std::string named = read_file(path("heat.toml"));
  named.insert(named.find("origin"), "board = \"nano\"\n");
  folder_.write("nano.toml", named);
  fails("estimate zoo:lenet5 --device agx-orin --thermal " + path("nano.toml"), "nano");
}

// A series that `measure` recorded can also be fitted.
// label: waits
TEST(ThermalFitCommand, ReadsTheSeriesOfMeasure) {
  const testing::FakeBoard board("agx-orin-jp6");
  platform::heat_fake_board(board.root, platform::FakeHeatSpec{.scale = 200});
  const testing::TemporaryFolder folder;
  const std::string series = (folder.path() / "series.csv").string();
  const std::string where = " --sysroot " + board.root;
  const auto measured =
      testing::run_program("measure --quiet --idle 2 --series-csv " + series + where + " -- " +
                           (testing::build_folder() / "ridgewatt").string() +
                           " fake-run zoo:resnet50 --batch 16 --minibatches 60 --quiet" + where);
  ASSERT_EQ(measured.status, 0) << measured.output;
  const thermal::HeatTrace trace = thermal::read_heat_trace(series);
  EXPECT_GE(trace.rows.size(), 10u);
  EXPECT_TRUE(trace.fan_known);
  EXPECT_NEAR(trace.rows.front().fan, 80.0 / 255, 0.01);
  EXPECT_THAT(read_file(series), HasSubstr("power:total"));
}

}  // namespace
}  // namespace ridgewatt::cli
