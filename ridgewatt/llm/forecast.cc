#include "ridgewatt/llm/forecast.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::llm {
namespace {

constexpr double kZ90 = 1.645;  // half of a 90 % interval, in standard deviations

Foretold foretold(double value, double log_sd) {
  return {value, value * std::exp(-kZ90 * log_sd), value * std::exp(kZ90 * log_sd)};
}

// Mean of the bytes that one sequence's cache is read at, over the steps of the generation: exact
// but for what windows bend between samples.
double mean_cache_bytes(const Description& description, const Request& request) {
  constexpr int kSamples = 16;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, request.generated_tokens - 1));
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double context =
        static_cast<double>(request.prompt_tokens) + (i + 0.5) / kSamples * steps;
    sum += kv_bytes(description, request.kv_type, std::llround(context));
  }
  return sum / kSamples;
}

// Power that follows clocks, by the twin of the board.
struct ModePower {
  double idle_w = 0;    // while nothing runs
  double gpu_w = 0;     // of a GPU that runs
  double voltage2 = 1;  // squared voltage of the GPU over that at its highest clock
};
ModePower mode_power(const twin::Twin& twin, const PowerMode& mode) {
  using P = twin::TwinParam;
  const double relative = mode.gpu_clock_hz / twin.gpu_clock_hz;
  const double voltage =
      twin::relative_voltage(relative, twin[P::kGpuVoltageRise], twin[P::kGpuVoltageKnee]);
  ModePower power;
  power.idle_w = twin::idle_power_w(twin, mode);
  power.voltage2 = voltage * voltage;
  power.gpu_w = (twin[P::kGpuClockPower] + twin[P::kGpuBusyPower]) * relative * power.voltage2;
  return power;
}

}  // namespace

struct Forecaster::Bound {
  Engine engine;
  Request request;
  Description description;
  Board board;
  PowerMode top;
  twin::Twin twin;
  ModePower fitted;  // where the engine's power was fitted
  double energy_scale = 1;
  EngineWork decode, prompt;
  double step_log_sd = 0, prompt_log_sd = 0, power_log_sd = 0;

  PowerMode whole(const PowerMode& mode) const {
    PowerMode all = mode;
    for (const Knob knob : kKnobs) {
      if (!all.has(knob)) all.set(knob, top.get(knob));
    }
    return all;
  }
  double power_w(const PowerMode& mode, const EngineWork& work, double seconds) const {
    const ModePower here = mode_power(twin, mode);
    Engine parts = engine;
    parts.draw[2] *= here.voltage2;
    parts.draw[0] = 0;
    const double busy = std::max(0.0, engine.draw[0] - fitted.idle_w) * here.gpu_w / fitted.gpu_w;
    return here.idle_w + busy + parts.power_w(work, seconds);
  }
};

Forecaster::Forecaster(const ShippedEngine& engine, const Description& description,
                       std::span<const Tensor> tensors, const Board& board,
                       const Request& request) {
  if (request.prompt_tokens < 1) throw UsageError("a prompt has at least one token");
  if (request.generated_tokens < 1) throw UsageError("at least one token must be generated");
  if (request.concurrency < 1) throw UsageError("there must be at least one sequence");
  auto bound = std::make_shared<Bound>();
  bound->engine = engine.engine;
  bound->request = request;
  bound->description = description;
  bound->board = board;
  bound->top = knob_space(board).top();
  engine_hardware(board, bound->top);  // that it has the rates
  bound->twin = twin::load_twin(board);
  const Board orin = load_board("agx-orin");
  bound->fitted = mode_power(twin::load_twin(orin), knob_space(orin).top());
  const auto sequences = static_cast<double>(request.concurrency);
  bound->decode = decode_work(description, tensors, 1, request.kv_type, request.concurrency);
  bound->decode.cache_bytes = sequences * mean_cache_bytes(description, request);
  bound->prompt = prompt_work(description, tensors, static_cast<double>(request.prompt_tokens));
  bound->prompt.linear_flop *= sequences;
  bound->prompt.attention_flop *= sequences;
  bound->step_log_sd = 0.15;
  bound->prompt_log_sd = 0.3;
  bound->power_log_sd = 0.12;
  if (std::find(engine.boards.begin(), engine.boards.end(), board.name) == engine.boards.end()) {
    widened_by_.push_back(engine.boards.empty() ? engine.title + " was fitted on no board"
                                                : "another board than " + engine.boards.front());
    bound->step_log_sd *= 2;
    bound->prompt_log_sd *= 1.5;
    bound->power_log_sd *= 2;
  }
  bound_ = std::move(bound);
}

Forecast Forecaster::operator()(const PowerMode& asked) const {
  const Bound& b = *bound_;
  const PowerMode mode = b.whole(asked);
  const EngineHardware hardware = engine_hardware(b.board, mode);
  const auto sequences = static_cast<double>(b.request.concurrency);
  const double further = static_cast<double>(b.request.generated_tokens - 1);
  const double step = b.engine.step_s(b.decode, hardware);
  const double first = b.engine.prompt_s(b.prompt, hardware);
  const double decode_w = b.power_w(mode, b.decode, step);
  const double prefill_w = b.power_w(mode, b.prompt, first);
  Forecast forecast;
  forecast.ttft_s = foretold(first, b.prompt_log_sd);
  forecast.tpot_s = foretold(step, b.step_log_sd);
  forecast.tokens_per_s = foretold(sequences / step, b.step_log_sd);
  forecast.prefill_power_w = foretold(prefill_w, b.power_log_sd);
  forecast.decode_power_w = foretold(decode_w, b.power_log_sd);
  const double joules_log_sd = std::hypot(b.step_log_sd, b.power_log_sd);
  forecast.joules_per_token = foretold(decode_w * step / sequences, joules_log_sd);
  forecast.request_s = first + further * step;
  forecast.request_j = foretold((prefill_w * first + decode_w * further * step) / sequences,
                                std::max(joules_log_sd, b.prompt_log_sd));
  forecast.limited_by = b.engine.step_limited_by(b.decode, hardware);
  return forecast;
}

double Forecaster::step_s(const PowerMode& mode, std::int64_t context) const {
  const Bound& b = *bound_;
  EngineWork work = b.decode;
  work.cache_bytes = static_cast<double>(b.request.concurrency) *
                     kv_bytes(b.description, b.request.kv_type, context);
  return b.engine.step_s(work, engine_hardware(b.board, b.whole(mode)));
}

}  // namespace ridgewatt::llm
