#include "ridgewatt/llm/forecast.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/engine_file.h"

namespace ridgewatt::llm {
namespace {

constexpr double kZ90 = 1.645;  // half of a 90 % interval, in standard deviations

PredictedValue predicted(double value, double log_sd) {
  return {value, value * std::exp(-kZ90 * log_sd), value * std::exp(kZ90 * log_sd)};
}

}  // namespace

struct RequestWork {
  // Layers that hold the same of a cache, and bytes per token that a step reads of them.
  struct CacheGroup {
    double window = 0;  // 0: all
    double bytes = 0;
  };
  Request request;
  EngineWork decode, prompt;
  std::vector<CacheGroup> cache;

  void add_cache(const Description& description) {
    for (const Layer& layer : description.layers) {
      Attention attention = layer.attention;
      attention.shares_cache = false;  // what it shares it reads all the same
      const auto elements = static_cast<double>(attention.cached_elements());
      if (elements == 0) continue;
      const auto window = static_cast<double>(attention.window);
      const auto same = std::find_if(cache.begin(), cache.end(),
                                     [&](const CacheGroup& one) { return one.window == window; });
      CacheGroup& group = same == cache.end() ? cache.emplace_back() : *same;
      group.window = window;
      group.bytes += elements * facts_of(request.kv_type).bits() / 8;
    }
  }
  // Mean over steps with `from` to `to` tokens in the cache: of a ramp that ends at a window.
  double read_bytes(double from, double to) const {
    double bytes = 0;
    for (const CacheGroup& group : cache) {
      const double end = group.window > 0 ? group.window : to;
      double tokens = (from + to) / 2;
      if (from >= end) {
        tokens = end;
      } else if (to > end) {
        tokens = ((end - from) * (from + end) / 2 + (to - end) * end) / (to - from);
      }
      bytes += group.bytes * tokens;
    }
    return static_cast<double>(request.concurrency) * bytes;
  }
};

std::shared_ptr<const RequestWork> request_work(const Description& description,
                                                std::span<const Tensor> tensors,
                                                const Request& request) {
  if (request.prompt_tokens < 1) throw UsageError("a prompt has at least one token");
  if (request.generated_tokens < 1) throw UsageError("at least one token must be generated");
  if (request.concurrency < 1) throw UsageError("there must be at least one sequence");
  auto work = std::make_shared<RequestWork>();
  work->request = request;
  work->add_cache(description);
  work->decode = decode_work(description, tensors, static_cast<double>(request.prompt_tokens),
                             request.kv_type, request.concurrency);
  const auto first = static_cast<double>(request.prompt_tokens + 1);
  const auto last = static_cast<double>(request.prompt_tokens + request.generated_tokens);
  work->decode.cache_bytes = work->read_bytes(std::min(first, last), last);
  work->prompt = prompt_work(description, tensors, static_cast<double>(request.prompt_tokens),
                             request.concurrency);
  return work;
}

struct Forecaster::Bound {
  Engine engine;
  EngineScales scales;
  std::shared_ptr<const RequestWork> work;
  std::shared_ptr<const EngineBoard> board;
  double dynamic = 1;  // of power above idle
  double other_step = 0, other_prompt = 0, other_power = 0;
};

Forecaster::Forecaster(const ShippedEngine& engine, const Description& description,
                       std::span<const Tensor> tensors, const Board& board, const Request& request)
    : Forecaster(engine, request_work(description, tensors, request), board,
                 std::make_shared<const EngineBoard>(board)) {}

Forecaster::Forecaster(const ShippedEngine& engine, std::shared_ptr<const RequestWork> work,
                       const Board& board, std::shared_ptr<const EngineBoard> hardware) {
  const EngineRelease& release = engine.release_for(board.name);
  const std::int64_t concurrency = work->request.concurrency;
  auto bound = std::make_shared<Bound>(
      Bound{release.engine, release.scales, std::move(work), std::move(hardware)});
  const std::span<const BoardDraw> draws = shipped_engine_file().boards;
  bound->dynamic = dynamic_of(draws, board.name) * dynamic_of(draws, board.relative);
  const auto& boards = release.boards;
  if (boards.empty()) {
    widened_by_.push_back(release.title + " was fitted on no board: drawn from other engines");
  } else if (std::find(boards.begin(), boards.end(), board.name) == boards.end()) {
    widened_by_.push_back(release.title + " was fitted on another board: " + boards.front());
  }
  if (!widened_by_.empty()) {
    bound->other_step = kOtherBoardStep;
    bound->other_prompt = kOtherBoardPrompt;
    bound->other_power = kOtherBoardPower;
  }
  if (concurrency > 1) {
    widened_by_.push_back("cells of one sequence were fitted, not of several");
    constexpr double kSequences = 0.1;
    bound->other_step = std::hypot(bound->other_step, kSequences);
    bound->other_prompt = std::hypot(bound->other_prompt, kSequences);
    bound->other_power = std::hypot(bound->other_power, kSequences);
  }
  bound_ = std::move(bound);
}

Forecast Forecaster::operator()(const PowerMode& mode) const {
  const Bound& b = *bound_;
  const Engine& engine = b.engine;
  const EngineHardware hardware = (*b.board)(mode);
  const auto sequences = static_cast<double>(b.work->request.concurrency);
  const auto further = static_cast<double>(b.work->request.generated_tokens - 1);
  const double step = engine.step_s(b.work->decode, hardware);
  const double first = engine.prompt_s(b.work->prompt, hardware);
  const double decode_idle_w = engine.decode_idle_w(hardware);
  const double prefill_idle_w = engine.prefill_idle_w(hardware);
  const double decode_w =
      decode_idle_w + b.dynamic * (engine.decode_power_w(b.work->decode, hardware) - decode_idle_w);
  const double prefill_w =
      prefill_idle_w +
      b.dynamic * (engine.prefill_power_w(b.work->prompt, hardware) - prefill_idle_w);
  const double step_sd =
      std::hypot(b.scales.step * engine.step_log_sd(b.work->decode, hardware), b.other_step);
  const double first_sd =
      std::hypot(b.scales.prompt * engine.prompt_log_sd(b.work->prompt, hardware), b.other_prompt);
  const double decode_sd = std::hypot(
      b.scales.decode_power * engine.decode_power_log_sd(b.work->decode, hardware), b.other_power);
  const double prefill_sd =
      std::hypot(b.scales.prefill_power * engine.prefill_power_log_sd(b.work->prompt, hardware),
                 b.other_power);
  const double token_sd = std::hypot(step_sd, decode_sd);

  Forecast forecast;
  forecast.ttft_s = predicted(first, first_sd);
  forecast.tpot_s = predicted(step, step_sd);
  forecast.tokens_per_s = predicted(sequences / step, step_sd);
  forecast.prefill_power_w = predicted(prefill_w, prefill_sd);
  forecast.decode_power_w = predicted(decode_w, decode_sd);
  forecast.joules_per_token = predicted(decode_w * step / sequences, token_sd);
  forecast.request_s = first + further * step;
  const double prefill_j = prefill_w * first, decode_j = decode_w * further * step;
  // Of a sum of two that do not err together.
  const double request_sd =
      std::hypot(prefill_j * std::hypot(first_sd, prefill_sd), decode_j * token_sd) /
      (prefill_j + decode_j);
  forecast.request_j = predicted((prefill_j + decode_j) / sequences, request_sd);
  forecast.limited_by = engine.step_limited_by(b.work->decode, hardware);
  return forecast;
}

double Forecaster::step_s(const PowerMode& mode, std::int64_t context) const {
  const Bound& b = *bound_;
  EngineWork work = b.work->decode;
  const auto tokens = static_cast<double>(std::max<std::int64_t>(1, context));
  work.cache_bytes = b.work->read_bytes(tokens, tokens);
  return b.engine.step_s(work, (*b.board)(mode));
}

}  // namespace ridgewatt::llm
