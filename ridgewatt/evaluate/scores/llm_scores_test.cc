// The targets of language models on public runs; what is asked for is never learned from.
#include "ridgewatt/evaluate/llm_scores.h"

#include <gtest/gtest.h>

#include <string>

#include "ridgewatt/base/test_support.h"

namespace ridgewatt::evaluate {
namespace {

std::vector<std::string> public_runs() {
  const auto folder = testing::shared_folder() / "data" / "runtimes";
  return {(folder / "llm-agx-orin-32gb.csv").string(), (folder / "llm-boards.csv").string()};
}

TEST(LlmScores, PublicRunsArePredictedWithoutTheirOwnRows) {
  RIDGEWATT_REQUIRE_SHARED();
  const LlmScores scores = score_llm(public_runs());
  bool seen = false;
  for (const LlmGroup& group : scores.totals) {
    if (group.board != "agx-orin-32gb") continue;
    seen = true;
    EXPECT_EQ(group.cells, 576U);
    EXPECT_LE(group.step_error, 0.15);
    EXPECT_LE(group.prompt_error, 0.25);
    EXPECT_LE(group.power_error, 0.12);
  }
  EXPECT_TRUE(seen);
}

// A model and quantization whose own rows are nonsense is predicted as if they were not there.
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
        return (group.step_bias + 1) * std::stod(milliseconds);
      }
    }
    return 0.0;
  };
  EXPECT_GT(predicted("42"), 0);
  EXPECT_NEAR(predicted("42"), predicted("4200"), 1e-6);
}

}  // namespace
}  // namespace ridgewatt::evaluate
