// The work of steps and prompts, and the rates of boards in a mode.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/quantization/checkpoint.h"
#include "ridgewatt/numerics/soft_maximum.h"
#include "ridgewatt/twin/hardware.h"

namespace ridgewatt::llm {
namespace {

// Work per clock cycle relative to a Cortex-A78AE, in programs like an interpreter. Rules of thumb
// from the vendors' claims for their generations; not measured. For the host of a discrete GPU, see
// EngineTraits::host_work.
double work_per_cycle(std::string_view cpu_type) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kCores = {
      {{"Neoverse-V3AE", 1.5}, {"Carmel", 0.75}, {"Denver", 0.6}, {"Cortex-A57", 0.5}}};
  for (const auto& [name, work] : kCores) {
    if (cpu_type.find(name) != std::string_view::npos) return work;
  }
  return 1;
}

// A streamed matrix keeps more requests in flight than the kernels to which a twin is fitted.
// TensorRT-LLM reads its weights at 0.86 of the peak, while those kernels would reach 0.72.
constexpr double kStreamRequests = 2;
// Share of the additional rate of 8-bit units that products gain. SmoothQuant's authors measured
// prompts up to 1.56 times as fast as in FP16 (arXiv 2211.10438, abstract). Also used for FP4.
constexpr double kNarrowGain = 0.64;

// Number of weights to unpack per stored element.
double unpacked_share(StoredType type) {
  const StoredTypeFacts& facts = facts_of(type);
  if (facts.packed > 1) return facts.packed;
  return facts.bits() < 16 ? 1 : 0;
}

// Elements of the matrices that a step of one token uses, by how they are stored.
struct StoredShare {
  double all = 0, packed = 0;
  PerNarrow narrow = {};
};
StoredShare stored_share(const Description& description, std::span<const Tensor> tensors) {
  StoredShare share;
  for (const Tensor& tensor : tensors) {
    if (tensor.role != Role::kMatrix && tensor.role != Role::kExpert) continue;
    if (is_of_another(tensor.name)) continue;
    const double times = unpacked_share(tensor.type);
    auto numbers = static_cast<double>(tensor.elements()) * (times > 0 ? times : 1);
    if (tensor.role == Role::kExpert && tensor.layer >= 0 &&
        tensor.layer < static_cast<int>(description.layers.size())) {
      const auto layer = static_cast<std::size_t>(tensor.layer);
      numbers *= expert_share(description.layers[layer].feed_forward, 1);
    }
    share.all += numbers;
    if (times > 0) share.packed += numbers;
    for (std::size_t i = 0; i < share.narrow.size(); ++i) {
      if (facts_of(tensor.type).arithmetic == kNarrowArithmetics[i]) share.narrow[i] += numbers;
    }
  }
  return share;
}

// Bytes that a layer reads and writes per token in 16 bits, without its weights and cache: norms,
// inputs and outputs of its matrices, the residual.
double activation_bytes(const Layer& layer, double hidden) {
  constexpr double kHidden = 14, kFeedForward = 6, kBytes = 2;
  const Attention& a = layer.attention;
  const FeedForward& f = layer.feed_forward;
  const auto heads = static_cast<double>(a.heads * (a.key_size + a.value_size) +
                                         a.kv_heads * (a.key_size + a.value_size));
  const auto width =
      static_cast<double>(f.width + f.expert_width * f.experts_used + f.shared_width);
  return kBytes * (kHidden * hidden + 2 * heads + kFeedForward * width);
}

// Elements of the matrices that all tokens of a prompt use (`active`), and of those that only its
// last token uses (`head`).
struct LinearElements {
  double head = 0, active = 0;
};
LinearElements linear_elements(const Description& description) {
  LinearElements sum;
  for (const Weight& weight : weights_of(description)) {
    const bool embedding = weight.role == Role::kTokenEmbedding;
    auto elements = static_cast<double>(weight.elements());
    if (weight.role == Role::kSmall) continue;
    if (weight.role == Role::kExpert) {
      const auto layer = static_cast<std::size_t>(weight.layer);
      elements *= expert_share(description.layers.at(layer).feed_forward, 1);
    }
    if (weight.role == Role::kHead || (embedding && description.tied)) sum.head += elements;
    if (weight.role == Role::kMatrix || weight.role == Role::kExpert) sum.active += elements;
  }
  return sum;
}

}  // namespace

EngineBoard::EngineBoard(const Board& board) {
  if (!board.has_gpu()) {
    processor_ = std::make_shared<const twin::CpuTwin>(twin::read_cpu_twin(board));
    return;
  }
  using P = twin::TwinParam;
  top_ = knob_space(board).top();
  cpu_per_hz_ = work_per_cycle(board.cpu_type);
  sms_ = board.sms;
  flop_per_hz_ = peak_flops(board, top_, Arithmetic::kFp16) / top_.gpu_clock_hz / sms_;
  for (std::size_t i = 0; i < narrow_ratio_.size(); ++i) {
    const double rate = stated_rate(board, kNarrowArithmetics[i]).value_or(0);
    narrow_ratio_[i] = std::max(1.0, rate / flop_per_hz_);
  }
  bytes_per_hz_ = peak_bandwidth(board, top_) / top_.mem_clock_hz;
  const twin::Twin twin = twin::load_twin(board);
  limit_w_ = twin.power_limit_w;
  preset_sms_ = twin.preset_sms;
  if (twin.discrete) least_gpu_hz_ = twin::least_limited_hz(twin.levels[Knob::kGpuClock]);
  request_per_hz_ = kStreamRequests * twin[P::kGpuBytesPerCycle] / sms_;
  twin_top_ =
      PowerMode{twin.cpu_cores, twin.cpu_clock_hz, twin.gpu_clock_hz, twin.mem_clock_hz, ""};
  base_w_ = twin[P::kBasePower];
  memory_w_ = twin[P::kMemoryClockPower];
  core_leakage_w_ = twin[P::kCpuCoreLeakage];
  gpu_leakage_w_ = twin[P::kGpuLeakage];
  gpu_w_ = twin[P::kGpuClockPower] + twin[P::kGpuBusyPower];
  core_w_ = twin[P::kCpuBusyPower];
  byte_j_ = twin[P::kEnergyPerByte];
  flop_j_ = twin[P::kEnergyPerFlop];
  gpu_rise_ = twin[P::kGpuVoltageRise];
  gpu_knee_ = twin[P::kGpuVoltageKnee];
  cpu_rise_ = twin[P::kCpuVoltageRise];
  cpu_knee_ = twin[P::kCpuVoltageKnee];
}

EngineRates EngineBoard::rates(const PowerMode& mode, double sms) const {
  EngineRates rates;
  rates.cpu_hz = mode.cpu_clock_hz * cpu_per_hz_;
  rates.host = least_gpu_hz_ > 0;
  rates.gpu_hz = mode.gpu_clock_hz;
  rates.unpack_hz = mode.gpu_clock_hz * sms;
  rates.flop_per_s = flop_per_hz_ * rates.unpack_hz;
  for (std::size_t i = 0; i < narrow_ratio_.size(); ++i) {
    rates.narrow_speedup[i] = 1 + kNarrowGain * (narrow_ratio_[i] - 1);
  }
  const double dram = bytes_per_hz_ * mode.mem_clock_hz;
  const double request = request_per_hz_ * rates.unpack_hz;
  rates.bytes_per_s = 1 / soft_maximum(1 / dram, 1 / request, 6);
  return rates;
}

EngineHardware EngineBoard::operator()(const PowerMode& asked, int sms) const {
  const auto limit = least_gpu_hz_ > 0 ? power_limit_w(asked) : std::nullopt;
  if (least_gpu_hz_ > 0 && !asked.governor.empty() && !limit) {
    throw NotSupportedError("governors are not modelled for this board", asked.governor,
                            "give a power limit, for example limit=150");
  }
  PowerMode mode = asked;
  for (const Knob knob : kKnobs) {
    if (!mode.has(knob)) mode.set(knob, top_.get(knob));
  }
  const auto preset = std::find_if(preset_sms_.begin(), preset_sms_.end(),
                                   [&](const auto& one) { return one.first == mode; });
  if (sms <= 0 && preset != preset_sms_.end()) sms = preset->second;
  const double units = sms > 0 ? sms : sms_;
  EngineHardware h;
  static_cast<EngineRates&>(h) = rates(mode, units);
  h.top = rates(top_, units);
  h.peaks = {bytes_per_hz_ * mode.mem_clock_hz, h.flop_per_s, narrow_ratio_};
  h.limit_w = std::min(limit_w_, limit.value_or(limit_w_));
  // Like twin::idle_power_w and the dynamic terms of its estimates.
  const double gpu = mode.gpu_clock_hz / twin_top_.gpu_clock_hz;
  const double cpu = mode.cpu_clock_hz / twin_top_.cpu_clock_hz;
  const double gpu_voltage = twin::relative_voltage(gpu, gpu_rise_, gpu_knee_);
  const double cpu_voltage = twin::relative_voltage(cpu, cpu_rise_, cpu_knee_);
  h.leak_w = mode.cpu_cores * core_leakage_w_ * cpu_voltage * cpu_voltage +
             gpu_leakage_w_ * gpu_voltage * gpu_voltage;
  h.idle_w = base_w_ + memory_w_ * mode.mem_clock_hz / twin_top_.mem_clock_hz + h.leak_w;
  h.gpu_w = gpu_w_ * top_.gpu_clock_hz / twin_top_.gpu_clock_hz * gpu_voltage * gpu_voltage;
  h.core_w = core_w_ * cpu * cpu_voltage * cpu_voltage;
  h.byte_j = byte_j_;
  h.flop_j = flop_j_ * gpu_voltage * gpu_voltage;
  return h;
}

EngineWork decode_work(const Description& description, std::span<const Tensor> tensors,
                       double context, StoredType kv_type, std::int64_t batch) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(1.0, context)));
  const DecodeStep step = decode_step(description, tensors, kv_type, whole, batch);
  EngineWork work;
  work.layers = static_cast<double>(description.layers.size());
  work.vocabulary = static_cast<double>(description.vocabulary);
  work.sequences = static_cast<double>(batch);
  work.weight_bytes = step.weight_bytes;
  work.cache_bytes = step.kv_read_bytes;
  work.linear_flop = step.work_flop;  // includes attention, which is little work at one token
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::kTokenEmbedding && !description.tied) continue;
    double share = unpacked_share(tensor.type);
    if (share == 0) continue;
    if (!is_of_another(tensor.name)) work.packed_matrices += 1;
    if (tensor.role == Role::kExpert && tensor.layer >= 0 &&
        tensor.layer < static_cast<int>(description.layers.size())) {
      const auto layer = static_cast<std::size_t>(tensor.layer);
      share *= expert_share(description.layers[layer].feed_forward, batch);
    }
    work.unpacked += share * static_cast<double>(tensor.elements());
  }
  return work;
}

EngineWork prompt_work(const Description& description, std::span<const Tensor> tensors,
                       double tokens, std::int64_t batch) {
  const auto prompts = static_cast<double>(batch);
  // The tokens of a prompt use nearly every expert.
  const auto routed = static_cast<std::int64_t>(std::llround(tokens * prompts));
  EngineWork work = decode_work(description, tensors, tokens, StoredType::kF16, routed);
  work.cache_bytes = 0;
  const LinearElements linear = linear_elements(description);
  work.linear_flop = prompts * (2 * tokens * linear.active + 2 * linear.head);
  const StoredShare stored = stored_share(description, tensors);
  if (stored.all > 0) {
    const double matrices = prompts * 2 * tokens * linear.active;
    work.packed_flop = matrices * stored.packed / stored.all;
    for (std::size_t i = 0; i < stored.narrow.size(); ++i) {
      work.narrow_flop[i] = matrices * stored.narrow[i] / stored.all;
    }
  }
  for (const Layer& layer : description.layers) {
    work.activation_bytes +=
        prompts * tokens * activation_bytes(layer, static_cast<double>(description.hidden));
    const Attention& a = layer.attention;
    if (a.kind == AttentionKind::kNone) continue;
    constexpr double kScoreBytes = 4;
    work.score_bytes += prompts * kScoreBytes * static_cast<double>(a.heads) * tokens * tokens;
    const auto window = static_cast<double>(a.window);
    const bool slides = a.window > 0 && tokens > window;
    const double pairs = slides ? tokens * window : tokens * (tokens + 1) / 2;
    work.attention_flop +=
        prompts * 2 * pairs * static_cast<double>(a.heads * (a.key_size + a.value_size));
  }
  return work;
}

}  // namespace ridgewatt::llm
