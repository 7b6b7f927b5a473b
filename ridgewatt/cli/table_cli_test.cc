// Tests tables of every command on terminals of 80 and 120 columns, and --wide, --sort and --top.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramResult;
using testing::run_program;

// Counts code points, because each takes one column.
std::size_t columns_taken(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The cells of a table line, which are separated by two or more blanks.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
    const auto end = line.find("  ", at);
    cells.push_back(line.substr(at, end - at));
    at = end == std::string::npos ? end : line.find_first_not_of(' ', end);
  }
  return cells;
}

bool of_a_table(const std::string& line) {
  return cells_of(line).size() > 1 || line.starts_with("hidden: ");
}

class EveryTable : public ::testing::Test {
 protected:
  ~EveryTable() override { ::unsetenv("COLUMNS"); }

  std::string kept(const Sweep& sweep, const std::string& name, const std::string& kind) const {
    Sweep named = sweep;
    named.workload = name;
    named.kind = kind;
    return folder_.write(name + ".csv", write_sweep_csv({named}));
  }
  // Points of a machine with 1 TFLOP/s and 100 GB/s.
  std::string microbench() const {
    std::string text = "gpu_mhz,work_flop,traffic_bytes,time_ms,power_w\n";
    for (double intensity = 0.25; intensity <= 256; intensity *= 2) {
      const double time_s = std::max(intensity * 1e9 / 1e12, 1e9 / 1e11);
      const double energy_j = intensity * 1e9 * 10e-12 + 1e9 * 100e-12 + 5 * time_s;
      text += "900," + std::to_string(intensity * 1e9) + ",1e9," + std::to_string(time_s * 1e3) +
              "," + std::to_string(energy_j / time_s) + "\n";
    }
    return folder_.write("microbench.csv", text);
  }
  std::vector<std::string> commands();

  testing::TemporaryFolder folder_;
  testing::FakeBoard board_{"orin-nano"};
};

std::vector<std::string> EveryTable::commands() {
  const Sweep board = testing::small_board_sweep({4, 16});
  const std::string infer = kept(board, "infer", "inference");
  const std::string train = kept(testing::small_board_sweep({16}), "train", "training");
  Sweep some = testing::small_board_sweep({16});
  for (std::size_t i = 1; i < some.observations.size(); ++i) {
    if (i % 9 == 0) std::swap(some.observations[i / 9], some.observations[i]);
  }
  some.observations.resize(25);
  const std::string samples = kept(some, "samples", "training");
  Sweep faulty = board;
  faulty.observations[40].time_s *= 5;
  const std::string suspect = kept(faulty, "suspect", "inference");
  const std::string db = (folder_.path() / "points.db").string();
  const std::string fake = " --sysroot " + board_.root;
  const std::string sleep =
      " -- /bin/sh -c 'for i in 1 2 3 4; do sleep 0.01; echo minibatch "
      ">&$RIDGEWATT_MARK_FD; done'";
  const std::string quick = " --settle 0.05 --settle-window 0.01 --idle 0 --window 2";
  const std::string schedule = " --training-sweep " + train + " --inference-sweep " + infer;
  std::vector<std::string> commands = {
      "analyze zoo:resnet18",
      "analyze zoo:bert_tiny --per-layer",
      "zoo list",
      "zoo list --language",
      "estimate zoo:resnet50 --device agx-orin --batch 1,16",
      "estimate zoo:bert_base --device agx-orin --modes maxn --per-layer",
      "estimate zoo:resnet18 --training --device all --dataset-size 50000 --epochs 10",
      "roofline --device agx-orin --modes presets",
      "roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16",
      "roofline zoo:bert_base --device agx-orin --power-cap 30 --level L2=1000",
      "calibrate --microbench " + microbench(),
      "device list",
      "device show agx-orin",
      "device show orin-nano-8gb --list-modes",
      "predict --samples " + samples + " --query " + train,
      "predict --samples " + samples + " --query " + train + " --suggest 3",
      "predict --device agx-orin --suggest 6",
      "predict --device agx-orin --advise --minibatch-time 250",
      "pareto --sweep " + train,
      "tune zoo:resnet50 --device agx-orin --max-power 30 --strategy auto --trace",
      "tune zoo:resnet50 --device all --batch 4 --max-power 15 --minimize energy",
      "tune --sweep " + infer + " --max-power 12 --profiles 12 --trace",
      "sweep " + infer,
      "sweep check " + suspect,
      "schedule plan --max-power 30 --max-latency 3000 --arrival-rate 4" + schedule,
      "schedule predict-sharing --busy-share 0.5,0.9" + schedule,
      "schedule simulate --max-power 30 --max-latency 3000 --arrival-rate 4 --duration 20" +
          schedule,
      "schedule dynamic --max-power 30 --max-latency 1000 --traces 2 --duration 60" + schedule,
      "pipeline zoo:mobilenet_v3 --device agx-xavier --dataset-size 23080 --preprocess-time 13 "
      "--hand-over-time 9 --workers 1 --simulate 2",
      "loadbench " + (folder_.path() / "files").string() +
          " --generate 64 --sample-size 1000 --workers 0,1 --cache warm --minibatches 4",
      "study",
      "study frequency --plan" + fake,
      "study frequency --sweep " + train,
      "sensors" + fake,
      "mode list" + fake,
      "mode list --grid" + fake,
      "mode show" + fake,
      "mode apply --gpu-mhz 306 --dry-run" + fake,
      "measure --idle 0" + fake + sleep,
      "profile " + db + " --sample 2" + fake + quick + sleep,
      "store list " + db,
      "store import " + (folder_.path() / "more.db").string() + " " + train + " --device agx-orin",
      "compare --quiet --repeats 2" + fake + " 'sleep 0.02' 'sleep 0.04'",
      "microbench --seconds 0.01 --threads 1 --footprint 8 --intensities 1,8",
      "evaluate clocks --count 3 --sweep " + train,
      "evaluate boards",
      "evaluate pipeline",
      "evaluate predictors --sizes 8 --runs 1 --methods linear --sweep " + train,
      "evaluate references --profiles 4 --runs 1 --reference-rows 1 --reference-modes 10 --sweep " +
          train + " --sweep " + infer,
      "evaluate schedules --problems 4 --strategies random:10 --training-sweep " + train +
          " --inference-sweep " + infer,
      "evaluate strategies --only common --strategy random --seeds 1 --training-sweep " + train +
          " --inference-sweep " + infer,
  };
  return commands;
}

// label: slow
TEST_F(EveryTable, FitsTheTerminal) {
  for (const auto& command : commands()) {
    for (const std::size_t width : {80, 120}) {
      ::setenv("COLUMNS", std::to_string(width).c_str(), 1);
      const ProgramResult result = run_program(command);
      EXPECT_EQ(result.status, 0) << command << '\n' << result.output;
      std::size_t lines = 0;
      for (const auto& line : split(result.output, '\n')) {
        if (!of_a_table(line)) continue;
        ++lines;
        EXPECT_LE(columns_taken(line), width) << command << '\n' << line;
      }
      EXPECT_GE(lines, 2U) << command << '\n' << result.output;
    }
  }
}

// Every heading consists of words with the unit in parentheses, and no two columns have the same
// heading.
// label: slow
TEST_F(EveryTable, HasHeadingsForPeople) {
  for (const auto& command : commands()) {
    const ProgramResult result = run_program(command + " --wide --quiet");
    const auto lines = split(result.output, '\n');
    const auto heading = std::find_if(lines.begin(), lines.end(), of_a_table);
    ASSERT_NE(heading, lines.end()) << command << '\n' << result.output;
    EXPECT_THAT(result.output, Not(HasSubstr("hidden: "))) << command;
    std::set<std::string> seen;
    for (const auto& cell : cells_of(*heading)) {
      EXPECT_TRUE(seen.insert(cell).second) << command << ": twice " << cell;
      EXPECT_TRUE(command.starts_with("study") || cell.find('_') == std::string::npos)
          << command << '\n'
          << cell;
    }
  }
}

class TableOptions : public ::testing::Test {
 protected:
  static std::vector<std::string> lines_of(const std::string& arguments) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.output;
    auto lines = split(result.output, '\n');
    lines.pop_back();
    return lines;
  }
};

// label: slow
TEST_F(TableOptions, SortAndTopActOnTableAndCsv) {
  const auto first_of = [](const std::vector<std::string>& lines) {
    std::vector<std::string> names;
    for (std::size_t l = 1; l < lines.size(); ++l) names.push_back(split(lines[l], ',')[0]);
    return names;
  };
  // Cores of the top mode: 14 on Thor and 12 on the AGX Orin; the Nano has the fewest, four.
  const auto csv = first_of(lines_of("device list --format csv --quiet --sort -cores --top 2"));
  EXPECT_THAT(csv, ::testing::ElementsAre("thor", "agx-orin"));
  EXPECT_EQ(lines_of("device list --format csv --quiet --sort cpu_cores --top 1")[1].substr(0, 4),
            "nano");
  const auto table = lines_of("device list --wide --sort cores:desc --top 2");
  EXPECT_THAT(table[1], HasSubstr("thor"));
  EXPECT_EQ(table.back(), "2 of 22 rows");
}

// label: slow
TEST_F(TableOptions, WhatCannotBeIsRefusedInOneLine) {
  for (const std::string wrong : {"--sort color", "--top 0", "--top -1", "--top nan",
                                  "--format json --top 2", "--format json --sort cores"}) {
    const ProgramResult result = run_program("device list " + wrong);
    EXPECT_EQ(result.status, 2) << wrong << '\n' << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
  EXPECT_THAT(run_program("device list --sort color").output, HasSubstr("cpu_cores"));
}

// --columns knows the columns of the table and those of the CSV, in both formats.
TEST_F(TableOptions, ColumnsAreThoseOfTheTableAndOfTheCsv) {
  const std::string estimate = "estimate zoo:lenet5 --device agx-orin --modes presets",
                    llm = "llm zoo:smollm2-135m --device agx-orin --modes presets";
  for (const auto& [command, column, heading] :
       {std::tuple{estimate, "idle_w", "idle (W)"}, std::tuple{estimate, "bound", "bound by"},
        std::tuple{llm, "memory_gib", "memory (GiB)"},
        std::tuple{llm, "memory_bytes", "memory (bytes)"},
        std::tuple{llm, "provenance", "provenance"},
        std::tuple{std::string("tune zoo:lenet5 --device agx-orin"), "workload", "workload"}}) {
    const std::string line = command + " --quiet --columns " + column;
    const ProgramResult table = run_program(line), csv = run_program(line + " --format csv");
    EXPECT_EQ(table.status, 0) << line << '\n' << table.output;
    EXPECT_THAT(table.output, HasSubstr(heading)) << line;
    EXPECT_EQ(csv.status, 0) << line << '\n' << csv.output;
    EXPECT_THAT(csv.output, ::testing::StartsWith(std::string(column) + "\n"));
  }
  for (const std::string& command : {estimate, llm}) {
    for (const std::string option : {" --columns color", " --sort color"}) {
      const ProgramResult refused = run_program(command + " --quiet" + option);
      EXPECT_EQ(refused.status, 2);
      EXPECT_THAT(refused.output, ::testing::StartsWith("ridgewatt: "));  // before any output
    }
  }
}

TEST_F(TableOptions, WhatIsHiddenIsSaid) {
  ::setenv("COLUMNS", "80", 1);
  const std::string command = "estimate zoo:resnet50 --device agx-orin --modes maxn";
  EXPECT_THAT(run_program(command).output, HasSubstr("hidden: time from (ms)"));
  EXPECT_THAT(run_program(command).output, HasSubstr("--wide shows all"));
  const std::string wide = run_program(command + " --wide").output;
  EXPECT_THAT(wide, HasSubstr("energy to (J)"));
  EXPECT_THAT(wide, Not(HasSubstr("hidden")));
  ::unsetenv("COLUMNS");
}

// Layers are sorted by time on the terminal and by execution order in JSON. Shares and sums must
// add up.
TEST_F(TableOptions, LayersHaveSharesAndSums) {
  const std::string command = "estimate zoo:resnet18 --device agx-orin --modes maxn --per-layer";
  const Json json = Json::parse(run_program(command + " --format json").output);
  for (const char* group : {"layers", "by_operator", "by_block"}) {
    double share = 0;
    for (const auto& row : json[group]) share += row["time_share_pct"].get<double>();
    EXPECT_NEAR(share, 100, 1e-6) << group;
  }
  EXPECT_EQ(json["layers"][0]["layer"], "Conv_0");
  EXPECT_EQ(json["layers"].back()["op"], "Gemm");
  // Conv1, eight blocks of two convolutions, and three projections: 20 convolutions.
  EXPECT_EQ(json["by_operator"][0]["op"], "Conv");
  EXPECT_EQ(json["by_operator"][0]["layers"], 20);
  EXPECT_EQ(json["by_block"].size(), 9U);
  const auto lines = lines_of(command + " --wide");
  std::vector<double> shares;
  bool layers = false;
  for (const auto& line : lines) {
    const auto cells = cells_of(line);
    if (line.starts_with("Layers at")) layers = true;
    if (line.starts_with("By operator")) break;
    if (!layers || cells.size() != 11 || cells[0] == "layer") continue;
    shares.push_back(parse_double(cells[7]).value());
  }
  EXPECT_EQ(shares.size(), json["layers"].size());
  EXPECT_TRUE(std::is_sorted(shares.rbegin(), shares.rend()));
}

// The width of the terminal counts; $COLUMNS is ignored there.
TEST_F(TableOptions, TheTerminalTellsItsWidth) {
  const std::string program = (testing::build_folder() / "ridgewatt").string();
  for (const unsigned short width : {60, 200}) {
    winsize size{.ws_row = 24, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::setenv("COLUMNS", "100", 1);
      ::execl(program.c_str(), "ridgewatt", "device", "list", nullptr);
      ::_exit(127);
    }
    std::string output;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
      output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    EXPECT_EQ(status, 0);
    std::size_t longest = 0;
    for (const auto& line : split(output, '\n')) {
      longest = std::max(longest, columns_taken(std::string(trim(line))));
    }
    EXPECT_LE(longest, width);
    EXPECT_EQ(output.find("hidden: ") == std::string::npos, width == 200) << output;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
