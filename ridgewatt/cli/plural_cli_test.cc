// Runs commands with one item each: no output has "1 rows" or "1 of 1 rows", and no remark counts
// nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns "1 rows" or "1 of 1 rows" in a text; empty if there is none. Units and verbs are no
// nouns.
std::string wrong_plural(const std::string& text) {
  static const std::regex kOne(
      R"((^|[^\w.,-])((?:\d+ of )?1 (?!(?:ms|us|ns|s|is|was|has|does)\b)[a-z]+s)\b)");
  std::smatch found;
  return std::regex_search(text, found, kOne) ? found[2].str() : "";
}

TEST(Plurals, TheSearchFindsThem) {
  EXPECT_EQ(wrong_plural("1 rows are left out"), "1 rows");
  EXPECT_EQ(wrong_plural("0 of 1 rows"), "0 of 1 rows");
  for (const char* good : {"1 row", "11 rows", "0.1 watts", "takes 1 ms", "1 of 12 rows", "1 is"}) {
    EXPECT_EQ(wrong_plural(good), "") << good;
  }
}

class OneOfEach : public ::testing::Test {
 protected:
  OneOfEach() {
    setenv("RIDGEWATT_FAKE", path("fake").c_str(), 1);
    setenv("XDG_STATE_HOME", path("state").c_str(), 1);
    folder_.write("modes.csv", "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n12,2201.6,1300.5,3199\n");
    folder_.write("study.toml",
                  "name = \"s\"\nrepeats = 2\ncommand = \"true {a}\"\n[[factor]]\n"
                  "name = \"a\"\nlevels = [1]\n");
    folder_.write("profile.json",
                  R"([{"count": 1}, {"name": "Conv_0 + Relu_1", "timeMs": 1, "averageMs": 1}])");
    run("sweep example --workload lenet5 --batch 1 --mode-count 1 -o @one.csv");
  }
  ~OneOfEach() override {
    unsetenv("RIDGEWATT_FAKE");
    unsetenv("XDG_STATE_HOME");
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // Runs a line, in which @ stands for the folder, and checks its output.
  std::string run(std::string line) const {
    for (std::size_t at = 0; (at = line.find('@', at)) != std::string::npos;) {
      line.replace(at, 1, path(""));
    }
    const auto result = testing::run_program(line);
    EXPECT_LE(result.status, 3) << line << result.output;
    EXPECT_EQ(wrong_plural(result.output), "") << line << "\n" << result.output;
    EXPECT_THAT(result.output, Not(HasSubstr("0 flagged"))) << line;
    EXPECT_THAT(result.output, Not(ContainsRegex("(^|[^a-z])nan([^a-z]|$)"))) << line;
    return result.output;
  }
  testing::TemporaryFolder folder_;
};

// label: board
TEST_F(OneOfEach, SweepsAndStores) {
  for (const char* line :
       {"sweep @one.csv",
        "sweep check @one.csv",
        "store import @one.db @one.csv",
        "store list @one.db",
        "store check @one.db",
        "store export @one.db --merge-boards -o @e.csv",
        "store merge @one.db @to.db",
        "store prune @one.db --points 1d --dry-run",
        "tune --sweep @one.csv --max-power 40",
        "tune --sweep @one.csv --max-power 1",
        "pareto @one.csv",
        "predict --samples @one.csv --query @one.csv --method linear",
        "tune --samples @one.csv --max-power 40 --device agx-orin",
        "schedule plan --inference-sweep @one.csv --arrival-rate 5 --max-latency 20s --max-power "
        "60",
        "estimate zoo:lenet5 --device agx-orin --modes 30W",
        "device show nano",
        "mode list --device fake:nano",
        "mode apply gpu=612 --device fake:agx-orin",
        "mode restore --device fake:agx-orin",
        "layers --profile @profile.json",
        "llm zoo:qwen3-0.6b --device agx-orin --modes cores=1",
        "pipeline zoo:lenet5 --device agx-orin --workers 1 --cores 1",
        "govern --simulate --device agx-orin --deadline 1h --minibatches 1 --model zoo:lenet5",
        "loadbench @samples --generate 1 --workers 1 --batch 1 --minibatches 1 --sample-size 10"}) {
    run(line);
  }
  run("report @one.csv -o @one.html");
  const std::string page = read_file(path("one.html"));
  EXPECT_THAT(page, HasSubstr("1 operating point."));
  EXPECT_THAT(page, Not(HasSubstr("flagged rows")));
}

// label: board
TEST_F(OneOfEach, Studies) {
  EXPECT_THAT(run("study @study.toml --max-runs 1"), HasSubstr("1 of 2 runs"));
  run("study @study.toml --format json -o @study.json");
  run("report @study.json -o @study.html");
  run("sweep example --workload lenet5 --batch 1 --mode-count 12 -o @some.csv");
  EXPECT_THAT(run("study frequency --sweep @some.csv"), Not(HasSubstr("flagged")));
}

// label: board
TEST_F(OneOfEach, Campaigns) {
  run("campaign plan c -o @c.json --store @c.db --boards fake:agx-orin:1 --modes @modes.csv -- "
      "false");
  run("campaign status @c.json");
  run("campaign submit @c.json --executor local");
  EXPECT_THAT(run("campaign watch @c.json --attempts 1"), HasSubstr("1 of 1 point is missing"));
  run("campaign boards @c.json");
  const std::string plan = read_file(path("c.json"));
  EXPECT_THAT(run("campaign rerun @c.json --flagged"), HasSubstr("nothing was changed"));
  EXPECT_EQ(read_file(path("c.json")), plan);
  run("campaign list @c.db");
}

}  // namespace
}  // namespace ridgewatt::cli
