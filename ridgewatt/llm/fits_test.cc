// Tests whether models fit on boards: known cases, and consistency of the sum.
#include "ridgewatt/llm/fits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/gguf/gguf_writer.h"

namespace ridgewatt::llm {
namespace {

constexpr double kFitsGib = 1024.0 * 1024 * 1024;

Fit fit_of(const std::string& model, const std::string& board, FitsOptions options) {
  const std::vector<Board> boards = {load_board(board)};
  return fits(read_language_model(model), boards, options).front();
}

TEST(Fits, Llama8bInFourBitsFitsEightGigabytesUpToWhatTheReserveLeaves) {
  FitsOptions options;
  options.quantizations = {"q4_k_m"};
  options.context = 1;
  const Fit fit = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options);
  EXPECT_TRUE(fit.fits());
  EXPECT_NEAR(fit.weights_bytes / kFitsGib, 4.58, 0.01);
  EXPECT_FALSE(fit.context_of_model);
  ASSERT_GT(fit.largest_context, 0);
  // A token takes 131,072 bytes of cache and a row of 512 F32 values of the mask.
  const double of_token = 131072 + 512 * 4;
  const double left = fit.left_bytes() + of_token;
  EXPECT_EQ(fit.largest_context, static_cast<std::int64_t>(left / of_token));
  options.context = fit.largest_context;
  EXPECT_TRUE(fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options).fits());
  ++options.context;
  EXPECT_FALSE(fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options).fits());
  // A larger reserve leaves less: 100,000,000 bytes hold about 751 tokens.
  options.reserve_bytes = fit.system_bytes + 1e8;
  const auto less = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options).largest_context;
  EXPECT_NEAR(static_cast<double>(fit.largest_context - less), 1e8 / of_token, 1);
}

// A context beyond that of the training fits the memory, but the model was not made for it.
TEST(Fits, ALongerContextThanThatOfTheTrainingIsMarked) {
  FitsOptions options;
  options.quantizations = {"q4_k_m"};
  options.context = 131072;
  EXPECT_EQ(fit_of("zoo:llama-3.1-8b", "agx-orin", options).beyond_training, 0);
  options.context = 200010;
  const Fit fit = fit_of("zoo:llama-3.1-8b", "agx-orin", options);
  EXPECT_TRUE(fit.fits());
  EXPECT_EQ(fit.beyond_training, 200010 - 131072);
}

TEST(Fits, Llama8bInSixteenBitsDoesNotFitEightGigabytes) {
  FitsOptions options;
  options.quantizations = {"f16"};
  options.context = 1;
  const Fit fit = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options);
  EXPECT_FALSE(fit.fits());
  EXPECT_EQ(fit.largest_context, 0);
  EXPECT_EQ(fit.largest_batch, 0);
}

// Linux sees 7.44 GiB of a module with 8 GB, on a sister module as well.
TEST(Fits, AnEightGigabyteModuleHasLessThanEightGigabytes) {
  FitsOptions options;
  options.quantizations = {"q5_0"};
  EXPECT_FALSE(fit_of("zoo:llama-3.1-8b", "orin-nx-8gb", options).fits());
  EXPECT_EQ(fit_of("zoo:llama-3.1-8b", "orin-nx-8gb", options).board_bytes,
            fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options).board_bytes);
}

TEST(Fits, SeventyBillionInFourBitsFitTheLargestOrin) {
  for (const char* recipe : {"q4_k_m", "awq", "w4a16"}) {
    FitsOptions options;
    options.quantizations = {recipe};
    EXPECT_TRUE(fit_of("zoo:llama-3.3-70b", "agx-orin", options).fits()) << recipe;
    EXPECT_FALSE(fit_of("zoo:llama-3.3-70b", "agx-orin-32gb", options).fits()) << recipe;
  }
}

TEST(Fits, NarrowerCachesHoldMoreAndBatchesHoldLess) {
  FitsOptions options;
  const Fit f16 = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options);
  options.kv_type = KvType::kQ80;
  const Fit q8 = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options);
  EXPECT_NEAR(q8.kv_bytes / f16.kv_bytes, 34.0 / 64, 1e-12);
  EXPECT_GT(q8.largest_context, f16.largest_context);
  options.batch = 2;
  const Fit two = fit_of("zoo:llama-3.1-8b", "orin-nano-8gb", options);
  EXPECT_NEAR(static_cast<double>(two.largest_context), static_cast<double>(q8.largest_context) / 2,
              1);
}

// The weights are stored once for any context, so a larger board never holds a shorter context.
TEST(Fits, MoreMemoryNeverHoldsLess) {
  const LanguageModel model = read_language_model("zoo:qwen3-8b");
  const std::vector<Board> boards = {load_board("orin-nano-8gb"), load_board("orin-nx-16gb"),
                                     load_board("agx-orin-32gb"), load_board("agx-orin")};
  FitsOptions options;
  for (const Recipe& recipe : recipes()) options.quantizations.push_back(recipe.name);
  const auto rows = fits(model, boards, options);
  ASSERT_EQ(rows.size(), boards.size() * recipes().size());
  for (std::size_t i = recipes().size(); i < rows.size(); ++i) {
    EXPECT_GE(rows[i].largest_context, rows[i - recipes().size()].largest_context);
  }
}

TEST(Fits, WithoutAGpuNothingIsNeededForCuda) {
  Board board = load_board("agx-orin");
  EXPECT_GT(process_memory(board).bytes, 400e6);
  board.gpu_architecture.clear();
  const std::vector<Board> boards = {board};
  const Fit fit = fits(read_language_model("zoo:qwen3-0.6b"), boards, {}).front();
  EXPECT_LT(fit.runtime_bytes, 20e6);
  EXPECT_EQ(fit.runtime_source.find("CUDA"), std::string::npos) << fit.runtime_source;
}

TEST(Fits, WhatCannotBePredictedIsRefused) {
  FitsOptions options;
  options.quantizations = {"stored"};
  EXPECT_THROW(fit_of("zoo:qwen3-8b", "agx-orin", options), UsageError);
  options.quantizations = {"q4_k_xl"};
  EXPECT_THROW(fit_of("zoo:qwen3-8b", "agx-orin", options), UsageError);
}

double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// A header with the vocabulary of Llama 3 (128,256 words and 280,147 merges) in front of 4.6 GiB of
// data: the reader must skip the data without loading it.
TEST(Fits, AHeaderIsReadInLittleMemory) {
  const testing::TemporaryFolder folder;
  const auto model = read_language_model("zoo:llama-3.1-8b").description;
  const std::string path =
      gguf_of(model, "llama")
          .texts("tokenizer.ggml.tokens", std::vector<std::string>(128256, "aword"))
          .texts("tokenizer.ggml.merges", std::vector<std::string>(280147, "some other"))
          .tensors(quantized(model, find_recipe("q4_k_m")))
          .write(folder.path() / "m.gguf");
  EXPECT_GT(std::filesystem::file_size(path), 4'900'000'000U);
  const double before_mib = peak_mib();
  EXPECT_TRUE(read_language_model(path).weights_known);
  EXPECT_LT(peak_mib() - before_mib, 30);
}

}  // namespace
}  // namespace ridgewatt::llm
