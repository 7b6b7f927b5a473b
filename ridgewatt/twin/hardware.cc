#include "ridgewatt/twin/hardware.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/preset_sms.h"

namespace ridgewatt::twin {
namespace {

// FP32 operations per SM and cycle of a convolution in PyTorch. PyTorch uses TF32 for convolutions
// if the tensor cores have it (torch.backends.cudnn.allow_tf32 is on by default). It computes
// products on the FP32 pipes (torch.backends.cuda.matmul.allow_tf32 is off). Returns nothing if the
// board file does not state whether the board has TF32.
std::optional<double> conv_rate(const Board& board) {
  const auto tf32 = stated_rate(board, Arithmetic::kTf32);
  if (!tf32) return std::nullopt;
  return *tf32 > 0 ? *tf32 : stated_rate(board, Arithmetic::kFp32);
}

constexpr double kPipes = 2;  // half-precision rate of the pipes over their FP32 rate

}  // namespace

double conv_over_fp32(const Board& board) {
  const auto rate = conv_rate(board);
  if (!rate) {
    throw NotSupportedError(
        "the board file has no TF32 rate, which FP32 convolutions use", board.source,
        "add gpu.tf32_flop_per_sm_cycle (0 if the GPU has no TF32), or fit a twin with calibrate");
  }
  return *rate / *stated_rate(board, Arithmetic::kFp32);
}

bool on_tensor_cores(const Board& board, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kTf32) return true;
  return stated_rate(board, arithmetic).value_or(0) >
         kPipes * *stated_rate(board, Arithmetic::kFp32);
}

void limit_tensor_share(Twin& twin) {
  constexpr double kTensorShare = 0.64;  // AGX Orin: conv_rate 2.55 of TF32's 4
  if (twin.speedups[static_cast<std::size_t>(Arithmetic::kTf32)].product > 0) return;
  for (auto& speedup : twin.speedups) {
    if (!(speedup.product > kPipes)) continue;
    speedup.conv = speedup.product * std::min(1.0, kTensorShare / twin[TwinParam::kConvRate]);
  }
}

double least_limited_hz(const std::vector<double>& clocks_hz) {
  constexpr double kLeastShare = 0.22;
  return std::max(clocks_hz.front(), kLeastShare * clocks_hz.back());
}

void set_hardware(const Board& board, Twin& twin) {
  const auto& levels = board.find_bsp().levels;
  const auto highest = [&](Knob knob) {
    const auto& values = levels[knob];
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
  };
  twin.board = board.name;
  twin.bsp = board.bsp;
  twin.levels = levels;
  for (auto& values : twin.levels) std::sort(values.begin(), values.end());
  twin.cpu_clock_hz = highest(Knob::kCpuClock);
  twin.gpu_clock_hz = highest(Knob::kGpuClock);
  twin.mem_clock_hz = highest(Knob::kMemClock);
  twin.cpu_cores = board.cpu_cores;
  twin.memory_bytes = board.visible_memory_bytes;
  twin.system_memory_bytes = board.system_memory_bytes;
  twin.power_limit_w = board.power_limit_w.value_or(std::numeric_limits<double>::infinity());
  twin.discrete = board.discrete_gpu;
  const auto& limits_w = board.find_bsp().power_limits_w;
  twin.least_limit_w = limits_w.empty() ? 0 : limits_w.front();
  const double fp32 = 2.0 * board.cores_per_sm;
  twin.flop_per_cycle = fp32 * board.sms;
  twin.sms = board.sms;
  twin.preset_sms.clear();
  const auto& all = presets(board);
  const bool stated = std::any_of(all.begin(), all.end(), [](const auto& p) { return p.sms > 0; });
  for (const Preset& preset : all) {
    const bool fewer = preset.sms > 0 && preset.sms < board.sms;
    const bool unknown = stated && preset.sms == 0 && sms_on(board, preset.mode) == board.sms;
    if (unknown || (fewer && sms_on(board, preset.mode) == preset.sms)) {
      twin.preset_sms.emplace_back(preset.mode, preset.sms);
    }
  }
  twin.bus_bytes_per_cycle = board.memory_bus_bits / 8 * 2;
  twin.hand_over = board.hand_over;
  twin.governor_least = board.governor_least;
  const double conv_base = conv_rate(board).value_or(fp32);
  for (const Arithmetic arithmetic : kArithmetics) {
    const double rate = stated_rate(board, arithmetic).value_or(0);
    twin.speedups[static_cast<std::size_t>(arithmetic)] = {rate / conv_base, rate / fp32};
  }
  twin.speedups[static_cast<std::size_t>(Arithmetic::kFp32)] = {1, 1};
}

}  // namespace ridgewatt::twin
