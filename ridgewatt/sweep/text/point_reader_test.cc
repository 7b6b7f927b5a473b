// Tests that the readers of operating points (sweeps, queries and lists of modes) agree with the
// boards' modes.
#include "ridgewatt/sweep/point_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt {
namespace {

TEST(PointReader, PresetsOfAllBoardsSurviveEveryCsv) {
  const testing::TemporaryFolder folder;
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const auto& bsp : board.bsps) {
      Sweep sweep{"made", "w", "inference", {}, {}};
      for (const auto& preset : presets(board, bsp.name)) {
        sweep.observations.push_back({{preset.mode, 1}, 0.01, 5});
      }
      if (sweep.observations.empty()) continue;
      const auto path = folder.write("modes.csv", write_sweep_csv({sweep}));
      const auto points = read_points(path);
      const Sweep again = read_sweep(path);
      ASSERT_EQ(points.size(), sweep.observations.size());
      const auto modes = read_modes(path);
      for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i], sweep.observations[i].point) << name;
        EXPECT_EQ(again.observations[i].point, sweep.observations[i].point) << name;
        EXPECT_NE(std::find(modes.begin(), modes.end(), points[i].mode), modes.end()) << name;
      }
    }
  }
}

TEST(PointReader, PartsOfACoreAreRefusedEverywhere) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("s.csv", "cpu_cores,batch,time_ms,power_w\n2,1,1,1\n2.5,1,1,1\n");
  const auto expect_refused = [&](const auto& read) {
    try {
      read();
      FAIL() << "2.5 cores were read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("cpu_cores is 2.5"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos);
    }
  };
  expect_refused([&] { read_sweeps(path); });
  expect_refused([&] { read_points(path); });
  expect_refused([&] { read_modes(path); });
}

TEST(PointReader, AnEmptyBatchIsNoDimension) {
  const auto sweeps = parse_sweeps("gpu_mhz,batch,time_ms,power_w\n306,,10,5\n408,,9,6\n", "p.csv");
  EXPECT_EQ(sweeps.at(0).observations[0].point.batch, 0);
}

TEST(ChooseSweep, NamesWhatThereIs) {
  const auto sweeps = [] {
    return parse_sweeps(
        "workload,kind,time_ms,power_w,provenance\na,training,1,1,\na,inference,1,1,\n"
        "b,inference,1,1,\nb,inference,1,1,fake\n",
        "s.csv");
  };
  EXPECT_EQ(choose_sweep(sweeps(), "a:training", "s.csv").kind, "training");
  EXPECT_EQ(choose_sweep(sweeps(), "b:inference:fake", "s.csv").provenance, Provenance::kFake);
  for (const char* wanted : {"", "a", "b:inference", "c"}) {
    try {
      choose_sweep(sweeps(), wanted, "s.csv");
      FAIL() << wanted;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("b:inference:fake"), std::string::npos);
    }
  }
}

// Each name that the message lists selects one sweep, whatever the difference between the sweeps
// is.
TEST(ChooseSweep, ListedNamesPickOneEach) {
  const std::string rows =
      "workload,kind,time_ms,power_w,board,provenance,runtime,twin\n"
      "net,inference,1,1,agx-orin,,,\nnet,inference,1,1,orin-nano-8gb@super,,,\n"
      "net,inference,1,1,fake:agx-orin,fake,,\nnet,inference,1,1,,,,\n"
      "net,training,1,1,agx-orin,,,\nother,inference,1,1,agx-orin,,,\n"
      "net,inference,1,1,agx-orin,modelled,tensorrt,fitted\n"
      "net,inference,1,1,agx-orin,modelled,onnxruntime,fitted\n";
  const auto sweeps = parse_sweeps(rows, "s.csv");
  ASSERT_EQ(sweeps.size(), 8u);
  std::string message;
  try {
    choose_sweep(sweeps, "", "s.csv");
  } catch (const UsageError& error) {
    message = error.what();
  }
  const auto names = split(message.substr(message.rfind("out of ") + 7), ',');
  ASSERT_EQ(names.size(), sweeps.size()) << message;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Sweep one = choose_sweep(sweeps, std::string(trim(names[i])), "s.csv");
    EXPECT_EQ(one.origin(), sweeps[i].origin()) << names[i];
  }
  EXPECT_EQ(choose_sweep(sweeps, "@orin-nano-8gb@super", "s.csv").board, "orin-nano-8gb@super");
}

Sweep one_row(const PowerMode& mode) {
  return {"s.csv", "w", "training", {{{mode, 16}, 0.1, 10}}, {2}};
}

// The Orin Nano has six cores and the AGX Orin twelve (NVIDIA's data sheets).
TEST(FitToBoard, RowsOfAnotherBoardAreRefusedWithTheNearestClock) {
  const Board nano = load_board("orin-nano-4gb");
  Sweep rows = one_row({12, 0, 0, 0, ""});
  try {
    fit_to_board(rows, nano);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cpu_cores 12"), std::string::npos) << text;
    EXPECT_NE(text.find("s.csv line 2"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  const double top_hz = knob_space(nano).top().gpu_clock_hz;
  rows = one_row({4, 0, 1.5 * top_hz, 0, ""});
  try {
    fit_to_board(rows, nano);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(fmt::format("nearest is {}", top_hz / 1e6)),
              std::string::npos)
        << error.what();
  }
}

// Clocks of one board do not make rows of another board its own.
TEST(FitToBoard, AStatedBoardMustBeTheBoard) {
  const Board board = load_board("agx-orin");
  Sweep rows = one_row(knob_space(board).top());
  for (const char* same : {"", "agx-orin", "AGX_Orin", "fake:agx-orin", "agx-orin@jp5.1",
                           "agx-orin@jp9", "a-board-of-mine"}) {
    rows.board = same;
    EXPECT_NO_THROW(fit_to_board(rows, board)) << same;
  }
  for (const char* other : {"orin-nano", "fake:nano", "orin-nano-8gb@super"}) {
    rows.board = other;
    try {
      fit_to_board(rows, board);
      ADD_FAILURE() << other;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what())
                    .find(std::string("the rows are of board ") + other + ", not of agx-orin"),
                std::string::npos)
          << error.what();
    }
  }
  rows.board = "agx-orin";
  Board own = board;
  own.name = "a-board-of-mine";
  EXPECT_NO_THROW(fit_to_board(rows, own));
}

TEST(FitToBoard, RoundedClocksAreTheBoardsOwn) {
  const Board board = load_board("agx-orin");
  PowerMode mode = knob_space(board).top();
  const PowerMode own = mode;
  mode.gpu_clock_hz = std::round(own.gpu_clock_hz / 1e6) * 1e6;
  mode.mem_clock_hz *= 1.004;
  Sweep rows = one_row(mode);
  fit_to_board(rows, board);
  EXPECT_EQ(rows.observations[0].point.mode, own);
  Sweep governed = one_row({12, 1, 1, 1, "schedutil"});
  EXPECT_NO_THROW(fit_to_board(governed, board));
}

// The GPU clocks of the AGX Orin differ between JetPack 5.0 and 5.1.
TEST(FitToBoard, ModesOfAnotherReleaseNameBothReleases) {
  const Board board = load_board("agx-orin");
  const KnobSpace ours = knob_space(load_board("agx-orin@jp5.1"));
  const std::string advice = release_advice({{12, 0, 828.75e6, 0, ""}}, ours, board);
  EXPECT_EQ(advice,
            "the modes are of JetPack 5.0, and this board has JetPack 5.1 and later: --device "
            "agx-orin@jp5.1");
  EXPECT_EQ(release_advice({ours.top()}, ours, load_board("agx-orin@jp5.1")), "");
  EXPECT_EQ(release_advice({{1, 1e9, 1e9, 1e9, ""}}, ours, board), "");
}

TEST(TrustedSweep, AFileOfPredictionsIsNotMeasured) {
  const testing::TemporaryFolder folder;
  const std::string row = "a,training,4,10,20\n";
  const auto measured = folder.write("m.csv", "workload,kind,cpu_cores,time_ms,power_w\n" + row);
  EXPECT_EQ(read_trusted_sweep(measured).remark(), "");
  const auto predicted = folder.write(
      "p.csv",
      "workload,kind,cpu_cores,time_ms,power_w,time_lo_ms,time_hi_ms\na,training,4,10,20,9,11\n");
  const std::string remark = read_trusted_sweep(predicted).remark();
  EXPECT_NE(remark.find("the rows are estimates with intervals"), std::string::npos) << remark;
}

TEST(Points, ARowWithoutABatchIsNamed) {
  Sweep rows = one_row({4, 0, 0, 0, ""});
  EXPECT_NO_THROW(require_batches(rows));
  rows.observations[0].point.batch = 0;
  EXPECT_THROW(require_batches(rows), InputError);
}

TEST(FitToBoard, GivenSweepsAreOfTheirBoards) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto data = testing::shared_folder() / "data";
  Sweep agx = read_sweep((data / "agx-orin/training/resnet18.csv").string());
  EXPECT_NO_THROW(fit_to_board(agx, load_board("agx-orin")));
  EXPECT_THROW(fit_to_board(agx, load_board("nano")), InputError);
}

}  // namespace
}  // namespace ridgewatt
