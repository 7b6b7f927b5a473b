// Tests a campaign on fake boards with a file as store: killed, with a full disk, without the
// store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using testing::ProgramResult;
using testing::TemporaryFolder;

constexpr const char* kFast = " --settle 0 --idle 0 --window 3 --quiet ";

class CampaignCli : public ::testing::Test {
 protected:
  CampaignCli() {
    program_ = (testing::build_folder() / "ridgewatt").string();
    store_ = (folder_.path() / "points.db").string();
  }

  // A `campaign run` command of these points after one calibration point.
  std::string task(int points, const std::string& options = "") const {
    std::string words = "campaign run --campaign c1 --device fake:orin-nano --store '" + store_ +
                        "'" + kFast + options +
                        " --calibrate cal-0:cores=6,cpu=1510.4,gpu=624.75,mem=2133,batch=1";
    for (int i = 0; i < points; ++i) {
      words += " --point " + std::to_string(i) + ":cores=" + std::to_string(1 + i % 6) +
               ",gpu=624.75,batch=" + std::to_string(1 + i / 6);
    }
    return words + command();
  }
  std::string command() const {
    return " -- '" + program_ +
           "' fake-run zoo:lenet5 --batch {batch} --device fake:orin-nano --minibatches 60";
  }
  std::vector<store::FilledSlot> filled() const {
    return store::Store(store_, store::Database::Access::kReadOnly).filled_slots("c1/");
  }

  TemporaryFolder folder_;
  std::string program_, store_;
};

// label: board
TEST_F(CampaignCli, ATaskFillsItsSlotsOnce) {
  const auto first = testing::run_program(task(2));
  ASSERT_EQ(first.status, 0) << first.output;
  const auto again = testing::run_program("--format json " + task(2));
  ASSERT_EQ(again.status, 0) << again.output;
  const Json json = Json::parse(again.output);
  EXPECT_EQ(json["measured"], 0);
  EXPECT_EQ(json["skipped"], 3);
  const auto slots = filled();
  ASSERT_EQ(slots.size(), 3u);
  const std::string serial = json["serial"];
  EXPECT_FALSE(serial.empty());
  std::set<std::string> names;
  for (const auto& slot : slots) {
    names.insert(slot.slot);
    EXPECT_EQ(slot.series.serial, serial);
  }
  EXPECT_EQ(names, (std::set<std::string>{"c1/fake:orin-nano/0", "c1/fake:orin-nano/1",
                                          "c1/fake:orin-nano/cal-0/" + serial}));
}

// label: board
TEST_F(CampaignCli, APointThatCannotBeMeasuredIsSaidAndTheOthersAreHandedIn) {
  const auto failed = testing::run_program(
      "campaign run --campaign c1 --device fake:orin-nano --store '" + store_ + "'" + kFast +
      "--point 0:cores=6,batch=1 --point 1:cores=6,batch=2 -- sh -c 'test {batch} = 1 && exec \"" +
      program_ + "\" fake-run zoo:lenet5 --device fake:orin-nano --minibatches 60'");
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.output, HasSubstr("c1/fake:orin-nano/1"));
  ASSERT_EQ(filled().size(), 1u);
  EXPECT_EQ(filled()[0].slot, "c1/fake:orin-nano/0");
}

// label: board
TEST_F(CampaignCli, AStoreThatIsAwayLosesNothing) {
  const std::string store = store_;
  store_ = (folder_.path() / "mounted later/points.db").string();
  const auto away = testing::run_program(task(2));
  EXPECT_EQ(away.status, 75) << away.output;
  EXPECT_THAT(away.output, HasSubstr("are kept in the spool"));
  std::filesystem::create_directory(folder_.path() / "mounted later");
  const auto back = testing::run_program("--format json " + task(2));
  ASSERT_EQ(back.status, 0) << back.output;
  const Json json = Json::parse(back.output);
  EXPECT_EQ(json["measured"], 0);
  EXPECT_EQ(json["handed_in"], 3);
  EXPECT_EQ(filled().size(), 3u);
}

// The process may write files of at most 16 KiB, so the spool's first page does not fit.
// label: board
TEST_F(CampaignCli, AFullDiskIsTriedAgain) {
  const std::string line =
      "trap '' XFSZ; ulimit -f 16; exec '" + program_ + "' " + task(1) + " 2>&1";
  testing::run_program("sensors --quiet --device fake:orin-nano");  // creates the board's files
  FILE* pipe = popen(line.c_str(), "r");
  std::string output;
  char block[4096];
  while (const auto count = fread(block, 1, sizeof block, pipe)) output.append(block, count);
  const int status = pclose(pipe);
  EXPECT_EQ(WEXITSTATUS(status), 75) << output;
  const auto later = testing::run_program(task(1));
  EXPECT_EQ(later.status, 0) << later.output;
  EXPECT_EQ(filled().size(), 2u);
}

pid_t start(const std::string& line) {
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  execl("/bin/sh", "sh", "-c", ("exec " + line + " >/dev/null 2>&1").c_str(), nullptr);
  _exit(127);
}

// label: board
TEST_F(CampaignCli, TwoTasksOnABoardDoNotMeet) {
  const pid_t first = start("'" + program_ + "' " + task(12));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const auto second = testing::run_program(task(12));
  if (waitpid(first, nullptr, WNOHANG) == 0) {  // it ran all the time
    EXPECT_EQ(second.status, 75) << second.output;
    int status = 0;
    waitpid(first, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(filled().size(), 13u);
}

// label: board
TEST_F(CampaignCli, KilledAtAnyMomentItGoesOn) {
  const std::string mode = "mode show --device fake:orin-nano";
  const std::string before = testing::run_program(mode).output;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> delay_ms(50, 1500);
  for (int i = 0; i < 6; ++i) {
    const pid_t child = start("'" + program_ + "' " + task(12));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms(random)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ProgramResult end;
  for (int i = 0; i < 20; ++i) {  // the guardian of a killed run may still restore the mode
    end = testing::run_program("--format json " + task(12));
    if (end.status != 75) break;
  }
  ASSERT_EQ(end.status, 0) << end.output;
  const auto slots = filled();
  std::set<std::string> names;
  for (const auto& slot : slots) names.insert(slot.slot);
  EXPECT_EQ(slots.size(), 13u);
  EXPECT_EQ(names.size(), 13u);
  EXPECT_EQ(testing::run_program(mode).output, before);
}

// label: board
TEST_F(CampaignCli, FromPlanToSweep) {
  const std::string plan = (folder_.path() / "c1.json").string();
  const auto planned = testing::run_program(
      "campaign plan c1 --format json --seed 3 --store '" + store_ +
      "' --boards fake:orin-nano,fake:agx-orin:2 --sample 4 --batch 1,2 --calibration 2 --tasks 3 "
      "--model zoo:lenet5 --workload it\\'s" +
      kFast + "-o '" + plan + "' -- '" + program_ +
      "' fake-run zoo:lenet5 --batch {batch} --device {device} --minibatches 60");
  ASSERT_EQ(planned.status, 0) << planned.output;
  const Json kinds = Json::parse(planned.output)["kinds"];
  EXPECT_EQ(kinds[0]["points"], 8);
  EXPECT_EQ(kinds[0]["tasks"], 3);
  EXPECT_EQ(kinds[1]["boards"], 2);
  EXPECT_GT(kinds[1]["predicted_s"], 0);
  const auto dry = testing::run_program("campaign submit '" + plan + "' --dry-run");
  EXPECT_THAT(dry.output, HasSubstr("#SBATCH --gres=board:agx_orin:1"));
  EXPECT_THAT(dry.output, HasSubstr("--workload 'it'\\''s'"));
  const auto given = testing::run_program(
      "campaign submit '" + plan + "' --executor local --program '" + program_ + "' --format json");
  ASSERT_EQ(given.status, 0) << given.output;
  EXPECT_EQ(Json::parse(given.output)["jobs"].size(), 2u);
  EXPECT_EQ(testing::run_program("campaign submit '" + plan + "' --executor local").status, 2);
  const std::string submitted = read_file(plan);
  const auto again =
      testing::run_program("campaign plan c1 --store '" + store_ +
                           "' --boards fake:orin-nano --sample 1 -o '" + plan + "' -- true");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.output, HasSubstr("c1.json is the plan of a submitted campaign"));
  EXPECT_EQ(campaign::fingerprint_of(campaign::read_plan(plan)),
            campaign::fingerprint_of(campaign::parse_plan(submitted, plan)));
  const auto watched = testing::run_program("campaign watch '" + plan +
                                            "' --interval 0.3 --at-most 120 --quiet --format json");
  ASSERT_EQ(watched.status, 0) << watched.output;
  const Json standing = Json::parse(watched.output);
  EXPECT_EQ(standing["done"], 16);
  EXPECT_EQ(standing["complete"], true);
  EXPECT_EQ(standing["boards"].size(), 2u);
  EXPECT_EQ(standing["boards"][0]["calibration"], 2);
  const std::string csv = (folder_.path() / "c1.csv").string();
  ASSERT_EQ(testing::run_program("campaign collect '" + plan + "' -o '" + csv + "'").status, 0);
  const auto sweeps = read_sweeps(csv);
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].workload, "it's");
  const auto raw = testing::run_program("campaign collect '" + plan + "' --raw");
  EXPECT_EQ(std::count(raw.output.begin(), raw.output.end(), '\n'), 1 + 16 + 4);
}

// A plan that was not submitted may be replaced. Another file is replaced only if -o names it.
// label: board
TEST_F(CampaignCli, APlanReplacesNothingThatIsLost) {
  const auto here = std::filesystem::current_path();
  const auto plan = [&](const std::string& batch, const std::string& more) {
    std::filesystem::current_path(folder_.path());
    const auto run = testing::run_program(
        "campaign plan c1 --store points.db --boards "
        "fake:orin-nano --sample 1 --batch " +
        batch + more + " -- true {batch}");
    std::filesystem::current_path(here);
    return run;
  };
  const std::string path = (folder_.path() / "c1.json").string();
  for (const char* batch : {"1", "2"}) {
    ASSERT_EQ(plan(batch, "").status, 0);
    EXPECT_EQ(campaign::read_plan(path).boards[0].points[0].point.batch, batch[0] - '0');
  }
  folder_.write("c1.json", "{}");
  const auto refused = plan("1", "");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("c1.json is not a plan of a campaign"));
  EXPECT_EQ(read_file(path), "{}");
  EXPECT_EQ(plan("1", " -o c1.json").status, 0);
}

// The second plan has the first plan's name, one of its points, and another point.
// label: board
TEST_F(CampaignCli, ASecondPlanOfTheNameIsRefusedByEveryCommand) {
  const std::string first = (folder_.path() / "c1.json").string();
  const std::string second = (folder_.path() / "second.json").string();
  const auto plan = [&](const std::string& path, const std::string& batches) {
    return testing::run_program("campaign plan c1 --store '" + store_ +
                                "' --boards fake:orin-nano --sample 1 --seed 3 --batch " + batches +
                                " --calibration 0 --workload net" + kFast + "-o '" + path +
                                "' -- '" + program_ +
                                "' fake-run zoo:lenet5 --batch {batch} --device {device} "
                                "--minibatches 60");
  };
  ASSERT_EQ(plan(first, "1").status, 0);
  ASSERT_EQ(plan(second, "1,2").status, 0);
  const std::string local = " --executor local --program '" + program_ + "'";
  ASSERT_EQ(testing::run_program("campaign submit '" + first + "'" + local).status, 0);
  ASSERT_EQ(
      testing::run_program("campaign watch '" + first + "' --interval 0.2 --at-most 100 --quiet")
          .status,
      0);
  const std::string mine = campaign::fingerprint_of(campaign::read_plan(first));
  const std::string other = campaign::fingerprint_of(campaign::read_plan(second));
  for (const std::string& words :
       {"campaign submit '" + second + "'" + local, "campaign status '" + second + "'",
        "campaign collect '" + second + "'",
        "tune --campaign '" + second + "' --max-power 60" + local,
        "campaign run --campaign c1 --fingerprint " + other + " --device fake:orin-nano --store '" +
            store_ + "'" + kFast + "--point 0:cores=6,batch=1" + command()}) {
    const auto refused = testing::run_program(words);
    EXPECT_EQ(refused.status, 2) << words << refused.output;
    EXPECT_THAT(refused.output, HasSubstr(mine)) << words;
    EXPECT_THAT(refused.output, HasSubstr(other)) << words;
  }
  const auto by_hand = testing::run_program(task(1));
  EXPECT_EQ(by_hand.status, 2);
  EXPECT_THAT(by_hand.output, HasSubstr(mine));
  const auto listed = testing::run_program("campaign list '" + store_ + "' --format json");
  const Json rows = Json::parse(listed.output);
  EXPECT_THAT(listed.output, HasSubstr(mine));
  EXPECT_THAT(listed.output, HasSubstr("\"owner\""));
  EXPECT_EQ(filled().size(), 1u);
}

// A plan whose points another copy of it has measured: each command says where to go on.
// label: board
TEST_F(CampaignCli, APlanThatIsMeasuredSaysWhatToDoNext) {
  const std::string first = (folder_.path() / "c1.json").string();
  const std::string same = (folder_.path() / "same.json").string();
  for (const auto& path : {first, same}) {
    ASSERT_EQ(testing::run_program(
                  "campaign plan c1 --store '" + store_ +
                  "' --boards fake:orin-nano --sample 2 --seed 3 --batch 1 --calibration 0 "
                  "--workload net" +
                  kFast + "-o '" + path + "'" + command())
                  .status,
              0);
  }
  const std::string local = "' --executor local --program '" + program_ + "'";
  const auto watch = [](const std::string& path) {
    return testing::run_program("campaign watch '" + path + "' --interval 0.2 --at-most 100");
  };
  ASSERT_EQ(testing::run_program("campaign submit '" + first + local).status, 0);
  ASSERT_EQ(watch(first).status, 0);
  const auto submitted = testing::run_program("campaign submit '" + same + local);
  EXPECT_EQ(submitted.status, 0);
  EXPECT_THAT(submitted.output, HasSubstr("all points of the plan are measured (2): "
                                          "`ridgewatt campaign collect " +
                                          same));
  for (const char* next : {"resume", "watch", "status", "cancel", "collect", "boards"}) {
    const auto run = testing::run_program(std::string("campaign ") + next + " '" + same + "'");
    EXPECT_EQ(run.status, 0) << next << run.output;
  }
  EXPECT_THAT(testing::run_program("campaign submit '" + same + local + " --format json").output,
              HasSubstr("\"jobs\": []"));
  const auto rerun = [&](const std::string& rule) {
    return testing::run_program("campaign rerun '" + same + "' " + rule).output;
  };
  EXPECT_THAT(rerun("--older-than 30d"), HasSubstr("nothing was changed"));
  EXPECT_THAT(rerun("--older-than 0s"), HasSubstr("`campaign watch` submits"));
  const auto early = testing::run_program("campaign collect '" + same + "'");
  EXPECT_NE(early.status, 0);
  EXPECT_THAT(early.output, HasSubstr("every measured point is marked to be measured again (2)"));
  const auto kind_in = [&](const std::string& command) {
    const auto run =
        testing::run_program("--quiet campaign " + command + " '" + same + "' --format json");
    EXPECT_EQ(run.status, 0) << run.output;
    const Json result = Json::parse(run.output);
    const Json kind = result["kinds"][0];
    EXPECT_TRUE(kind["blocked"].is_null() || result["eta_s"].is_null()) << result;
    return kind;
  };
  EXPECT_THAT(std::string(kind_in("status")["blocked"]), HasSubstr("campaign resume"));
  EXPECT_TRUE(kind_in("resume")["blocked"].is_null());
  ASSERT_EQ(watch(same).status, 0);
  EXPECT_EQ(filled().size(), 4u);
  EXPECT_FALSE(std::filesystem::exists(same + ".lock"));
  const auto exported = testing::run_program("store export '" + store_ + "'");
  EXPECT_THAT(exported.output, HasSubstr("(`ridgewatt campaign rerun`): 2 measurements"));
  const auto points_in = [&](const std::string& command) {
    const auto run = testing::run_program("--quiet " + command + " '" + store_ + "' --format json");
    return Json::parse(run.output)["rows"][0]["points"];
  };
  EXPECT_EQ(points_in("store list"), 2);
  EXPECT_EQ(points_in("campaign list"), 2);
}

// A window of three minibatches has few samples of power.
// label: board
TEST_F(CampaignCli, FlagsLeaveTheStoreWithTheirPoints) {
  ASSERT_EQ(testing::run_program(task(2)).status, 0);
  std::size_t flagged = 0;
  for (const auto& slot : filled()) flagged += slot.flags.empty() ? 0 : 1;
  ASSERT_GT(flagged, 0u);
  const std::string csv = (folder_.path() / "c1.csv").string();
  const auto exported = testing::run_program("store export '" + store_ + "' -o '" + csv + "'");
  EXPECT_THAT(exported.output, HasSubstr("flagged when measured"));
  const auto checked = testing::run_program("sweep check '" + csv + "'");
  EXPECT_THAT(checked.output, HasSubstr(" on fake:orin-nano: "));
  EXPECT_THAT(checked.output, HasSubstr("flagged when measured"));
  const auto json = testing::run_program("sweep check '" + csv + "' --format json");
  const Json sweep = Json::parse(json.output)["rows"][0];
  EXPECT_EQ(sweep["flagged_when_measured"], flagged);
  EXPECT_EQ(sweep["board"], "fake:orin-nano");
}

// label: board
TEST_F(CampaignCli, AHungProgramIsEndedAndKeepsItsLastLines) {
  const auto hung = testing::run_program(
      "campaign run --campaign c1 --device fake:orin-nano --store '" + store_ + "'" + kFast +
      "--point 0:cores=6,batch=1,limit=1 --point 1:cores=6,batch=2 -- sh -c 'if test {batch} = 1; "
      "then echo loading weights; echo waiting >&2; sleep 100; fi; exec \"" +
      program_ + "\" fake-run zoo:lenet5 --device fake:orin-nano --minibatches 60'");
  EXPECT_EQ(hung.status, 1);
  EXPECT_THAT(hung.output, HasSubstr("longer than its limit of 1 s"));
  ASSERT_EQ(filled().size(), 1u);  // the other point was measured
  store::Store store(store_, store::Database::Access::kReadOnly);
  const auto failures = store.failures("c1/");
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].slot, "c1/fake:orin-nano/0");
  EXPECT_EQ(failures[0].output, "loading weights\nwaiting");
}

// The only board of its kind fails: it is set aside, the remaining points are not tried on it, and
// after the repair all points are measured.
// label: board
TEST_F(CampaignCli, ABoardThatFailsEveryPointIsSetAsideUntilItIsReadmitted) {
  const std::string plan = (folder_.path() / "c1.json").string();
  const std::string weights = (folder_.path() / "weights").string();
  ASSERT_EQ(testing::run_program("campaign plan c1 --store '" + store_ +
                                 "' --boards fake:orin-nano --sample 10 --calibration 0 --seed 3" +
                                 kFast + "-o '" + plan + "' -- sh -c 'cat \"" + weights +
                                 "\" && exec \"" + program_ +
                                 "\" fake-run zoo:lenet5 --device fake:orin-nano --minibatches 60'")
                .status,
            0);
  const std::string watch =
      "campaign watch '" + plan + "' --interval 0.2 --at-most 100 --quiet --format json";
  testing::run_program("campaign submit '" + plan + "' --executor local --program '" + program_ +
                       "' --set-aside 2");
  const auto failed = testing::run_program(watch);
  EXPECT_EQ(failed.status, 1) << failed.output;
  EXPECT_THAT(failed.output, HasSubstr("set aside after"));
  const Json standing = Json::parse(failed.output.substr(0, failed.output.rfind('}') + 1));
  EXPECT_TRUE(standing["eta_s"].is_null());
  ASSERT_FALSE(standing["failed_points"].empty());
  EXPECT_THAT(std::string(standing["failed_points"][0]["output"]), HasSubstr("weights"));
  const auto boards = testing::run_program("campaign boards '" + plan + "' --format json");
  const Json board = Json::parse(boards.output)["boards"][0];
  EXPECT_EQ(board["state"], "set aside");
  EXPECT_GE(board["in_a_row"], 2);
  EXPECT_LT(board["failures"], 10) << "the other points were not tried on it";
  folder_.write("weights", "");
  const std::string serial = board["serial"];
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // times are in whole seconds
  const auto readmitted =
      testing::run_program("campaign boards '" + plan + "' --readmit '" + serial + "'");
  EXPECT_EQ(readmitted.status, 0) << readmitted.output;
  const auto done = testing::run_program(watch);
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_EQ(filled().size(), 10u);
  // Measured points are planned again and measured again.
  EXPECT_EQ(testing::run_program("campaign rerun '" + plan + "'").status, 2);
  EXPECT_EQ(testing::run_program("campaign rerun '" + plan + "' --board '" + serial + "'").status,
            0);
  EXPECT_EQ(testing::run_program(watch).status, 0);
  EXPECT_EQ(filled().size(), 20u);
  const auto raw = testing::run_program("campaign collect '" + plan + "' --raw");
  EXPECT_EQ(std::count(raw.output.begin(), raw.output.end(), '\n'), 1 + 10);
}

// label: board
TEST_F(CampaignCli, WhatFailsForGoodIsNotTriedForever) {
  const std::string plan = (folder_.path() / "c1.json").string();
  ASSERT_EQ(testing::run_program("campaign plan c1 --store '" + store_ +
                                 "' --boards fake:orin-nano --sample 1 --calibration 0" + kFast +
                                 "-o '" + plan + "' -- sh -c 'echo no weights >&2; exit 3'")
                .status,
            0);
  testing::run_program("campaign submit '" + plan + "' --executor local --program '" + program_ +
                       "'");
  const auto watched = testing::run_program("campaign watch '" + plan +
                                            "' --interval 0.2 --attempts 2 --at-most 100 --quiet");
  EXPECT_EQ(watched.status, 1) << watched.output;
  EXPECT_THAT(watched.output, HasSubstr("1 of 1 point is missing"));
  EXPECT_THAT(watched.output, HasSubstr("the command ended with status 3"));
  EXPECT_EQ(campaign::read_plan(plan).jobs.size(), 2u);
  EXPECT_EQ(testing::run_program("campaign cancel '" + plan + "'").status, 0);
  EXPECT_TRUE(campaign::read_plan(plan).jobs.empty());
}

}  // namespace
}  // namespace ridgewatt::cli
