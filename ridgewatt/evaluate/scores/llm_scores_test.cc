// Tests the targets for language models on public runs. A prediction never learns from the rows
// that it predicts.
#include "ridgewatt/evaluate/llm_scores.h"

#include <gtest/gtest.h>

#include <string>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/llm/engine_file.h"

namespace ridgewatt::evaluate {
namespace {

std::vector<std::string> public_runs() {
  const auto data = testing::shared_folder() / "data";
  std::vector<std::string> paths;
  for (const char* path : {"runtimes/llm-agx-orin-32gb.csv", "runtimes/llm-boards.csv",
                           "public/thor.csv", "public/orin_side.csv"}) {
    paths.push_back((data / path).string());
  }
  return paths;
}

// A single test, because the fits take long.
// label: slow
TEST(LlmScores, PublicRunsArePredictedWithoutTheirOwnRowsAndShippedEnginesAreTheirFit) {
  RIDGEWATT_REQUIRE_SHARED();
  const LlmScores scores = score_llm(public_runs());
  bool seen = false;
  for (const LlmGroup& group : scores.totals) {
    if (group.board != "agx-orin-32gb") continue;
    seen = true;
    EXPECT_EQ(group.cells, 604U);
    EXPECT_LE(group.step.error, 0.15);
    EXPECT_LE(group.prompt.error, 0.25);
    EXPECT_LE(group.decode_power.error, 0.12);
    // The nominal share of the intervals is 0.9.
    EXPECT_GT(group.step.inside, 0.75);
    EXPECT_GT(group.prompt.inside, 0.75);
    EXPECT_GT(group.decode_power.inside, 0.75);
  }
  EXPECT_TRUE(seen);
  for (const LlmGroup& group : scores.totals) {
    if (group.board != "orin-nano-8gb" || group.mode == "15W") continue;  // 15 W also has MLC
    EXPECT_EQ(group.cells, 5U);
    EXPECT_LE(group.step.error, 0.2) << group.mode;
  }
  EXPECT_EQ(scores.rows.memory_twice, 72U + 36U);  // decode, and prefill from 0.5 s on

  // If the host does not delay the engine and attention scores stay on the chip, the time per token
  // grows in proportion to the bytes of the cache.
  std::size_t slopes = 0;
  for (const LlmSlope& slope : scores.slopes) {
    if (slope.engine != "tensorrt-llm") continue;
    ++slopes;
    EXPECT_GE(slope.predicted, 0.85);
    EXPECT_LE(slope.predicted, 1.2);
  }
  EXPECT_EQ(slopes, 2U);

  // The shipped file must equal the result of the command on the public runs.
  const auto& made = scores.fitted.engines;
  const auto shipped = llm::engines();
  ASSERT_EQ(made.size(), shipped.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].name, shipped[i].name);
    ASSERT_EQ(made[i].releases.size(), shipped[i].releases.size());
    for (std::size_t j = 0; j < made[i].releases.size(); ++j) {
      const auto& ours = made[i].releases[j].engine.step;
      const auto& theirs = shipped[i].releases[j].engine.step;
      EXPECT_EQ(ours.rows, theirs.rows);
      for (std::size_t k = 0; k < llm::kStepTerms; ++k) {
        EXPECT_NEAR(ours.value[k] / theirs.value[k], 1, 0.01) << made[i].name << k;
      }
    }
  }
}

// Nonsense rows of a model and quantization do not change the prediction for that combination.
TEST(LlmScores, OwnRowsAreNotLearnedFrom) {
  const testing::TemporaryFolder folder;
  const std::string head =
      "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,decode_power_w\n"
      "llamacpp,Llama-3.2-1B,Q8_0,512,512,120,15.6,38\n"
      "llamacpp,Llama-3.2-1B,f16,512,512,106,21,41\n";
  const auto predicted = [&](const std::string& milliseconds) {
    const auto scores = score_llm({folder.write(
        "cells.csv", head + "llamacpp,Llama-3.1-8B,Q4_K_M,512,512,600," + milliseconds + ",50\n")});
    for (const LlmGroup& group : scores.groups) {
      if (group.model == "llama-3.1-8b") {
        EXPECT_EQ(group.learned_from, 2U);
        return (group.step.bias + 1) * std::stod(milliseconds);
      }
    }
    return 0.0;
  };
  EXPECT_GT(predicted("42"), 0);
  EXPECT_NEAR(predicted("42"), predicted("4200"), 1e-6);
}

}  // namespace
}  // namespace ridgewatt::evaluate
