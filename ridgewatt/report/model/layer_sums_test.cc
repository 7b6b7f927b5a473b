#include "ridgewatt/report/layer_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ridgewatt::report {
namespace {

using ::testing::ElementsAre;

TEST(LayerSums, BlocksAreWhatNamesHaveInCommon) {
  // Names of nodes in the style of PyTorch, the zoo and TensorFlow.
  EXPECT_EQ(block_of("/layer1/layer1.0/conv1/Conv"), "/layer1/layer1.0/");
  EXPECT_EQ(block_of("/layer1/layer1.0/downsample/downsample.0/Conv"), "/layer1/layer1.0/");
  EXPECT_EQ(block_of("/bert/encoder/layer.11/attention/self/query/MatMul"),
            "/bert/encoder/layer.11/");
  EXPECT_EQ(block_of("/encoder/layers/encoder_layer_0/mlp/Gemm"),
            "/encoder/layers/encoder_layer_0/");
  EXPECT_EQ(block_of("/model.22/cv2.0/cv2.0.0/conv/Conv"), "/model.22/");
  EXPECT_EQ(block_of("/features/features.4/conv/conv.0/Conv"), "/features/features.4/");
  EXPECT_EQ(block_of("encoder.layer.0/MatMul_2"), "encoder.layer.0/");
  EXPECT_EQ(block_of("layer4.1/Conv_1 (weight gradient)"), "layer4.1/");
  EXPECT_EQ(block_of("/bert/embeddings/word_embeddings/Gather"), "/bert/embeddings/");
  EXPECT_EQ(block_of("/avgpool/GlobalAveragePool"), "/avgpool/");
  EXPECT_EQ(block_of("Conv_0"), "");
  EXPECT_EQ(block_of(""), "");
}

Table some_layers() {
  Table layers({{"layer"}, {"op"}, {"time_ms"}, {"macs"}});
  layers.add_row({"layer1.0/Conv_0", "Conv", 3.0, std::int64_t{30}});
  layers.add_row({"layer1.0/Relu_0", "Relu", 0.5, Cell()});
  layers.add_row({"layer1.1/Conv_0", "Conv", 4.0, std::int64_t{40}});
  layers.add_row({"Gemm_0", "Gemm", 1.0, std::int64_t{5}});
  return layers;
}

TEST(LayerSums, LargestFirstByOperatorAndBlock) {
  const Table operators = sums_by_operator(some_layers(), {"time_ms", "macs"}, "-time_ms");
  ASSERT_EQ(operators.rows().size(), 3U);
  EXPECT_THAT(operators.rows()[0],
              ElementsAre(Cell("Conv"), Cell(std::int64_t{2}), Cell(7.0), Cell(std::int64_t{70})));
  EXPECT_EQ(operators.rows()[1][0], Cell("Gemm"));
  EXPECT_EQ(operators.rows()[2][3], Cell(std::int64_t{0}));
  const Table blocks = sums_by_block(some_layers(), {"time_ms"}, "-time_ms");
  ASSERT_EQ(blocks.rows().size(), 3U);
  EXPECT_THAT(blocks.rows()[0], ElementsAre(Cell("layer1.1/"), Cell(std::int64_t{1}), Cell(4.0)));
  EXPECT_THAT(blocks.rows()[1], ElementsAre(Cell("layer1.0/"), Cell(std::int64_t{2}), Cell(3.5)));
  EXPECT_EQ(blocks.rows()[2][0], Cell("(no block)"));
}

// For example, the energy on a processor.
TEST(LayerSums, AColumnWithoutNumbersHasNoSums) {
  Table layers({{"layer"}, {"op"}, {"time_ms"}, {"energy_mj"}});
  layers.add_row({"layer1.0/Conv_0", "Conv", 3.0, Cell()});
  layers.add_row({"layer1.1/Conv_0", "Conv", 4.0, Cell()});
  const Table operators = sums_by_operator(layers, {"time_ms", "energy_mj"}, "-time_ms");
  ASSERT_EQ(operators.rows().size(), 1U);
  EXPECT_THAT(operators.rows()[0],
              ElementsAre(Cell("Conv"), Cell(std::int64_t{2}), Cell(7.0), Cell()));
}

TEST(LayerSums, NamesThatTellNoBlockGiveNoTable) {
  Table layers({{"layer"}, {"op"}, {"time_ms"}});
  layers.add_row({"Conv_0", "Conv", 3.0});
  EXPECT_TRUE(sums_by_block(layers, {"time_ms"}, "-time_ms").rows().empty());
}

}  // namespace
}  // namespace ridgewatt::report
