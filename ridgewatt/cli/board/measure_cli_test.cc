// Tests the remarks of ridgewatt measure about figures that a run cannot support.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MeasureRemarks : public ::testing::Test {
 protected:
  std::string measure(const std::string& options, const std::string& script) const {
    const auto result = testing::run_program("measure --sysroot " + board_.root + " " + options +
                                             " -- /bin/sh -c '" + script + "'");
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }
  testing::FakeBoard board_{"agx-orin-jp6"};
};

// At 1 Hz, such a short run has at most one sample.
// label: board
TEST_F(MeasureRemarks, AnEnergyWithoutSamplesHasNoBound) {
  const std::string script =
      "for i in 1 2 3 4 5 6; do sleep 0.01; echo minibatch >&$RIDGEWATT_MARK_FD; done";
  const std::string options = "--idle 1.1 --sampling-hz 1 ";
  const std::string table = measure(options, script);
  EXPECT_THAT(table, HasSubstr("unknown: too few samples"));
  EXPECT_THAT(table, HasSubstr("the error of the energy is unknown"));
  const Json json = Json::parse(measure(options + "--quiet --format json", script));
  EXPECT_TRUE(json["power"]["error_j"].is_null());
  EXPECT_GT(json["power"]["energy_j"].get<double>(), 0);
  for (const Json& rail : json["rails"]) EXPECT_TRUE(rail["error_j"].is_null());
  EXPECT_TRUE(json["minibatches"]["energy_lo_j"].is_null());
  EXPECT_TRUE(json["minibatches"]["energy_hi_j"].is_null());
  EXPECT_THAT(measure("--idle 0.1", "sleep 0.5"), Not(HasSubstr("unknown")));
}

// label: board
TEST_F(MeasureRemarks, SaysWhichMarksDoNotCount) {
  const std::string early = measure(
      "--idle 0", "echo minibatch 1 >&$RIDGEWATT_MARK_FD; echo nonsense >&$RIDGEWATT_MARK_FD");
  EXPECT_THAT(early, HasSubstr("2 marked lines ignored"));
  const std::string three =
      "for i in 1 2 3; do sleep 0.02; echo minibatch >&$RIDGEWATT_MARK_FD; done";
  EXPECT_THAT(measure("--idle 0 --warm-up 3", three),
              HasSubstr("none of 3 marked minibatches is used"));
  const std::string good = measure("--idle 0", three);
  EXPECT_THAT(good, Not(HasSubstr("ignored")));
  EXPECT_THAT(good, Not(HasSubstr("minibatches count")));
}

// Every command that reads marks says which do not count.
// label: board
TEST_F(MeasureRemarks, EveryCommandSaysWhichMarksDoNotCount) {
  const testing::TemporaryFolder folder;
  const std::string script =
      "echo nonsense >&$RIDGEWATT_MARK_FD; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.02; "
      "echo minibatch >&$RIDGEWATT_MARK_FD; done";
  const std::string program = folder.write("program.sh", script), run = " -- /bin/sh " + program,
                    board = " --sysroot " + board_.root,
                    store = (folder.path() / "points.db").string(),
                    window = " --window 3 --settle 0 --settle-window 50ms --idle 0";
  const std::string study =
      folder.write("s.toml", "name = \"s\"\nrepeats = 2\ncommand = \"sh " + program +
                                 " {a}\"\n[[factor]]\nname = \"a\"\nlevels = [1, 2]\n");
  for (const std::string& line :
       {"measure --idle 0" + board + run, "profile " + store + " --sample 1" + window + board + run,
        "profile " + store + " --sample 1 --phases --idle 0" + board + run,
        "tune --profiles 1 --max-power 60 --device local --store " + store + "2" + window + board +
            run,
        "campaign run --campaign c --point 0:gpu=612 --spool " + folder.path().string() +
            " --store " + store + "3" + window + board + run,
        "govern --max-power 30 --model zoo:lenet5 --idle 0" + board + run,
        "govern --phase-mode a=MAXN" + board + run, "study " + study + board,
        "compare --repeats 2 'sh " + program + "' true" + board,
        "explain zoo:lenet5 --device fake:agx-orin" + run}) {
    const auto result = testing::run_program(line);
    EXPECT_THAT(result.output, HasSubstr(" ignored: no mark")) << line;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
