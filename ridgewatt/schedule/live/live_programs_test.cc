#include "ridgewatt/schedule/live_programs.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::schedule {
namespace {

constexpr const char* kGoodPrograms = R"(board = "agx-orin"
[[inference]]
name = "detector"
sweep = "detector.csv"
max_latency_ms = 200
arrival_rate_hz = 40
command = ["python3", "detect.py", "--fast"]
[[inference]]
name = "classifier"
model = "zoo:resnet18"
batches = [1, 8]
max_latency_ms = 1500.5
[[training]]
name = "trainer"
sweep = "train.csv"
)";

TEST(LivePrograms, AreRead) {
  const LivePrograms programs = parse_live_programs(kGoodPrograms, "p.toml");
  ASSERT_EQ(programs.inference.size(), 2u);
  ASSERT_EQ(programs.training.size(), 1u);
  const auto& detector = programs.inference[0];
  EXPECT_EQ(detector.kind, WorkloadKind::kInference);
  EXPECT_DOUBLE_EQ(detector.max_latency_s, 0.2);
  EXPECT_DOUBLE_EQ(detector.rate_hz, 40);
  EXPECT_EQ(detector.command, (std::vector<std::string>{"python3", "detect.py", "--fast"}));
  EXPECT_EQ(programs.inference[1].batches, (std::vector<int>{1, 8}));
  EXPECT_TRUE(programs.inference[1].command.empty());
  EXPECT_EQ(programs.training[0].kind, WorkloadKind::kTraining);
}

TEST(LivePrograms, SweepsLieNextToTheFile) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("p.toml", kGoodPrograms);
  EXPECT_EQ(read_live_programs(path).training[0].sweep, (folder.path() / "train.csv").string());
  EXPECT_THROW(read_live_programs((folder.path() / "no.toml").string()), Error);
}

// `good` with one piece replaced must be rejected with a message that names the file and contains
// `why`.
TEST(LivePrograms, BadOnesAreRefused) {
  const auto refused = [](const char* piece, const char* by, const char* why) {
    std::string text = kGoodPrograms;
    text.replace(text.find(piece), std::string(piece).size(), by);
    try {
      parse_live_programs(text, "p.toml");
      ADD_FAILURE() << "taken: " << by;
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("p.toml"), std::string::npos) << said;
      EXPECT_NE(said.find(why), std::string::npos) << said;
    }
  };
  refused("max_latency_ms = 200", "", "max_latency_ms");
  refused("max_latency_ms = 200", "max_latency_ms = 0", "max_latency_ms");
  refused("max_latency_ms = 200", "max_latency_ms = -1", "max_latency_ms");
  refused("max_latency_ms = 200", "max_latency_ms = nan", "max_latency_ms");
  refused("max_latency_ms = 200", "max_latency_ms = inf", "max_latency_ms");
  refused("max_latency_ms = 200", "max_latency_ms = \"200\"", "max_latency_ms");
  refused("arrival_rate_hz = 40", "rate = 40", "rate");
  refused("name = \"detector\"", "name = \"a/b\"", "name");
  refused("name = \"detector\"", "name = \"classifier\"", "classifier");
  refused("name = \"detector\"\n", "", "name");
  refused("sweep = \"train.csv\"", "", "sweep");
  refused("sweep = \"train.csv\"", "sweep = \"a\"\nmodel = \"b\"", "sweep");
  refused("sweep = \"train.csv\"", "sweep = \"a\"\nmax_latency_ms = 3", "max_latency_ms");
  refused("batches = [1, 8]", "batches = [0]", "batch");
  refused("batches = [1, 8]", "batches = []", "batches");
  refused("batches = [1, 8]", "batches = [1.5]", "batch");
  refused("[\"python3\", \"detect.py\", \"--fast\"]", "\"python3\"", "command");
  refused("[\"python3\", \"detect.py\", \"--fast\"]", "[]", "command");
  refused("[\"python3\", \"detect.py\", \"--fast\"]", "[\"\"]", "command");
  refused("[\"python3\", \"detect.py\", \"--fast\"]", "[1]", "command");
  refused("board = \"agx-orin\"", "", "board");
  refused("board", "boards", "boards");
  EXPECT_THROW(parse_live_programs("", "p.toml"), InputError);
  EXPECT_THROW(parse_live_programs("inference = 3", "p.toml"), InputError);
}

TEST(LivePrograms, DamagedTextIsRefusedOrRead) {
  const std::string good = kGoodPrograms;
  for (std::size_t size = 0; size < good.size(); size += 3) {
    try {
      parse_live_programs(good.substr(0, size), "p.toml");
    } catch (const InputError&) {
    }
  }
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    std::string text = good;
    for (int j = 0; j < 4; ++j) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    try {
      const auto programs = parse_live_programs(text, "p.toml");
      EXPECT_FALSE(programs.inference.empty());
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace ridgewatt::schedule
