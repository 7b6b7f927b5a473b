// Tests a file with sweeps of several boards and kinds: every command that reads a sweep lists
// them, and each printed name works if it is pasted back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_program;

class SeveralSweeps : public ::testing::Test {
 protected:
  // Inference on two boards, training on one of them, and inference modeled by a twin for two
  // runtimes.
  SeveralSweeps() {
    add("sweep example --device agx-orin --workload lenet5 --batch 1,4");
    add("sweep example --device orin-nano-8gb --workload lenet5 --batch 1,4");
    add("sweep example --device agx-orin --workload lenet5:training");
    std::vector<Sweep> all;
    for (const auto& path : parts_) {
      for (auto& sweep : read_sweeps(path)) all.push_back(std::move(sweep));
    }
    all[0].workload = all[1].workload = all[2].workload = "my net's";  // needs quotes in a shell
    all.push_back(all[0]);
    all.back().provenance = Provenance::kModelled;
    all.back().runtime = Runtime::kTensorRt;
    all.push_back(all.back());
    all.back().runtime = Runtime::kOnnxRuntime;
    file_ = folder_.write("all of them.csv", write_sweep_csv(all));
  }
  void add(const std::string& words) {
    parts_.push_back((folder_.path() / (std::to_string(parts_.size()) + ".csv")).string());
    const auto made = run_program(words + " -o '" + parts_.back() + "'");
    EXPECT_EQ(made.status, 0) << made.output;
  }

  // The names that a message lists, exactly as printed, with quotes.
  static std::vector<std::string> names_in(const std::string& message, const std::string& before) {
    std::vector<std::string> names;
    auto at = message.find(before);
    if (at == std::string::npos) return names;
    const std::string list = message.substr(at + before.size());
    std::string name;
    bool quoted = false;
    for (std::size_t i = 0; i < list.size() && (quoted || list[i] != '\n'); ++i) {
      const bool escape = !quoted && list[i] == '\\';
      if (escape) name += list[i++];
      if (!escape && list[i] == '\'') quoted = !quoted;
      if (!escape && !quoted && list[i] == ',') {
        names.push_back(std::exchange(name, ""));
        ++i;  // the blank
      } else {
        name += list[i];
      }
    }
    names.push_back(name);
    return names;
  }
  std::string quoted_file() const { return "'" + file_ + "'"; }

  testing::TemporaryFolder folder_;
  std::vector<std::string> parts_;
  std::string file_;
};

// label: slow
TEST_F(SeveralSweeps, NamesThatAMessagePrintsWorkInEveryCommandWithAnOption) {
  for (const std::string& command :
       {"tune --sweep " + quoted_file() + " --max-power 100",
        "tune --device replay:" + quoted_file() + " --max-power 100",
        "tune --samples " + quoted_file() + " --max-power 100",
        "predict --samples " + quoted_file() + " --query " + quoted_file(),
        "pareto --sweep " + quoted_file()}) {
    const auto asked = run_program(command + " --quiet");
    EXPECT_EQ(asked.status, 2) << command << asked.output;
    const auto names = names_in(asked.output, "--workload out of ");
    EXPECT_EQ(names.size(), 5u) << asked.output;
    for (const auto& name : names) {
      const auto answered = run_program(command + " --keep-outliers --quiet --workload " + name);
      EXPECT_EQ(answered.status, 0) << command << " --workload " << name << answered.output;
    }
    const auto wrong = run_program(command + " --quiet --workload nothing");
    EXPECT_EQ(names_in(wrong.output, "--workload out of "), names) << wrong.output;
  }
}

// label: slow
TEST_F(SeveralSweeps, NamesThatAMessagePrintsWorkInEveryCommandThatTakesAFile) {
  const std::string rate = " --arrival-rate 1 --max-latency 100000 --max-power 100";
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"schedule plan --inference-sweep ", rate},
           {"schedule simulate --duration 10 --inference-sweep ", rate}}) {
    const auto asked = run_program(before + quoted_file() + after + " --quiet");
    EXPECT_EQ(asked.status, 2) << before << asked.output;
    const auto names = names_in(asked.output, "write one of ");
    EXPECT_THAT(names, Not(IsEmpty())) << asked.output;
    for (const auto& name : names) {
      const auto answered = run_program(before + name + after + " --quiet");
      EXPECT_THAT(answered.output, Not(HasSubstr("sweeps of the file fit"))) << before << name;
      EXPECT_NE(answered.status, 2) << before << name << answered.output;
    }
  }
  const auto wrong = run_program("sweep check " + quoted_file() + "#nothing");
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_EQ(names_in(wrong.output, "write one of ").size(), 5u) << wrong.output;
}

TEST_F(SeveralSweeps, AFileMayHaveSuchAName) {
  const std::string odd = folder_.write("a#b.csv", read_file(parts_[0]));
  EXPECT_EQ(run_program("sweep check '" + odd + "'").status, 0);
}

// Another file with other values of a point adds repeats, and says so.
TEST(StoreImport, RowsThatDifferAreCounted) {
  const testing::TemporaryFolder folder;
  const std::string store = "store import " + (folder.path() / "s.db").string() + " ";
  const auto file = [&](const std::string& rows) {
    return folder.write("s.csv", "workload,kind,cpu_cores,time_ms,power_w\n" + rows);
  };
  const std::string first = file("a,training,12,10,40\na,training,12,12,42\n");
  EXPECT_THAT(run_program(store + first).output, Not(HasSubstr("other values")));
  EXPECT_THAT(run_program(store + first).output, Not(HasSubstr("other values")));
  EXPECT_THAT(run_program(store + file("a,training,12,30,40\na,training,8,9,9\n")).output,
              HasSubstr("that the store has with other values: 1 row"));
}

TEST(StoreImport, RowsOfAnotherBoardAreNoticed) {
  const testing::TemporaryFolder folder;
  const auto import = [&](const std::string& rows, const std::string& device) {
    return run_program(
        "store import " + (folder.path() / "s.db").string() + " " +
        folder.write("s.csv", "workload,kind,cpu_cores,board,time_ms,power_w\n" + rows) +
        " --device " + device);
  };
  const auto noticed = import("a,training,12,,10,40\n", "orin-nano");
  EXPECT_EQ(noticed.status, 0);
  EXPECT_THAT(noticed.output, HasSubstr("has clocks that board orin-nano-8gb lacks"));
  EXPECT_THAT(import("a,training,4,nano,10,40\n", "agx-orin").output,
              HasSubstr("the rows are of board nano, not of agx-orin"));
  EXPECT_EQ(import("a,training,12,fake:agx-orin,10,40\n", "agx-orin").status, 0);
  EXPECT_EQ(import("a,training,99,,10,40\n", "a-board-of-mine").status, 0);
  const std::string newer = folder.write(
      "n.csv", "workload,kind,gpu_mhz,time_ms,power_w\na,training,306,10,40\n");  // JetPack 5.1
  EXPECT_EQ(run_program("store import " + (folder.path() / "s.db").string() + " " + newer +
                        " --device agx-orin")
                .status,
            0);
}

// The energy of each row is a hundred times its time x power, so the quality check flags all rows.
TEST(SweepErrors, NameACommandThatRuns) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("my rows.csv",
                                        "cores,gpu,time_ms,power_w,energy_j\n"
                                        "4,306,100,30,300\n4,612,60,40,240\n");
  for (const std::string command : {"pareto '", "tune --sweep '"}) {
    const std::string error = run_program(command + file + "'").output;
    ASSERT_THAT(error, HasSubstr("flags 2 of 2 rows"));
    const auto begin = error.find("`ridgewatt ") + 11, end = error.find('`', begin);
    const auto check = run_program(error.substr(begin, end - begin));
    EXPECT_EQ(check.status, 0) << error << check.output;
    EXPECT_THAT(check.output, HasSubstr("2 of 2 rows flagged"));
  }
}

// `sweep` reads a misspelled subcommand as a file, and would refuse the file after it.
TEST(SweepErrors, NameTheMisspelledSubcommand) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", "time_ms,power_w\n1,2\n");
  EXPECT_EQ(run_program("sweep chek " + file).output,
            "ridgewatt: unknown command: chek: did you mean check?\n");
  EXPECT_THAT(run_program("sweep merge " + file).output, HasSubstr("unknown command: merge: see"));
  EXPECT_THAT(run_program("sweep " + file + " " + file).output,
              HasSubstr("unexpected argument: " + file));
}

}  // namespace
}  // namespace ridgewatt::cli
