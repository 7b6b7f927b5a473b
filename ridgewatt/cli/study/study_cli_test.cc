// Tests ridgewatt study: resumed, rejected before the first run, and run on a fake board.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/study/study.h"
#include "ridgewatt/study/study_bench.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A study that writes a line per run.
std::string counting_study(const testing::TemporaryFolder& folder) {
  return folder.write("count.toml", "name = \"count\"\nrepeats = 3\ncommand = \"echo {a} >> " +
                                        (folder.path() / "lines").string() +
                                        "\"\n[[factor]]\nname = \"a\"\nlevels = [1, 2, 3]\n");
}

TEST(StudyCommand, AnInterruptedStudyGoesOnWithoutRepeatingARun) {
  const testing::TemporaryFolder folder;
  const std::string command = "study " + counting_study(folder) +
                              " --quiet --format json --store " + (folder.path() / "s.db").string();
  const auto lines = [&] {
    const std::string text = read_file((folder.path() / "lines").string());
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto first = testing::run_program(command + " --max-runs 4");
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(lines(), 4);
  EXPECT_THAT(first.output, HasSubstr("4 of 9 runs; repeat the command to continue"));
  const auto result = testing::run_program(command);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(lines(), 9);
  EXPECT_EQ(Json::parse(result.output)["runs"], 9);
  EXPECT_THAT(result.output, Not(HasSubstr("of 9 runs")));
  testing::run_program(command);
  EXPECT_EQ(lines(), 9);  // no run remains
}

// What a program printed after SIGINT to it and its children, and the signal that ended it.
struct Interrupted {
  int signal = 0;
  std::string output;
};

// Interrupts the program once the file `begun` exists.
Interrupted interrupted(const testing::TemporaryFolder& folder, const std::string& command,
                        const std::string& begun) {
  const std::string output = (folder.path() / "output").string();
  const std::string line = "exec '" + (testing::build_folder() / "ridgewatt").string() + "' " +
                           command + " >'" + output + "' 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (!std::filesystem::exists(begun) && waitpid(child, &status, WNOHANG) == 0) usleep(10'000);
  kill(-child, SIGINT);
  waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, read_file(output)};
}

TEST(StudyCommand, AnInterruptEndsItAtOnceAndSaysHowToGoOn) {
  const testing::TemporaryFolder folder;
  const std::string begun = (folder.path() / "begun").string();
  const std::string wait = "touch " + begun + "; sleep 100";
  const std::string head = "name = \"w\"\nrepeats = 2\n", command = "command = \"echo {a}\"\n",
                    factor = "[[factor]]\nname = \"a\"\nlevels = [1, 2]\n";
  // Two runs are done before the third one, or what comes before it, waits.
  const std::string lines = (folder.path() / "lines").string();
  const std::string third =
      "echo {a} >> " + lines + "; if test $(wc -l < " + lines + ") -ge 3; then " + wait + "; fi";
  const std::string store = " --store " + (folder.path() / "s.db").string();
  const std::string kept = "interrupted: 2 of 4 runs; repeat the command to continue";
  struct Case {
    std::string study, options, said;
  };
  for (const auto& [study, options, said] :
       {Case{head + "command = \"" + third + "\"\n", store, kept},
        Case{head + "command = \"" + third + "\"\n", "", "keep the runs with --store FILE"},
        Case{head + command + "before = \"" + third + "\"\n", " --repeats 2" + store, kept},
        Case{head + command + "setup = \"" + wait + "\"\n", store, ""},
        Case{head + command + "check = \"" + wait + "\"\nfallback = \"true {a}\"\n", store, ""}}) {
    for (const char* left : {"begun", "lines", "s.db"}) {
      std::filesystem::remove(folder.path() / left);
    }
    const auto end = interrupted(
        folder, "study " + folder.write("w.toml", study + factor) + " --quiet" + options, begun);
    EXPECT_EQ(end.signal, SIGINT) << study << end.output;
    EXPECT_THAT(end.output, HasSubstr(said)) << study;
  }
}

// label: board
TEST(StudyCommand, AnInterruptedProfileRestoresTheModeAndSaysHowToGoOn) {
  const testing::TemporaryFolder folder;
  const std::string begun = (folder.path() / "begun").string();
  const std::string show = "mode show --device fake:agx-orin",
                    before = testing::run_program(show).output;
  const auto end = interrupted(folder,
                               "profile '" + (folder.path() / "p.db").string() +
                                   "' --device fake:agx-orin --sample 3 --settle 0 --idle 0 -- sh "
                                   "-c 'touch " +
                                   begun + "; sleep 100'",
                               begun);
  EXPECT_EQ(end.signal, SIGINT) << end.output;
  EXPECT_THAT(end.output, HasSubstr("interrupted: finished points are kept in"));
  EXPECT_THAT(end.output, HasSubstr("p.db; repeat the command to continue"));
  EXPECT_EQ(testing::run_program(show).output, before);
}

// label: board
TEST(StudyCommand, OfAnInterruptedMeasurementNothingIsKept) {
  const testing::TemporaryFolder folder;
  const std::string begun = (folder.path() / "begun").string();
  const std::string wait = "touch " + begun + "; sleep 100";
  for (const std::string& command :
       {"measure --device fake:agx-orin --idle 0 -- sh -c '" + wait + "'",
        "compare --device fake:agx-orin --pause 0 '" + wait + "' true",
        "soak --device fake:agx-orin --mode MODE_15W --idle 0 -- sh -c '" + wait + "'"}) {
    std::filesystem::remove(begun);
    const auto end = interrupted(folder, command, begun);
    EXPECT_EQ(end.signal, SIGINT) << command << end.output;
    EXPECT_THAT(end.output, HasSubstr("interrupted: nothing is kept")) << command;
  }
}

// label: board
TEST(StudyCommand, AnInterruptedGovernorRestoresTheModeAndNamesItsLog) {
  const testing::TemporaryFolder folder;
  const std::string begun = (folder.path() / "begun").string(), log = begun + ".csv";
  const std::string show = "mode show --device fake:agx-orin",
                    before = testing::run_program(show).output;
  const std::string program = " -- sh -c 'touch " + begun + "; sleep 100'";
  for (const auto& [goal, said] :
       {std::pair("--max-power 20 --model zoo:lenet5 --idle 0 --log " + log,
                  "; the decisions so far are in " + log),
        std::pair(std::string("--phase-mode a=MODE_15W"), std::string("\n"))}) {
    std::filesystem::remove(begun);
    const auto end = interrupted(folder, "govern --device fake:agx-orin " + goal + program, begun);
    EXPECT_EQ(end.signal, SIGINT) << goal << end.output;
    EXPECT_THAT(end.output, HasSubstr("interrupted: the original mode is restored" + said));
    EXPECT_EQ(testing::run_program(show).output, before) << goal;
  }
}

TEST(StudyCommand, EveryFormatSaysThatRunsAreLeft) {
  const testing::TemporaryFolder folder;
  for (const char* format : {"table", "csv", "json"}) {
    const auto result = testing::run_program("study " + counting_study(folder) +
                                             " --max-runs 6 --format " + format);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output,
                HasSubstr("6 of 9 runs; to continue later, keep the runs with --store FILE"));
  }
}

// label: board
TEST(StudyCommand, TheCsvHasWorkloadAndKindLikeOtherCommands) {
  const testing::TemporaryFolder folder;
  const std::string sweep = (folder.path() / "sweep.csv").string();
  ASSERT_EQ(testing::run_program("sweep example --workload resnet18:training -o " + sweep).status,
            0);
  const auto result = testing::run_program("study frequency --quiet --format csv --sweep " + sweep);
  ASSERT_EQ(result.status, 0) << result.output;
  const CsvTable table = parse_csv(result.output, "study");
  ASSERT_FALSE(table.rows.empty());
  for (const auto& row : table.rows) {
    EXPECT_EQ(row[table.require_column("workload")], "resnet18");
    EXPECT_EQ(row[table.require_column("kind")], "training");
  }
}

TEST(StudyCommand, AFactorThatCannotBeSetIsNamedBeforeTheFirstRun) {
  const testing::TemporaryFolder folder;
  const std::string touched = (folder.path() / "ran").string();
  const std::string head = "name = \"n\"\ncommand = \"touch " + touched + "\"\n[[factor]]\n";
  const auto refused = [&](const std::string& factor) {
    const auto result = testing::run_program("study " + folder.write("n.toml", head + factor) +
                                             " --sysroot " + folder.path().string());
    EXPECT_NE(result.status, 0);
    EXPECT_FALSE(std::filesystem::exists(touched));
    return result.output;
  };
  EXPECT_THAT(refused("name = \"gpu_mhz\"\nlevels = 3\n"),
              HasSubstr("factor 'gpu_mhz' cannot be set"));
  EXPECT_THAT(refused("name = \"color\"\nlevels = [1]\n"),
              HasSubstr("factor 'color' cannot be set"));
  const auto needs = testing::run_program(
      "study " +
      folder.write("needs.toml", "needs = [\"no-such-program\"]\nname = \"n\"\ncommand = \"touch " +
                                     touched + " {a}\"\n[[factor]]\nname = \"a\"\nlevels = [1]\n"));
  EXPECT_THAT(needs.output, HasSubstr("needs no-such-program"));
  EXPECT_FALSE(std::filesystem::exists(touched));
}

// label: board
TEST(StudyCommand, ASweepHasItsOwnLevels) {
  for (const char* words : {"--levels gpu_mhz=1,2", "--repeats 5", "--set model=zoo:lenet5"}) {
    const auto run = testing::run_program(std::string("study frequency --sweep no.csv ") + words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_THAT(run.output, HasSubstr("has no effect with --sweep"));
  }
}

// Each setting of a board in a shipped study, with a level that no board has.
// label: board
TEST(StudyCommand, LevelsOfABoardAreCheckedByThePlan) {
  for (const auto& name : study::list_studies()) {
    const study::Study shipped = study::load_study(name);
    for (const auto& factor : shipped.factors) {
      if (!study::is_board_factor(factor.name)) continue;
      for (const char* level : {"0", "-1", "no-such-level", ""}) {
        const std::string line = "study " + name + " --device fake:agx-orin --plan --levels " +
                                 factor.name + "=" + level;
        const auto run = testing::run_program(line);
        EXPECT_NE(run.status, 0) << line << run.output;
        EXPECT_THAT(run.output, HasSubstr("factor '" + factor.name + "'")) << line;
      }
    }
  }
  const auto batch = testing::run_program("study batch --plan --levels batch=0");
  EXPECT_EQ(batch.status, 2);
  EXPECT_THAT(batch.output, HasSubstr("factor 'batch' of study batch has the level '0', which must"
                                      " be a whole number from 1 to"));
}

TEST(StudyCommand, LevelsOfABoardAscend) {
  const testing::TemporaryFolder folder;
  setenv("RIDGEWATT_FAKE", (folder.path() / "fake").c_str(), 1);
  const auto plan =
      testing::run_program("study cores --device fake:agx-orin --plan --quiet --format json");
  study::Study study = study::load_study("cores");
  study.parameters["ridgewatt"] = "ridgewatt";
  study.parameters["device"] = "fake:agx-orin";
  const platform::LocalDevice device = platform::open_local_device("fake:agx-orin");
  study::CommandBench(device, {.state_folder = (folder.path() / "state").string()}).prepare(study);
  unsetenv("RIDGEWATT_FAKE");
  // Sorted as numbers, not as text: 5 comes before 12.
  const auto& levels = study.factors.at(0).levels;
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end(), [](const auto& a, const auto& b) {
    return std::stoi(a) < std::stoi(b);
  }));
  ASSERT_EQ(plan.status, 0) << plan.output;
  std::set<int> cores;
  const Json runs = Json::parse(plan.output);
  for (const auto& run : runs["rows"]) {
    cores.insert(std::stoi(run["cpu_cores"].get<std::string>()));
  }
  EXPECT_EQ(cores.size(), 4u);
  EXPECT_EQ(*cores.begin(), 1);
  EXPECT_EQ(*cores.rbegin(), 12);  // an Orin has 12 cores
}

// label: board
TEST(StudyCommand, FakeBoardIsSetAndMeasured) {
  const testing::TemporaryFolder folder;
  setenv("RIDGEWATT_FAKE", (folder.path() / "fake").c_str(), 1);
  const auto result = testing::run_program(
      "study frequency --device fake:agx-orin --repeats 2 --settle 0.05 --levels gpu_mhz=min,max "
      "--levels cpu_mhz=mid,max --quiet --format json --state-dir " +
      folder.path().string());
  unsetenv("RIDGEWATT_FAKE");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["provenance"], "fake");
  EXPECT_EQ(json["runs"], 8);
  for (const auto& row : json["effects"]) {
    if (row["factor"] == "gpu_mhz" && row["response"] == "minibatch_s") {
      EXPECT_LT(row["ratio"], 0.8);  // 306 to 1300 MHz, on a machine that may be busy
    }
  }
}

// 306 and 1300.5 MHz are the lowest and the highest GPU clock of the Orin.
// label: board
TEST(StudyCommand, FakeBoardTellsWhatGovernorsChose) {
  const testing::TemporaryFolder folder;
  setenv("RIDGEWATT_FAKE", (folder.path() / "fake").c_str(), 1);
  const auto result = testing::run_program(
      "study " +
      folder.write("g.toml",
                   "name = \"g\"\nrepeats = 2\ncommand = \"sleep 0.2\"\n"
                   "responses = [\"gpu_clock_hz\", \"cpu_clock_hz\"]\n[[factor]]\n"
                   "name = \"gpu_governor\"\nlevels = [\"performance\", \"powersave\"]\n") +
      " --device fake:agx-orin --settle 0.05 --quiet --format json --state-dir " +
      folder.path().string());
  unsetenv("RIDGEWATT_FAKE");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  std::set<std::string> responses;
  for (const auto& row : json["effects"]) {
    responses.insert(row["response"].get<std::string>());
    if (row["response"] == "gpu_clock_hz") {
      EXPECT_NEAR(row["ratio"].get<double>(), 306 / 1300.5, 1e-3);
    }
  }
  EXPECT_EQ(responses, (std::set<std::string>{"gpu_clock_hz", "cpu_clock_hz"}));
}

}  // namespace
}  // namespace ridgewatt::cli
