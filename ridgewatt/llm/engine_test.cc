// Engines: coefficients that made data are found again, rows are read, work is the closed form.
#include "ridgewatt/llm/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/llm/engine_rows.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

EngineHardware some_hardware(double scale) {
  return {2e9 * scale, 1e9, 8e9 / scale, 100e9 * std::sqrt(scale), 16e12};
}

// An engine of known coefficients, run on models of all sizes at several clocks.
TEST(Engine, WhatMadeTheRowsIsPredicted) {
  Engine truth;
  truth.step = {3e5, 1e5, 1.2, 2, 0.02, 15};
  truth.prompt = {2e6, 1.2, 2.2, 9};
  truth.draw = {18, 1e-10, 2e-11};
  std::vector<EngineRow> rows;
  for (const char* name : {"smollm2-135m", "qwen2.5-0.5b", "llama-3.2-1b", "gemma3-1b",
                           "llama-3.2-3b", "llama-3.1-8b"}) {
    const auto model = read_language_model(std::string("zoo:") + name).description;
    for (const char* recipe : {"f16", "q8_0", "q4_0"}) {
      const auto tensors = quantized(model, find_recipe(recipe));
      for (const double context : {128.0, 2048.0, 16384.0}) {
        EngineRow row;
        row.model = name;
        row.quantization = recipe;
        row.hardware = some_hardware(context < 200 ? 0.5 : 1);
        row.decode = decode_work(model, tensors, context);
        row.prompt = prompt_work(model, tensors, context);
        row.step_s = truth.step_s(row.decode, row.hardware);
        row.prompt_s = truth.prompt_s(row.prompt, row.hardware);
        row.decode_power_w = truth.power_w(row.decode, row.step_s);
        rows.push_back(row);
      }
    }
  }
  const Engine found = fit_engine(rows);
  // Coefficients are held by priors, one of them by one of half of it: up to 15 %, half below 5.
  std::vector<double> errors;
  const auto compare = [&](double predicted, double made, const std::string& model) {
    errors.push_back(std::abs(predicted / made - 1));
    EXPECT_LT(errors.back(), 0.15) << model;
  };
  for (const EngineRow& row : rows) {
    compare(found.step_s(row.decode, row.hardware), row.step_s, row.model);
    compare(found.prompt_s(row.prompt, row.hardware), row.prompt_s, row.model);
    compare(found.power_w(row.decode, row.step_s), row.decode_power_w, row.model);
  }
  EXPECT_LT(median(errors), 0.05);
  EXPECT_EQ(found.step_rows, rows.size());
}

TEST(Engine, OfNoRowsIsAGuessThatSaysSo) {
  const Engine engine = fit_engine({});
  EXPECT_EQ(engine.step_rows + engine.prompt_rows + engine.draw_rows, 0U);
  const auto model = read_language_model("zoo:llama-3.2-1b").description;
  const auto work = decode_work(model, quantized(model, find_recipe("f16")), 512);
  EXPECT_GT(engine.step_s(work, some_hardware(1)), work.weight_bytes / 100e9);
}

// 2 n x matrices, the head once; 2 pairs x heads x (key + value): by hand for Llama-3.2-1B.
TEST(Engine, WorkOfAPromptIsTheClosedForm) {
  const auto model = read_language_model("zoo:llama-3.2-1b").description;
  const auto work = prompt_work(model, quantized(model, find_recipe("f16")), 1024);
  const double head = 128256.0 * 2048, matrices = 1235814400.0 - head - 33 * 2048;
  EXPECT_DOUBLE_EQ(work.linear_flop, 2 * 1024 * matrices + 2 * head);
  EXPECT_DOUBLE_EQ(work.attention_flop, 16 * 2.0 * 32 * 128 * (1024.0 * 1025 / 2));
  EXPECT_DOUBLE_EQ(work.unpacked, 0);
  const auto q8 = decode_work(model, quantized(model, find_recipe("q8_0")), 1);
  EXPECT_DOUBLE_EQ(q8.unpacked, head + matrices);
  const auto awq = decode_work(model, quantized(model, find_recipe("awq")), 1);
  EXPECT_NEAR(awq.unpacked / matrices, 1, 0.01);  // zeros are unpacked, too
}

constexpr const char* kCells =
    "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,decode_power_w\n";

TEST(EngineRows, CellsAreReadAndOthersLeftOutWithAReason) {
  const testing::TemporaryFolder folder;
  const auto rows = load_engine_rows(folder.write(
      "cells.csv", std::string(kCells) + "llamacpp,Llama-3.1-8B,Q4_K_M,512,128,603,41.9,51\n"
                                         "vllm,Llama-3.2-1B,fp16,512,128,26,20,\n"
                                         "vllm,Llama-3.2-1B,fp16_nocache,512,128,50,20,40\n"
                                         "vllm,Llama-3.2-1B,gguf_Q4_0,128,128,77,26,25\n"
                                         "mlx,Llama-3.2-1B,f16,512,128,26,20,40\n"
                                         "vllm,Novel-9B,fp16,512,128,26,20,40\n"
                                         "vllm,Llama-3.2-1B,q9,512,128,26,20,40\n"));
  ASSERT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(rows.left_out.size(), 3U);
  EXPECT_EQ(rows.rows[0].engine, "llama.cpp b5283");
  EXPECT_DOUBLE_EQ(rows.rows[0].step_s, 0.0419);
  EXPECT_DOUBLE_EQ(rows.rows[0].hardware.gpu_hz, 1300.5e6);
  EXPECT_NEAR(rows.rows[0].hardware.flop_per_s, 37.3e12, 0.1e12);  // the notes of the data
  EXPECT_NEAR(rows.rows[0].hardware.bytes_per_s, 204.8e9, 0.1e9);
  EXPECT_TRUE(std::isnan(rows.rows[1].prompt_s));  // from a cache of prompts
  EXPECT_TRUE(std::isnan(rows.rows[1].decode_power_w));
  EXPECT_DOUBLE_EQ(rows.rows[2].prompt_s, 0.050);
  EXPECT_EQ(rows.rows[3].engine, "vllm (gguf)");
  EXPECT_TRUE(std::isnan(rows.rows[3].prompt_s));  // shorter than 256
}

TEST(EngineRows, BadFilesAreRefused) {
  const testing::TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    EXPECT_THROW(load_engine_rows(folder.write("bad.csv", text)), InputError) << text;
  };
  refused("");
  refused("runtime,model\na,b\n");
  const std::string start = std::string(kCells) + "llamacpp,Llama-3.1-8B,Q4_K_M,";
  refused(start + "512,128,603,nan,51\n");
  refused(start + "512,128,603,-4,51\n");
  refused(start + "512,128,603,x,51\n");
  refused(start + "0,128,603,4,51\n");
  refused(start + "512,128,603\n");
}

}  // namespace
}  // namespace ridgewatt::llm
