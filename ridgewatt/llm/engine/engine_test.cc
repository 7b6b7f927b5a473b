// Tests engines: the fit must recover the coefficients that generated the data, rows are read
// correctly, and work follows the closed form.
#include "ridgewatt/llm/engine_fit.h"

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
  EngineHardware h;
  h.cpu_hz = 2e9 * scale;
  h.gpu_hz = 1e9;
  h.unpack_hz = 8e9 / scale;
  h.bytes_per_s = 100e9 * std::sqrt(scale);
  h.flop_per_s = 16e12;
  h.idle_w = 8 + scale;
  h.gpu_w = 4;
  h.core_w = 1;
  h.byte_j = 1.5e-10;
  h.flop_j = 3e-12;
  h.top = h;
  return h;
}

template <std::size_t N>
void move(EnginePart<N>& part) {
  for (std::size_t i = 0; i < N; ++i) part.value[i] *= i % 2 == 0 ? 1.3 : 0.85;
}

// An engine with known coefficients runs models of all sizes at several clocks.
TEST(Engine, WhatMadeTheRowsIsPredicted) {
  for (const char* name : {"tensorrt-llm", "vllm"}) {
    Engine truth = prior_engine(engine_traits(name));
    move(truth.step);
    move(truth.prompt);
    move(truth.draw);
    move(truth.prompt_draw);
    std::vector<EngineRow> rows;
    for (const char* zoo : {"smollm2-135m", "qwen2.5-0.5b", "llama-3.2-1b", "gemma3-1b",
                            "llama-3.2-3b", "llama-3.1-8b"}) {
      const auto model = read_language_model(std::string("zoo:") + zoo).description;
      for (const char* recipe : {"f16", "q8_0", "q4_0"}) {
        const auto tensors = quantized(model, find_recipe(recipe));
        for (const double context : {128.0, 2048.0, 16384.0}) {
          EngineRow row;
          row.engine = name;
          row.model = zoo;
          row.quantization = recipe;
          row.hardware = some_hardware(context < 200 ? 0.5 : 1);
          row.decode = decode_work(model, tensors, context);
          row.prompt = prompt_work(model, tensors, context);
          row.step_s = truth.step_s(row.decode, row.hardware);
          row.prompt_s = truth.prompt_s(row.prompt, row.hardware);
          row.decode_power_w = truth.decode_power_w(row.decode, row.hardware);
          row.prefill_power_w = truth.prefill_power_w(row.prompt, row.hardware);
          rows.push_back(row);
        }
      }
    }
    const Engine found = fit_engines(rows).of(name);
    // The priors keep the fit slightly away from the true coefficients.
    std::vector<double> errors;
    const auto compare = [&](double predicted, double made, const EngineRow& row) {
      errors.push_back(std::abs(predicted / made - 1));
      EXPECT_LT(errors.back(), 0.15) << name << row.model << row.quantization;
    };
    for (const EngineRow& row : rows) {
      compare(found.step_s(row.decode, row.hardware), row.step_s, row);
      compare(found.prompt_s(row.prompt, row.hardware), row.prompt_s, row);
      compare(found.decode_power_w(row.decode, row.hardware), row.decode_power_w, row);
      compare(found.prefill_power_w(row.prompt, row.hardware), row.prefill_power_w, row);
    }
    EXPECT_LT(median(errors), 0.03);
    EXPECT_EQ(found.step.rows, rows.size());
  }
}

TEST(Engine, OfNoRowsIsAGuessThatSaysSo) {
  const Engine engine = fit_engines({}).of("mlc");
  EXPECT_EQ(engine.step.rows + engine.prompt.rows + engine.draw.rows, 0U);
  const auto model = read_language_model("zoo:llama-3.2-1b").description;
  const auto work = decode_work(model, quantized(model, find_recipe("f16")), 512);
  EXPECT_GT(engine.step_s(work, some_hardware(1)), work.weight_bytes / 100e9);
  EXPECT_GT(engine.step_log_sd(work, some_hardware(1)), kCellSd);
}

// Engines share what they learn: rows of one engine change the prediction of another, and
// deviations shrink.
TEST(Engine, AnotherEngineTellsOfOneWithoutRows) {
  const auto model = read_language_model("zoo:llama-3.1-8b").description;
  Engine truth = prior_engine(engine_traits("tensorrt-llm"));
  truth.step.value[kStepWeights] = 1.4;
  std::vector<EngineRow> rows;
  for (const char* recipe : {"f16", "int8", "awq"}) {
    const auto tensors = quantized(model, find_recipe(recipe));
    for (const double context : {128.0, 4096.0}) {
      EngineRow row;
      row.engine = "tensorrt-llm";
      row.model = "llama-3.1-8b";
      row.quantization = recipe;
      row.hardware = some_hardware(1);
      row.decode = decode_work(model, tensors, context);
      row.step_s = truth.step_s(row.decode, row.hardware);
      rows.push_back(row);
    }
  }
  const Engine before = prior_engine(engine_traits("mlc"));
  const Engine after = fit_engines(rows).of("mlc");
  EXPECT_GT(after.step.value[kStepWeights], 1.05 * before.step.value[kStepWeights]);
  EXPECT_LT(after.step.value[kStepWeights], 1.4);
  EXPECT_LT(after.step.log_sd[kStepWeights], before.step.log_sd[kStepWeights]);
}

// Computed by hand: launches of 1e6 cycles at 2 GHz, weights of 1 GB and a cache of 0.1 GB at 100
// GB/s. Launches run ahead (the larger time counts) or take turns with the GPU (the sum counts).
TEST(Engine, AStepIsWhatItWaitsFor) {
  EngineWork work;
  work.layers = 10;
  work.weight_bytes = 1e9;
  work.cache_bytes = 1e8;
  Engine engine;
  engine.step.value[kStepHostLayer] = 1e6;
  engine.step.value[kStepWeights] = 1.2;
  engine.step.value[kStepCache] = 1.1;
  engine.draw.value[kDrawIdle] = 1;
  engine.draw.value[kDrawGpu] = 2;
  engine.draw.value[kDrawBytes] = 1;
  const EngineHardware h = some_hardware(1);
  const double gpu_s = 1.2e9 / 100e9 + 1.1e8 / 100e9, host_s = 10 * 1e6 / 2e9;
  EXPECT_NEAR(engine.step_s(work, h), gpu_s + host_s, 1e-9);
  EXPECT_NEAR(engine.host_share(work, h), host_s / (gpu_s + host_s), 1e-9);
  EXPECT_EQ(engine.step_limited_by(work, h), "weights");
  EXPECT_NEAR(engine.decode_power_w(work, h),
              9 + 2 * 4 * gpu_s / (gpu_s + host_s) + 1.5e-10 * 1.1e9 / (gpu_s + host_s), 1e-6);
  engine.traits.launches_ahead = true;
  EXPECT_NEAR(engine.step_s(work, h), std::max(gpu_s, host_s), 1e-4);
  engine.step.value[kStepHostLayer] = 1e7;
  EXPECT_NEAR(engine.step_s(work, h), 0.05, 1e-4);
  EXPECT_EQ(engine.step_limited_by(work, h), "launches");
}

// Products in 8 bits run at the 8-bit rate if the engine supports this and the weights are stored
// in 8 bits.
TEST(Engine, NarrowProductsAreFasterWhereAnEngineHasThem) {
  const auto model = read_language_model("zoo:llama-3.1-8b").description;
  const auto int8 = prompt_work(model, quantized(model, find_recipe("int8")), 2048);
  const auto f16 = prompt_work(model, quantized(model, find_recipe("f16")), 2048);
  EXPECT_NEAR(int8.narrow_flop[0] / int8.linear_flop, 1, 1e-3);
  EXPECT_EQ(f16.narrow_flop, PerNarrow{});
  EXPECT_EQ(f16.packed_flop, 0);
  const EngineHardware h =
      EngineBoard(load_board("agx-orin"))(knob_space(load_board("agx-orin")).top());
  EXPECT_GT(h.narrow_speedup[0], 1.5);
  EXPECT_LT(h.narrow_speedup[0], 2);
  const Engine with = prior_engine(engine_traits("tensorrt-llm"));
  const Engine without = prior_engine(engine_traits("mlc"));
  EXPECT_LT(with.prompt_s(int8, h), 0.8 * with.prompt_s(f16, h));
  EXPECT_GT(without.prompt_s(int8, h), 0.95 * without.prompt_s(f16, h));
  // Ampere has no units for FP8; Blackwell has.
  const auto fp8 = prompt_work(model, quantized(model, find_recipe("fp8")), 2048);
  EXPECT_NEAR(fp8.narrow_flop[1] / fp8.linear_flop, 1, 1e-3);
  EXPECT_EQ(h.narrow_speedup[1], 1);
  EXPECT_GT(with.prompt_s(fp8, h), 0.95 * with.prompt_s(f16, h));
  const EngineHardware thor = EngineBoard(load_board("thor"))({});
  EXPECT_LT(with.prompt_s(fp8, thor), 0.8 * with.prompt_s(f16, thor));
  const auto fp4 = prompt_work(model, quantized(model, find_recipe("nvfp4")), 2048);
  EXPECT_NEAR(fp4.narrow_flop[2] / fp4.linear_flop, 1, 1e-3);
  EXPECT_LT(with.prompt_s(fp4, thor), with.prompt_s(fp8, thor));
  EXPECT_GT(with.prompt_s(fp4, h), 0.95 * with.prompt_s(f16, h));
}

// The power is the twin's: its idle power, and less at lower clocks.
TEST(Engine, ABoardsPowerIsItsTwins) {
  const Board board = load_board("orin-nano-8gb@super");
  const EngineBoard hardware(board);
  const twin::Twin twin = twin::load_twin(board);
  for (PowerMode mode : {knob_space(board).top(), knob_space(board).modes().front()}) {
    EXPECT_NEAR(hardware(mode).idle_w, twin::idle_power_w(twin, mode), 1e-9);
  }
  PowerMode low = knob_space(board).top();
  low.gpu_clock_hz /= 2;
  EXPECT_LT(hardware(low).gpu_w, hardware(knob_space(board).top()).gpu_w);
  EXPECT_LE(hardware(low).bytes_per_s, hardware(knob_space(board).top()).bytes_per_s);
}

// 2 n x matrices with the head counted once, plus 2 pairs x heads x (key + value): computed by hand
// for Llama-3.2-1B.
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
  EXPECT_NEAR(awq.unpacked / matrices, 1, 0.01);  // zeros are unpacked too
}

// llama.cpp chooses the token of each sequence on the CPU, vLLM those of all sequences on the GPU.
TEST(Engine, OnlyWithHostSamplingASequenceTakesAPassOfTheCpu) {
  const auto model = read_language_model("zoo:llama-3.2-1b").description;
  const auto tensors = quantized(model, find_recipe("f16"));
  EngineHardware slow = some_hardware(1);
  slow.cpu_hz = 1e7;  // the host determines the time
  slow.top = slow;
  const auto of_each = [&](const char* name) {
    const Engine engine = prior_engine(engine_traits(name));
    const auto step_s = [&](std::int64_t sequences) {
      return engine.step_s(decode_work(model, tensors, 128, StoredType::kF16, sequences), slow);
    };
    return (step_s(65) - step_s(1)) / 64;
  };
  const double pass_s = prior_engine({}).step.value[kStepHostVocabulary] * 128256 / slow.cpu_hz;
  EXPECT_NEAR(of_each("llama.cpp") / pass_s, 1, 0.05);
  EXPECT_LT(of_each("vllm"), 0.05 * pass_s);
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
  EXPECT_NEAR(rows.rows[0].hardware.flop_per_s, 37.3e12, 0.1e12);  // from the notes of the data
  EXPECT_NEAR(rows.rows[0].hardware.bytes_per_s, 204.8e9, 2e9);
  EXPECT_TRUE(std::isnan(rows.rows[1].prompt_s));  // prompt from a cache
  EXPECT_TRUE(std::isnan(rows.rows[1].decode_power_w));
  EXPECT_DOUBLE_EQ(rows.rows[2].prompt_s, 0.050);
  EXPECT_EQ(rows.rows[3].engine, "vllm (gguf)");
  EXPECT_TRUE(std::isnan(rows.rows[3].prompt_s));  // prompt shorter than 256
}

// Some runs state a power that adds the rail of the memory to the rail that already supplies the
// memory.
TEST(EngineRows, TheMemoryIsCountedOnce) {
  const testing::TemporaryFolder folder;
  const std::string head =
      "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,decode_power_w,"
      "decode_gpu_w,decode_cpu_w,decode_soc_w,decode_dram_w\n";
  const auto rows = load_engine_rows(folder.write(
      "cells.csv", head + "trtllm,Llama-3.2-1B,fp16,512,128,38,16,36,23,2,11,5\n"
                          "vllm,Llama-3.2-1B,fp16_nocache,512,128,50,20,41,23,2,11,5\n"));
  ASSERT_EQ(rows.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows.rows[0].decode_power_w, 36);
  EXPECT_DOUBLE_EQ(rows.rows[1].decode_power_w, 36);
  EXPECT_NEAR(rows.rows[1].rail_share, 25.0 / 36, 1e-9);
  EXPECT_EQ(rows.memory_twice, 1U);
}

TEST(EngineRows, RowsOfBoardsAreFittedOrJudgedAlone) {
  const testing::TemporaryFolder folder;
  const std::string head =
      "source,date,board,jetpack,power_mode,runtime,workload,precision,batch,sequence,metric,"
      "value,note\n";
  const auto rows = load_engine_rows(folder.write(
      "boards.csv",
      head + "s,d,Orin Nano Super 8GB,6,\"25W: GPU 820 MHz, CPU 1420 MHz\",llama.cpp b9292,"
             "Qwen3-0.6B,Q8_0,1,\"2048 prompt, 256 out\",tok_s_decode,50,n\n"
             "s,d,Orin Nano Super 8GB,6,\"25W: GPU 820 MHz, CPU 1420 MHz\",llama.cpp b9292,"
             "Qwen3-0.6B,Q8_0,1,\"2048 prompt, 256 out\",J_per_token,0.15,n\n"
             "s,d,AGX Orin 64GB,,MAXN,vllm,Llama 3.1 8B,w4a16 or similar,1,2048 in / 128 out,"
             "tok_s_decode,32,n\n"
             "s,d,Orin Nano 8GB (15W),6,m,mlc,Llama 3.2 3B,int4,1,,tok_s_decode,25,n\n"
             "s,d,AGX Orin 64GB,6,,tensorrt-edge-llm (TRT 10.7),Qwen3-4B-VL,w4a16,1,,"
             "tok_s_decode,50,n\n"));
  ASSERT_EQ(rows.rows.size(), 5U) << rows.left_out.front().reason;
  EXPECT_TRUE(rows.rows[0].fitted);
  EXPECT_DOUBLE_EQ(rows.rows[0].step_s, 0.02);
  for (const std::size_t i : {1, 2, 4}) EXPECT_FALSE(rows.rows[i].fitted) << i;
  EXPECT_TRUE(rows.rows[3].fitted);
  EXPECT_DOUBLE_EQ(rows.rows[1].rail_token_j, 0.15);
  EXPECT_DOUBLE_EQ(rows.rows[2].request_s, 4);  // 128 tokens at 32 per second
  EXPECT_EQ(rows.rows[2].engine, "vllm (graphs)");
  EXPECT_EQ(rows.rows[2].model, "llama-3.1-8b");
  EXPECT_NEAR(rows.rows[3].hardware.gpu_hz, 625e6, 1e6);
  EXPECT_EQ(rows.rows[4].model, "qwen3-4b");
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
