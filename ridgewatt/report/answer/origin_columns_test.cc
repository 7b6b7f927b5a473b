#include "ridgewatt/report/columns.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ridgewatt/device/board.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

Table two_rows() {
  Table table({{"time_ms"}});
  table.add_row({1.5});
  table.add_row({2.5});
  return table;
}

std::string csv_of(const Table& table) {
  std::ostringstream out;
  table.print_csv(out);
  return out.str();
}

TEST(OriginColumns, StandInEveryRow) {
  RowOrigin origin{"resnet18",
                   "training",
                   "agx-orin",
                   Provenance::kModelled,
                   Runtime::kPytorchEager,
                   "scaled, not validated"};
  EXPECT_EQ(csv_of(with_origin(two_rows(), {origin})),
            "time_ms,workload,kind,board,provenance,runtime,twin\n"
            "1.5,resnet18,training,agx-orin,modelled,pytorch-eager,\"scaled, not validated\"\n"
            "2.5,resnet18,training,agx-orin,modelled,pytorch-eager,\"scaled, not validated\"\n");
}

TEST(OriginColumns, ProvenanceIsAlwaysThereAndRowsMayDiffer) {
  RowOrigin fake, predicted;
  fake.provenance = Provenance::kFake;
  predicted.provenance = Provenance::kPredicted;
  EXPECT_EQ(
      csv_of(with_origin(two_rows(), {fake, predicted})),
      "time_ms,workload,kind,board,provenance,runtime,twin\n1.5,,,,fake,,\n2.5,,,,predicted,,\n");
  Json row = {{"board", "kept"}};
  fake.board = "other";
  add_origin(row, fake);
  EXPECT_EQ(row["board"], "kept");
  EXPECT_EQ(row["provenance"], "fake");
}

TEST(ModeJson, PresetsOfAllBoardsReadBack) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const auto& bsp : board.bsps) {
      for (const auto& preset : presets(board, bsp.name)) {
        const Json json = Json::parse(mode_to_json(preset.mode).dump());
        EXPECT_EQ(mode_from_json(json, name), preset.mode) << name << preset.name;
      }
    }
  }
}

}  // namespace
}  // namespace ridgewatt::report
