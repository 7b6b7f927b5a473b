#include "ridgewatt/llm/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/llm/engine/held_phase.h"
#include "ridgewatt/llm/engine_file.h"
#include "ridgewatt/llm/engine_fit.h"
#include "ridgewatt/llm/processor.h"

namespace ridgewatt::llm {
namespace {

constexpr double kInterval = 0.9;

PredictedValue predicted(double value, const twin::LogError& error) {
  return {error.middle(value), error.lo(value, kInterval), error.hi(value, kInterval)};
}

PredictedValue at_least(const PredictedValue& a, const PredictedValue& b) {
  return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high)};
}

// The product of `a` and `b`. Its interval is limited to the products of their ends.
PredictedValue within(PredictedValue product, const PredictedValue& a, const PredictedValue& b) {
  product.value = a.value * b.value;
  product.low = std::clamp(product.low, a.low * b.low, product.value);
  product.high = std::clamp(product.high, product.value, a.high * b.high);
  return product;
}

PredictedValue over(double value, const PredictedValue& by) {
  return {value / by.value, value / by.high, value / by.low};
}

// Standard deviations of ln(measured / modelled) for llama.cpp on a processor: the part that the
// parameters do not explain, and that of rates derived from another type
// (docs/results/local_cpu.md).
constexpr double kProcessorSd = 0.1;
constexpr double kDerivedSd = 0.25;

int threads_of(const twin::CpuTwin& twin, const PowerMode& mode) {
  return mode.cpu_cores > 0 ? mode.cpu_cores : static_cast<int>(twin.rates.size());
}

Forecast on_processor(const twin::CpuTwin& twin, const ProcessorWork& work, const Request& request,
                      const PowerMode& mode) {
  const int threads = threads_of(twin, mode);
  // The mean context of the generation. A step's time is linear in the context.
  const double context = static_cast<double>(request.prompt_tokens) +
                         (static_cast<double>(request.generated_tokens) + 1) / 2;
  const auto value = [&](const twin::CpuModel& seconds) {
    const double sd = std::sqrt(kProcessorSd * kProcessorSd + parameter_variance(twin, seconds));
    return predicted(seconds(twin), {std::hypot(sd, kDerivedSd * derived_share(work))});
  };
  Forecast forecast;
  forecast.ttft_s =
      value([&](const twin::CpuTwin& moved) { return processor_prompt_s(moved, work, threads); });
  forecast.tpot_s = value(
      [&](const twin::CpuTwin& moved) { return processor_step_s(moved, work, context, threads); });
  forecast.tokens_per_s = over(static_cast<double>(request.concurrency), forecast.tpot_s);
  forecast.request_s = forecast.ttft_s.value +
                       static_cast<double>(request.generated_tokens - 1) * forecast.tpot_s.value;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  forecast.idle_w = kUnknown;
  for (PredictedValue* unknown : {&forecast.prefill_power_w, &forecast.decode_power_w,
                                  &forecast.joules_per_token, &forecast.request_j}) {
    *unknown = {kUnknown, kUnknown, kUnknown};
  }
  forecast.limited_by = processor_limit(twin, work, context, threads);
  return forecast;
}

// Deviation of ln(time) because of the power limit. An error of the power is one of the clock at
// which a discrete GPU holds the limit. How far a board lowers its clocks is not known: the time in
// which it spends the same energy at the limit is the upper end of the 90 % interval.
double limit_sd(const HeldPhase& phase, double power_sd, double idle_w) {
  if (phase.lowered) return phase.time_over_power * power_sd;
  if (!(phase.over() > 1)) return 0;
  const double left_w = phase.free.limit_w - idle_w;
  return std::log(left_w > 0 ? (phase.free_w - idle_w) / left_w : phase.over()) / kNormal95;
}

// The power of a phase, with its error.
struct PhasePower {
  double value = 0;    // may exceed the limit of a board
  double about_w = 0;  // center of the error: the power without the limit if the limit cuts it
  bool over = false;
  twin::LogError error;
  const char* limit = "the module's limit";

  template <typename Power>
  PhasePower(const HeldPhase& phase, double sd, double idle_w, const Power& power)
      : value(power(phase.hardware)),
        about_w(value),
        error{sd, 0, std::min(idle_w, phase.most_w), phase.most_w} {
    const double free_w = power(phase.free);
    over = phase.held && free_w > phase.most_w;
    if (over) about_w = free_w;
    if (phase.lowered) limit = "the power limit";
  }
  // A device at its limit draws it within the scatter of cells.
  PredictedValue predicted() const {
    PredictedValue found = llm::predicted(about_w, error);
    if (over) {
      const double scattered_w = found.value * std::exp(-kNormal95 * kCellSd);
      found.low = std::min(found.low, error.middle(scattered_w));
    }
    return found;
  }
};

void add_lowered(const HeldPhase& phase, const char* figure, std::vector<std::string>& bounds) {
  if (!phase.lowered) return;
  bounds.push_back(fmt::format("{}: the power limit, at a GPU clock of {:.4g} MHz", figure,
                               phase.hardware.gpu_hz / 1e6));
}

void add_over_limit(const HeldPhase& phase, const char* of, std::vector<std::string>& reasons) {
  const double limit_w = phase.free.limit_w;
  if (!phase.held) {
    reasons.push_back(fmt::format(
        "power of {}: more than the limit of {:.3g} W also at the lowest GPU clock", of, limit_w));
  } else if (phase.over() > 1 && !phase.lowered) {
    reasons.push_back(
        fmt::format("power of {}: {:.3g} W by the model, more than the module's limit of {:.3g} W: "
                    "the board would lower its clocks",
                    of, phase.free_w, limit_w));
  }
}

// Reports the ends of the interval that a physical bound cuts off.
void add_bounds(const twin::LogError& error, double value, const std::string& figure,
                const char* least, const char* most, std::vector<std::string>& bounds) {
  const double factor = error.factor(kInterval);
  if (value / factor < error.least) bounds.push_back(figure + ": " + least);
  if (value * factor > error.most) bounds.push_back(figure + ": " + most);
}

}  // namespace

struct RequestWork {
  // Layers with the same window, and bytes per cached token that a step reads in them.
  struct CacheGroup {
    double window = 0;  // 0: no window
    double bytes = 0;
  };
  Request request;
  EngineWork decode, prompt;
  std::vector<CacheGroup> cache;
  ProcessorWork processor;  // for the cores of a board without a GPU
  bool gguf = false;        // weights use block types that only GGUF files have

  void add_cache(const Description& description) {
    for (const Layer& layer : description.layers) {
      Attention attention = layer.attention;
      attention.shares_cache = false;  // a layer still reads a cache that it shares
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
  // Mean bytes per step while the cache grows from `from` to `to` tokens. A window limits the
  // growth.
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
  if (request.prompt_tokens < 1) throw UsageError("the prompt must have at least one token");
  if (request.generated_tokens < 1) throw UsageError("at least one token must be generated");
  if (request.concurrency < 1) throw UsageError("the concurrency must be at least one sequence");
  auto work = std::make_shared<RequestWork>();
  work->request = request;
  work->add_cache(description);
  work->gguf = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return facts_of(tensor.type).safetensors.empty();
  });
  work->decode = decode_work(description, tensors, static_cast<double>(request.prompt_tokens),
                             request.kv_type, request.concurrency);
  const auto first = static_cast<double>(request.prompt_tokens + 1);
  const auto last = static_cast<double>(request.prompt_tokens + request.generated_tokens);
  work->decode.cache_bytes = work->read_bytes(std::min(first, last), last);
  work->prompt = prompt_work(description, tensors, static_cast<double>(request.prompt_tokens),
                             request.concurrency);
  work->processor = processor_work(description, tensors, request, work->prompt);
  return work;
}

std::array<PhaseWork, 2> phases_of(const RequestWork& work) {
  const auto of = [](StepPhase phase, const EngineWork& w) {
    return PhaseWork{phase, w.linear_flop + w.attention_flop, w.weight_bytes + w.cache_bytes};
  };
  return {of(StepPhase::kPrefill, work.prompt), of(StepPhase::kDecode, work.decode)};
}

struct Forecaster::Bound {
  const EngineRelease& release;
  Engine engine;
  EngineScales scales;
  std::shared_ptr<const RequestWork> work;
  std::shared_ptr<const EngineBoard> board;
  double dynamic = 1;  // factor on the power above idle
  double other_step = 0, other_prompt = 0, other_power = 0;

  double decode_power_w(const EngineWork& decode, const EngineHardware& hardware) const {
    return metered_w(engine.decode_power_w(decode, hardware), engine.decode_idle_w(hardware),
                     dynamic);
  }
  double prefill_power_w(const EngineHardware& hardware) const {
    return metered_w(engine.prefill_power_w(work->prompt, hardware),
                     engine.prefill_idle_w(hardware), dynamic);
  }
  HeldPhase decoding(const EngineWork& decode, const PowerMode& mode, int sms) const {
    return held_phase(*board, mode, sms, [&](const EngineHardware& h) {
      return PhaseCost{engine.step_s(decode, h), decode_power_w(decode, h)};
    });
  }
  HeldPhase prefilling(const PowerMode& mode, int sms) const {
    return held_phase(*board, mode, sms, [&](const EngineHardware& h) {
      return PhaseCost{engine.prompt_s(work->prompt, h),
                       std::max(prefill_power_w(h), decode_power_w(work->decode, h))};
    });
  }
};

Forecaster::Forecaster(const ShippedEngine& engine, const Description& description,
                       std::span<const Tensor> tensors, const Board& board, const Request& request)
    : Forecaster(engine, request_work(description, tensors, request), board,
                 std::make_shared<const EngineBoard>(board)) {}

Forecaster::Forecaster(const ShippedEngine& engine, std::shared_ptr<const RequestWork> work,
                       const Board& board, std::shared_ptr<const EngineBoard> hardware) {
  const EngineRelease& release = engine.release_for(board, work->gguf);
  const std::int64_t concurrency = work->request.concurrency;
  auto bound = std::make_shared<Bound>(
      Bound{release, release.engine, release.scales, std::move(work), std::move(hardware)});
  const std::span<const BoardDraw> draws = shipped_engine_file().boards;
  bound->dynamic = dynamic_of(draws, board.name) * dynamic_of(draws, board.relative);
  const auto& boards = release.boards;
  if (bound->board->processor() != nullptr) {
    arithmetic_ = Arithmetic::kFp32;
    if (derived_share(bound->work->processor) > 0) {
      widened_by_.emplace_back("types of weights whose rates were not measured on this processor");
    }
    if (concurrency > 1) widened_by_.emplace_back("only single sequences were measured");
    bound_ = std::move(bound);
    return;
  }
  if (boards.empty()) {
    widened_by_.push_back(release.title +
                          " was not fitted on any board; it is estimated from other engines");
  } else if (!contains(boards, board.name)) {
    widened_by_.push_back(release.title + " was fitted on another board: " + boards.front());
  }
  const bool other = !widened_by_.empty();
  if (!boards.empty() && release.engine.prompt.rows == 0) {
    widened_by_.push_back(release.title +
                          " was fitted to no prompt; its prompts are estimated from other engines");
  }
  if (other) {
    bound->other_step = board.discrete_gpu ? kOtherCardStep : kOtherBoardStep;
    bound->other_prompt = kOtherBoardPrompt;
    bound->other_power = kOtherBoardPower;
  }
  if (concurrency > 1) {
    widened_by_.push_back("only single sequences were measured");
    constexpr double kSequences = 0.1;
    bound->other_step = std::hypot(bound->other_step, kSequences);
    bound->other_prompt = std::hypot(bound->other_prompt, kSequences);
    bound->other_power = std::hypot(bound->other_power, kSequences);
  }
  const EngineWork& prompt = bound->work->prompt;
  for (std::size_t i = 0; i < kNarrowArithmetics.size(); ++i) {
    if (!(prompt.narrow_flop[i] > 0) || !release.engine.traits.narrow_products) continue;
    const Arithmetic arithmetic = kNarrowArithmetics[i];
    if (supports(board, arithmetic)) {
      arithmetic_ = arithmetic;
    } else {
      widened_by_.push_back(
          fmt::format("{}: the GPU has no units for it, so that the weights are "
                      "widened to FP16",
                      name_of(arithmetic)));
    }
  }
  bound_ = std::move(bound);
}

const EngineRelease& Forecaster::release() const {
  return bound_->release;
}

Forecast Forecaster::operator()(const PowerMode& mode, int sms) const {
  const Bound& b = *bound_;
  if (const twin::CpuTwin* processor = b.board->processor()) {
    return on_processor(*processor, b.work->processor, b.work->request, mode);
  }
  const Engine& engine = b.engine;
  const HeldPhase decode = b.decoding(b.work->decode, mode, sms);
  const HeldPhase prefill = b.prefilling(mode, sms);
  const auto sequences = static_cast<double>(b.work->request.concurrency);
  const auto further = static_cast<double>(b.work->request.generated_tokens - 1);
  const double step = engine.step_s(b.work->decode, decode.hardware);
  const double first = engine.prompt_s(b.work->prompt, prefill.hardware);
  const auto decode_power = [&](const EngineHardware& h) {
    return b.decode_power_w(b.work->decode, h);
  };
  const auto prefill_power = [&](const EngineHardware& h) { return b.prefill_power_w(h); };
  const double decode_sd = std::hypot(
      b.scales.decode_power * engine.decode_power_log_sd(b.work->decode, decode.hardware),
      b.other_power);
  const double prefill_sd = std::hypot(
      b.scales.prefill_power * engine.prefill_power_log_sd(b.work->prompt, prefill.hardware),
      b.other_power);
  const double idle_w = engine.decode_idle_w(decode.hardware);
  const double prefill_idle_w = engine.prefill_idle_w(prefill.hardware);
  const double step_sd =
      std::hypot(b.scales.step * engine.step_log_sd(b.work->decode, decode.hardware), b.other_step,
                 limit_sd(decode, decode_sd, idle_w));
  const double first_sd =
      std::hypot(b.scales.prompt * engine.prompt_log_sd(b.work->prompt, prefill.hardware),
                 b.other_prompt, limit_sd(prefill, prefill_sd, prefill_idle_w));
  const double token_sd = std::hypot(step_sd, decode_sd);
  const twin::LogError step_error{step_sd, 0, engine.least_s(b.work->decode, decode.free)};
  const twin::LogError first_error{first_sd, 0, engine.least_s(b.work->prompt, prefill.free)};
  const PhasePower decode_w(decode, decode_sd, idle_w, decode_power);
  const PhasePower prefill_w(prefill, prefill_sd, idle_w, prefill_power);

  Forecast forecast;
  forecast.idle_w = decode_w.error.least;
  forecast.ttft_s = predicted(first, first_error);
  forecast.tpot_s = predicted(step, step_error);
  forecast.tokens_per_s = over(sequences, forecast.tpot_s);
  forecast.decode_power_w = decode_w.predicted();
  // Prefill computes more per second than decode, so it draws at least as much power. The fit may
  // be lower because the meters of the fitted runs lag behind short prompts.
  const PredictedValue fitted_w = prefill_w.predicted();
  forecast.prefill_power_w = at_least(fitted_w, forecast.decode_power_w);
  forecast.joules_per_token = within(predicted(decode_w.value * step, {token_sd}),
                                     forecast.decode_power_w, forecast.tpot_s) *
                              (1 / sequences);
  const double first_s = forecast.ttft_s.value, step_s = forecast.tpot_s.value;
  forecast.request_s = first_s + further * step_s;
  const double prefill_j = forecast.prefill_power_w.value * first_s;
  const double decode_j = forecast.decode_power_w.value * further * step_s;
  // The deviation of a sum of two values with independent errors.
  const double request_sd =
      std::hypot(prefill_j * std::hypot(first_sd, prefill_sd), decode_j * token_sd) /
      (prefill_j + decode_j);
  forecast.request_j = predicted((prefill_j + decode_j) / sequences, {request_sd});
  add_over_limit(decode, "decoding", forecast.widened_by);
  add_over_limit(prefill, "the prompt", forecast.widened_by);
  forecast.over_limit = !forecast.widened_by.empty();
  constexpr double kWide = 6;  // chosen: ratio of the ends above which a reason is reported
  const auto wide = [](const PredictedValue& one) { return one.high > kWide * one.low; };
  const bool request = wide(forecast.request_j);
  if (widened_by_.empty() && (wide(forecast.ttft_s) || (request && first_sd > step_sd))) {
    forecast.widened_by.push_back("first token: " +
                                  engine.prompt_least_known(b.work->prompt, prefill.hardware));
  }
  if (widened_by_.empty() && (wide(forecast.tpot_s) || wide(forecast.joules_per_token) ||
                              (request && first_sd <= step_sd))) {
    forecast.widened_by.push_back("time per token: " +
                                  engine.step_least_known(b.work->decode, decode.hardware));
  }
  auto& bounds = forecast.bounded_by;
  add_bounds(first_error, first, "ttft_ms", "the roof", "", bounds);
  add_bounds(step_error, step, "tpot_ms", "the roof", "", bounds);
  add_bounds(decode_w.error, decode_w.about_w, "decode_power_w", "idle power", decode_w.limit,
             bounds);
  add_bounds(prefill_w.error, prefill_w.about_w, "prefill_power_w", "idle power", prefill_w.limit,
             bounds);
  add_lowered(decode, "tpot_ms", bounds);
  add_lowered(prefill, "ttft_ms", bounds);
  if (fitted_w.value < forecast.prefill_power_w.value) {
    bounds.emplace_back("prefill_power_w: power of decoding");
  }
  forecast.limited_by = engine.step_limited_by(b.work->decode, decode.hardware);
  return forecast;
}

double Forecaster::step_s(const PowerMode& mode, std::int64_t context) const {
  const Bound& b = *bound_;
  const auto tokens = static_cast<double>(std::max<std::int64_t>(1, context));
  if (const twin::CpuTwin* processor = b.board->processor()) {
    return processor_step_s(*processor, b.work->processor, tokens, threads_of(*processor, mode));
  }
  EngineWork work = b.work->decode;
  work.cache_bytes = b.work->read_bytes(tokens, tokens);
  return b.engine.step_s(work, b.decoding(work, mode, 0).hardware);
}

}  // namespace ridgewatt::llm
