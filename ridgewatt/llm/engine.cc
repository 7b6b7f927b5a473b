#include "ridgewatt/llm/engine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "ridgewatt/llm/footprint.h"

namespace ridgewatt::llm {
namespace {

// Guesses before any row is seen, and how strongly coefficients are drawn to them: 2e5 cycles of
// the CPU and of the GPU for a layer's launches; 87 % of the peak of the DRAM (STREAM's triad on
// AGX Orin reaches 86 to 92 %); unpacking mostly hidden behind the memory; 20 cycles of the CPU for
// each word that may come next; 40 % of the peak of products and 13 % in attention for a prompt.
constexpr std::array<double, kStepTerms> kStepPrior = {2e5, 2e5, 1.15, 2.5, 0.01, 20};
constexpr std::array<double, kStepTerms> kStepPull = {1e-3, 1e-3, 1e-1, 1e-3, 1e-2, 1e-3};
constexpr std::array<double, kPromptTerms> kPromptPrior = {1.76e6, 1.15, 2.5, 7.5};
constexpr std::array<double, kPromptTerms> kPromptPull = {1e-4, 1e-2, 1e-4, 1e-4};
constexpr std::array<double, kDrawTerms> kDrawPrior = {20, 1.5e-10, 3e-11};
constexpr std::array<double, kDrawTerms> kDrawPull = {1e-2, 1e-2, 1e-2};

std::array<double, kStepTerms> step_terms(const EngineWork& work, const EngineHardware& h) {
  return {work.layers / h.cpu_hz,
          work.layers / h.gpu_hz,
          work.weight_bytes / h.bytes_per_s,
          work.cache_bytes / h.bytes_per_s,
          work.unpacked / h.unpack_hz,
          work.vocabulary / h.cpu_hz};
}
std::array<double, kPromptTerms> prompt_terms(const EngineWork& work, const EngineHardware& h) {
  return {work.layers / h.cpu_hz, work.weight_bytes / h.bytes_per_s,
          work.linear_flop / h.flop_per_s, work.attention_flop / h.flop_per_s};
}
std::array<double, kDrawTerms> draw_terms(const EngineWork& work, double seconds) {
  return {1, work.weight_bytes / seconds, work.unpacked / seconds};
}

template <std::size_t N>
double sum_of(const std::array<double, N>& coefficients, const std::array<double, N>& terms) {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += coefficients[i] * terms[i];
  return sum;
}

template <std::size_t N>
struct Observation {
  std::array<double, N> terms;  // over the measured value
  double weight = 0;
};

// Minimizes sum of w (1 - b x)^2 + W pull (b / prior - 1)^2 by descent along the coordinates; the
// problem is convex, and the bound keeps it so.
template <std::size_t N>
std::array<double, N> least_squares(const std::vector<Observation<N>>& observations,
                                    const std::array<double, N>& prior,
                                    const std::array<double, N>& pull) {
  std::array<std::array<double, N>, N> products = {};
  std::array<double, N> sums = {};
  double weight = 0;
  for (const auto& one : observations) {
    weight += one.weight;
    for (std::size_t i = 0; i < N; ++i) {
      sums[i] += one.weight * one.terms[i];
      for (std::size_t j = 0; j < N; ++j) {
        products[i][j] += one.weight * one.terms[i] * one.terms[j];
      }
    }
  }
  std::array<double, N> b = prior;
  if (observations.empty()) return b;
  constexpr int kSweeps = 5000;
  constexpr double kLeast = 1e-3;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < N; ++i) {
      double rest = sums[i];
      for (std::size_t j = 0; j < N; ++j) {
        if (j != i) rest -= products[i][j] * b[j];
      }
      const double hold = weight * pull[i] / (prior[i] * prior[i]);
      b[i] = std::max((rest + hold * prior[i]) / (products[i][i] + hold), kLeast * prior[i]);
    }
  }
  return b;
}

// Fits the terms of the rows of which `measured` is known.
template <std::size_t N, typename Terms, typename Measured>
std::array<double, N> fit_terms(std::span<const EngineRow> rows, const std::array<double, N>& prior,
                                const std::array<double, N>& pull, const Terms& terms,
                                const Measured& measured, std::size_t* count) {
  using Group = std::tuple<std::string, std::string, std::string>;
  const auto group = [](const EngineRow& row) {
    return Group(row.board, row.model, row.quantization);
  };
  std::map<Group, double> sizes;
  for (const EngineRow& row : rows) {
    if (row.fitted && !std::isnan(measured(row))) sizes[group(row)] += 1;
  }
  std::vector<Observation<N>> observations;
  for (const EngineRow& row : rows) {
    if (!row.fitted || std::isnan(measured(row))) continue;
    Observation<N> one{terms(row), 1 / sizes.at(group(row))};
    for (double& term : one.terms) term /= measured(row);
    observations.push_back(one);
  }
  *count = observations.size();
  return least_squares(observations, prior, pull);
}

double unpacked_share(StoredType type) {
  constexpr double kPacked4 = 4;
  switch (type) {
    case StoredType::kI32:  // eight numbers of 4 bits
      return 32 / kPacked4;
    case StoredType::kU8:
      return 8 / kPacked4;
    default:
      return facts_of(type).bits() < 16 ? 1 : 0;
  }
}

}  // namespace

EngineHardware engine_hardware(const Board& board, const PowerMode& mode, int sms) {
  EngineHardware h;
  h.cpu_hz = mode.cpu_clock_hz;
  h.gpu_hz = mode.gpu_clock_hz;
  h.unpack_hz = mode.gpu_clock_hz * (sms > 0 ? sms : board.sms);
  h.bytes_per_s = peak_bandwidth(board, mode);
  h.flop_per_s = peak_flops(board, mode, Arithmetic::kFp16, sms);
  return h;
}

EngineWork decode_work(const Description& description, std::span<const Tensor> tensors,
                       double context, StoredType kv_type, std::int64_t batch) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(1.0, context)));
  const DecodeStep step = decode_step(description, tensors, kv_type, whole, batch);
  EngineWork work;
  work.layers = static_cast<double>(description.layers.size());
  work.vocabulary = static_cast<double>(description.vocabulary * batch);
  work.weight_bytes = step.weight_bytes;
  work.cache_bytes = step.kv_read_bytes;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::kTokenEmbedding && !description.tied) continue;
    double share = unpacked_share(tensor.type);
    if (tensor.role == Role::kExpert && tensor.layer >= 0) {
      const auto layer = static_cast<std::size_t>(tensor.layer);
      share *= expert_share(description.layers.at(layer).feed_forward, batch);
    }
    work.unpacked += share * static_cast<double>(tensor.elements());
  }
  return work;
}

EngineWork prompt_work(const Description& description, std::span<const Tensor> tensors,
                       double tokens) {
  EngineWork work = decode_work(description, tensors, tokens);
  double head = 0, active = 0;
  for (const Weight& weight : weights_of(description)) {
    const bool embedding = weight.role == Role::kTokenEmbedding;
    auto elements = static_cast<double>(weight.elements());
    if (weight.role == Role::kSmall) continue;
    if (weight.role == Role::kExpert) {
      const auto layer = static_cast<std::size_t>(weight.layer);
      elements *= expert_share(description.layers.at(layer).feed_forward, 1);
    }
    if (weight.role == Role::kHead || (embedding && description.tied)) head += elements;
    if (weight.role == Role::kMatrix || weight.role == Role::kExpert) active += elements;
  }
  work.linear_flop = 2 * tokens * active + 2 * head;
  for (const Layer& layer : description.layers) {
    const Attention& a = layer.attention;
    if (a.kind == AttentionKind::kNone) continue;
    const auto window = static_cast<double>(a.window);
    const bool slides = a.window > 0 && tokens > window;
    const double pairs = slides ? tokens * window : tokens * (tokens + 1) / 2;
    work.attention_flop += 2 * pairs * static_cast<double>(a.heads * (a.key_size + a.value_size));
  }
  return work;
}

double Engine::step_s(const EngineWork& work, const EngineHardware& hardware) const {
  return sum_of(step, step_terms(work, hardware));
}
double Engine::prompt_s(const EngineWork& work, const EngineHardware& hardware) const {
  return sum_of(prompt, prompt_terms(work, hardware));
}
double Engine::power_w(const EngineWork& work, double seconds) const {
  return sum_of(draw, draw_terms(work, seconds));
}

std::string Engine::step_limited_by(const EngineWork& work, const EngineHardware& hardware) const {
  auto parts = step_terms(work, hardware);
  for (std::size_t i = 0; i < kStepTerms; ++i) parts[i] *= step[i];
  const std::array<std::pair<double, const char*>, 5> causes = {{{parts[0] + parts[1], "launches"},
                                                                 {parts[2], "weights"},
                                                                 {parts[3], "cache"},
                                                                 {parts[4], "unpacking"},
                                                                 {parts[5], "vocabulary"}}};
  return std::max_element(causes.begin(), causes.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Engine fit_engine(std::span<const EngineRow> rows) {
  Engine engine;
  engine.step = fit_terms(
      rows, kStepPrior, kStepPull,
      [](const EngineRow& row) { return step_terms(row.decode, row.hardware); },
      [](const EngineRow& row) { return row.step_s; }, &engine.step_rows);
  engine.prompt = fit_terms(
      rows, kPromptPrior, kPromptPull,
      [](const EngineRow& row) { return prompt_terms(row.prompt, row.hardware); },
      [](const EngineRow& row) { return row.prompt_s; }, &engine.prompt_rows);
  engine.draw = fit_terms(
      rows, kDrawPrior, kDrawPull,
      [](const EngineRow& row) { return draw_terms(row.decode, row.step_s); },
      [](const EngineRow& row) { return row.decode_power_w; }, &engine.draw_rows);
  return engine;
}

}  // namespace ridgewatt::llm
