#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"

namespace ridgewatt {
namespace {

// A board file is read by the thread that first needs it. A caller's changes affect only its own
// copy.
TEST(BoardRegistry, ManyThreadsReadTheSameBoards) {
  std::vector<std::vector<std::string>> read(8);
  std::vector<std::thread> threads;
  for (auto& texts : read) {
    threads.emplace_back([&texts] {
      for (const auto& name : list_boards()) {
        Board board = load_board(name);
        texts.push_back(board.name + board.bsp + board.toml);
        board.name = board.toml = "changed";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<std::string> embedded;
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    EXPECT_EQ(board.name, name);
    embedded.push_back(board.name + board.bsp + board.toml);
  }
  for (const auto& texts : read) EXPECT_EQ(texts, embedded);
}

TEST(BoardRegistry, ABspThatIsChosenIsTheCallersOwn) {
  const std::string usual = load_board("agx-orin").bsp;
  EXPECT_EQ(load_board("agx-orin@jp5.1").bsp, "jp5.1");
  EXPECT_EQ(load_board("agx-orin").bsp, usual);
  EXPECT_NE(usual, "jp5.1");
}

TEST(BoardRegistry, LocalIsTheProcessorOnceItWasMeasured) {
  const testing::TemporaryFolder data;
  const std::string before = std::getenv("XDG_DATA_HOME");  // the folder of this test program
  ::setenv("XDG_DATA_HOME", data.path().c_str(), 1);
  EXPECT_FALSE(has_local_board());
  EXPECT_THROW(load_board(kLocalBoard), NotFoundError);
  std::filesystem::create_directories(data.path() / "ridgewatt");
  std::ofstream(local_board_path()) << load_board("agx-orin").toml;
  EXPECT_EQ(load_board(kLocalBoard).name, "agx-orin");
  ::setenv("XDG_DATA_HOME", before.c_str(), 1);
}

TEST(BoardRegistry, NamesAliasesAndDeviceTrees) {
  EXPECT_EQ(load_board("agx-orin-64gb").name, "agx-orin");
  EXPECT_EQ(load_board("orin-nano").name, "orin-nano-8gb");
  EXPECT_THROW(load_board("orin-macro"), NotFoundError);
  EXPECT_THROW(load_board("agx-orin@jp9"), NotFoundError);
  EXPECT_THROW(load_board("/nowhere/board.toml"), NotFoundError);
  try {
    load_board("orin-nano@super,thor");
    ADD_FAILURE();
  } catch (const NotFoundError& error) {
    EXPECT_NE(std::string(error.what()).find("take several boards"), std::string::npos)
        << error.what();
  }
  using List = std::vector<std::string>;
  EXPECT_EQ(find_board(List{"nvidia,p3737-0000+p3701-0000", "nvidia,tegra234"}), "agx-orin");
  EXPECT_EQ(find_board(List{"nvidia,p3768-0000+p3767-0005-super", "nvidia,tegra234"}),
            "orin-nano-8gb@super");
  EXPECT_EQ(find_board(List{"acme,carrier+p3767-0001", "nvidia,tegra234"}), "orin-nx-8gb");
  EXPECT_EQ(find_board(List{"nvidia,p3450-0000", "nvidia,tegra210"}), "nano");
  EXPECT_EQ(find_board(List{"raspberrypi,5-model-b"}), std::nullopt);
  EXPECT_EQ(find_board(List{}), std::nullopt);
}

}  // namespace
}  // namespace ridgewatt
