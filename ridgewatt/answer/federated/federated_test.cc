#include "ridgewatt/answer/federated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

using Boards = std::vector<std::vector<RoundOption>>;

RoundOption option(double time_s, double energy_j, double idle_power_w) {
  return {{}, time_s, energy_j, idle_power_w};
}

Boards random_boards(Random& random) {
  Boards boards(1 + random.below(4));
  for (auto& options : boards) {
    options.resize(1 + random.below(5));
    for (auto& one : options) {
      // Whole numbers, so that equal times and equal energies occur.
      one = option(1.0 + static_cast<double>(random.below(12)),
                   static_cast<double>(random.below(40)), static_cast<double>(random.below(4)));
    }
  }
  return boards;
}

// Tries every choice. A round may also end after its last board.
double brute_force_j(const Boards& boards, double time_s) {
  double least_j = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> choices(boards.size(), 0);
  const std::function<void(std::size_t)> choose = [&](std::size_t board) {
    if (board == boards.size()) {
      double energy_j = 0;
      for (std::size_t i = 0; i < boards.size(); ++i) {
        const RoundOption& one = boards[i][choices[i]];
        energy_j += one.energy_j + one.idle_power_w * (time_s - one.time_s);
      }
      least_j = std::min(least_j, energy_j);
      return;
    }
    for (choices[board] = 0; choices[board] < boards[board].size(); ++choices[board]) {
      if (boards[board][choices[board]].time_s <= time_s) choose(board + 1);
    }
  };
  choose(0);
  return least_j;
}

TEST(FederatedRound, IsTheBestOfAllChoices) {
  Random random(41);
  for (int trial = 0; trial < 400; ++trial) {
    const Boards boards = random_boards(random);
    const std::vector<Round> front = round_front(boards);
    double first_s = 0;
    for (const auto& options : boards) {
      first_s = std::max(
          first_s,
          std::min_element(options.begin(), options.end(), [](const auto& a, const auto& b) {
            return a.time_s < b.time_s;
          })->time_s);
    }
    EXPECT_EQ(front.front().time_s, first_s);
    // At every quarter of a second, the best round that has ended by then must be the best of all.
    double best_j = std::numeric_limits<double>::infinity();
    for (double time_s = first_s; time_s <= 14; time_s += 0.25) {
      best_j = std::min(best_j, brute_force_j(boards, time_s));
      const Round* ended = nullptr;
      for (const auto& round : front) {
        if (round.time_s <= time_s) ended = &round;
      }
      ASSERT_NE(ended, nullptr);
      EXPECT_NEAR(ended->energy_j, best_j, 1e-9) << "trial " << trial << " at " << time_s << " s";
    }
    for (std::size_t i = 0; i < front.size(); ++i) {
      EXPECT_NEAR(round_of(boards, front[i].choices).energy_j, front[i].energy_j, 1e-9);
      EXPECT_EQ(round_of(boards, front[i].choices).time_s, front[i].time_s);
      if (i > 0) {
        EXPECT_GT(front[i].time_s, front[i - 1].time_s);
        EXPECT_LT(front[i].energy_j, front[i - 1].energy_j);
      }
    }
  }
}

TEST(FederatedRound, HandComputed) {
  // A fast board with three modes, and a slow one with two. In the round of 10 s, the fast board's
  // middle mode costs 30 + 2 x 4 = 38 J. Its fastest mode costs 60 + 2 x 7 J, and its slowest mode
  // (24 J) does not end in time.
  const Boards boards = {{option(3, 60, 2), option(6, 30, 2), option(12, 24, 2)},
                         {option(10, 50, 1), option(14, 40, 1)}};
  const std::vector<Round> front = round_front(boards);
  ASSERT_EQ(front.size(), 3u);
  EXPECT_EQ(front[0].time_s, 10);
  EXPECT_EQ(front[0].energy_j, 38 + 50);
  EXPECT_EQ(front[0].choices, (std::vector<std::size_t>{1, 0}));
  // 12 s: the fast board uses its slowest mode, and the slow board waits 2 s at 1 W.
  EXPECT_EQ(front[1].time_s, 12);
  EXPECT_EQ(front[1].energy_j, 24 + 50 + 2);
  // 14 s: the fast board waits 2 s at 2 W.
  EXPECT_EQ(front[2].time_s, 14);
  EXPECT_EQ(front[2].energy_j, 24 + 4 + 40);
  EXPECT_EQ(front[2].choices, (std::vector<std::size_t>{2, 1}));
}

TEST(FederatedRound, WaitingThatCostsEndsRoundsEarly) {
  // The slow mode saves 5 J, but the other board then waits 10 s longer at 1 W.
  const Boards dear = {{option(10, 20, 1)}, {option(10, 20, 1), option(20, 15, 1)}};
  EXPECT_EQ(round_front(dear).size(), 1u);
  const Boards cheap = {{option(10, 20, 0.1)}, {option(10, 20, 1), option(20, 15, 1)}};
  EXPECT_EQ(round_front(cheap).back().time_s, 20);
  EXPECT_NEAR(round_front(cheap).back().energy_j, 20 + 1 + 15, 1e-12);
}

TEST(FederatedRound, BadOptionsAreRefused) {
  EXPECT_THROW(round_front({}), UsageError);
  EXPECT_THROW(round_front({{}}), UsageError);
  EXPECT_THROW(round_front({{option(1, -1, 0)}}), UsageError);
  EXPECT_THROW(round_front({{option(std::nan(""), 1, 0)}}), UsageError);
  EXPECT_THROW(round_of({{option(1, 1, 0)}}, {}), UsageError);
}

TEST(FederatedBoards, SpecsAndFilesSayTheSame) {
  const FederatedBoard board =
      parse_federated_board("A=agx-orin,samples=5000,upload=2.5,upload-energy=7,idle=6");
  EXPECT_EQ(board.name, "A");
  EXPECT_EQ(board.device, "agx-orin");
  EXPECT_EQ(board.samples, 5000);
  EXPECT_EQ(board.idle_power_w, 6);
  EXPECT_EQ(parse_federated_board(
                "A=agx-orin,samples=5000,upload=2500ms,upload-energy=0.007kJ,idle=6000mW"),
            board);
  EXPECT_THROW(parse_federated_board("A=agx-orin,samples=5000,upload=2.5W"), UsageError);
  const auto boards = parse_federated_boards(
      "name,device,samples,upload_s,upload_j,idle_w\nA,agx-orin,5000,2.5,7,6\nB,nano,800,,,\n",
      "boards.csv");
  ASSERT_EQ(boards.size(), 2u);
  EXPECT_EQ(boards[0], board);
  EXPECT_EQ(boards[1], parse_federated_board("B=nano,samples=800"));
}

TEST(FederatedBoards, DamagedInputIsNamed) {
  for (const char* text :
       {"", "A", "A=", "=nano", "A=nano", "A=nano,samples=0", "A=nano,samples=nan",
        "A=nano,samples=1.5", "A=nano,samples=5,idle=-1", "A=nano,samples=5,upload=inf",
        "A=nano,samples=5,colour=red", "A=nano,samples=5,sweep="}) {
    EXPECT_THROW(parse_federated_board(text), UsageError) << text;
  }
  for (const char* text :
       {"", "name,device\nA,nano\n", "name,device,samples\n", "name,device,samples\nA,nano,\n",
        "name,device,samples\n,nano,5\n", "name,device,samples\nA,nano,nan\n",
        "name,device,samples\nA,nano,5\nA,nano,6\n", "name,device,samples,idle_w\nA,nano,5,-2\n",
        "name,device,samples\nA,nano\n"}) {
    EXPECT_THROW(parse_federated_boards(text, "boards.csv"), InputError) << text;
  }
}

class FederatedOnTwins : public ::testing::Test {
 protected:
  std::shared_ptr<const workload::DeployedWorkload> lenet_ =
      std::make_shared<const workload::DeployedWorkload>(
          "zoo:lenet5", workload::DeployOptions{.kind = WorkloadKind::kTraining});
};

// label: slow
TEST_F(FederatedOnTwins, PartsAddUpAndBeatFixedModes) {
  FederatedQuestion question;
  question.boards = {parse_federated_board("A=agx-orin,samples=5000"),
                     parse_federated_board("B=nano,samples=4000,upload=3,upload-energy=2"),
                     parse_federated_board("C=xavier-nx,samples=3000,idle=2.5")};
  const FederatedAnswer found = federated_round(question, lenet_);
  EXPECT_LE(found.fastest.time_s, found.all_highest.time_s);
  EXPECT_LE(found.fastest.energy_j, found.all_highest.energy_j);
  EXPECT_LE(found.least_energy.energy_j, found.fastest.energy_j);
  EXPECT_LE(found.least_energy.energy_j, found.all_default.energy_j);
  ASSERT_EQ(found.parts.size(), 3u);
  double energy_j = 0;
  for (const auto& part : found.parts) {
    EXPECT_NEAR(part.option.time_s + part.wait_s, found.least_energy.time_s, 1e-9);
    EXPECT_GE(part.wait_s, 0);
    EXPECT_LT(part.time_lo_s, part.option.time_s);
    EXPECT_GT(part.energy_hi_j, part.option.energy_j);
    energy_j += part.energy_j;
  }
  EXPECT_NEAR(energy_j, found.least_energy.energy_j, 1e-6);
  EXPECT_EQ(found.parts[2].option.idle_power_w, 2.5);
  // A board's part is the twin's cost of its minibatches, plus the upload.
  const twin::Twin nano = twin::load_twin(load_board("nano"));
  const twin::TwinModel model(nano, lenet_, twin::RunOptions{4, {}}, 16);
  const auto cost = model({found.parts[1].option.mode, 16});
  EXPECT_NEAR(found.parts[1].option.time_s, 250 * cost.period_s + 3, 1e-9);
  EXPECT_NEAR(found.parts[1].option.energy_j,
              250 * cost.energy_j() + 2 + 3 * found.parts[1].option.idle_power_w, 1e-9);

  question.deadline_s = 1.2 * found.fastest.time_s;
  const FederatedAnswer in_time = federated_round(question, lenet_);
  EXPECT_LE(in_time.chosen().time_s, *question.deadline_s);
  EXPECT_GE(in_time.chosen().energy_j, found.least_energy.energy_j);
  question.deadline_s = 0.9 * found.fastest.time_s;
  EXPECT_THROW(federated_round(question, lenet_), NoSolutionError);
}

TEST_F(FederatedOnTwins, OneBoardIsTheSearchOfItsOwnModes) {
  FederatedQuestion question;
  question.boards = {parse_federated_board("A=nano,samples=1600,idle=0")};
  const FederatedAnswer found = federated_round(question, lenet_);
  const Board board = load_board("nano");
  const twin::TwinModel model(twin::load_twin(board), lenet_, twin::RunOptions{4, {}}, 16);
  double least_j = std::numeric_limits<double>::infinity();
  for (const auto& mode : knob_space(board).modes()) {
    least_j = std::min(least_j, 100 * model({mode, 16}).energy_j());
  }
  EXPECT_NEAR(found.least_energy.energy_j, least_j, 1e-9 * least_j);
  EXPECT_FALSE(found.without_stragglers_s);
}

// Repeated rows are averaged, flagged rows are not used, and each sweep applies to the board for
// which it was given.
TEST_F(FederatedOnTwins, SweepsAreTakenAsOtherAnswersTakeThem) {
  const testing::TemporaryFolder folder;
  std::string rows =
      "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,workload,kind,batch,time_ms,power_w,board\n";
  for (int mhz = 100; mhz <= 900; mhz += 20) {
    const double time_ms = mhz == 500 ? 100 : 1e6 / mhz;  // one row is ten times too fast
    rows += fmt::format("4,1479,{},1600,net,training,16,{},5,nano\n", mhz, time_ms);
    rows += fmt::format("4,1479,{},1600,net,training,16,{},5,nano\n", mhz, 1.02 * time_ms);
  }
  rows += "4,1479,900,1600,net,inference,16,1,1,nano\n";
  const std::string path = folder.write("net.csv", rows);
  FederatedQuestion question;
  question.boards = {parse_federated_board("S=nano,samples=160,idle=1,sweep=" + path)};
  const FederatedAnswer found = federated_round(question, nullptr);
  EXPECT_NEAR(found.fastest.time_s, 10 * 1.01 * 1e3 / 900, 1e-9);
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_NE(found.remarks[0].find("2 of 82 rows"), std::string::npos) << found.remarks[0];
  question.keep_outliers = true;
  EXPECT_NEAR(federated_round(question, nullptr).fastest.time_s, 10 * 1.01 * 0.1, 1e-9);
  question.boards = {parse_federated_board("S=agx-orin,samples=160,idle=1,sweep=" + path)};
  EXPECT_THROW(federated_round(question, nullptr), InputError);
}

TEST_F(FederatedOnTwins, StragglersAreNamedAndSweepsAreTaken) {
  const testing::TemporaryFolder folder;
  folder.write("slow.csv",
               "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,workload,kind,batch,time_ms,power_w\n"
               "4,1479,921.6,1600,net,training,16,1000,6\n"
               "4,1479,460.8,1600,net,training,16,2000,4\n"
               "4,1479,460.8,1600,net,training,8,1,1\n");
  FederatedQuestion question;
  question.boards = {parse_federated_board("A=agx-orin,samples=1600"),
                     parse_federated_board(fmt::format("S=nano,samples=1600,idle=1,sweep={}",
                                                       (folder.path() / "slow.csv").string()))};
  const FederatedAnswer found = federated_round(question, lenet_);
  EXPECT_EQ(found.fastest.time_s, 100);  // 100 minibatches of one second
  EXPECT_FALSE(found.parts[0].straggler);
  EXPECT_TRUE(found.parts[1].straggler);
  EXPECT_EQ(found.parts[1].origin.provenance, Provenance::kReplayed);
  EXPECT_EQ(found.parts[0].origin.provenance, Provenance::kModelled);
  EXPECT_LT(*found.without_stragglers_s, 100);
  EXPECT_THROW(federated_round({{question.boards[0], question.boards[0]}}, lenet_), UsageError);
  EXPECT_THROW(federated_round({{question.boards[0]}}, nullptr), UsageError);
  question.batch = 32;
  EXPECT_THROW(federated_round(question, lenet_), InputError);
  question.boards.clear();
  EXPECT_THROW(federated_round(question, lenet_), UsageError);
}

}  // namespace
}  // namespace ridgewatt::answer
