#include "ridgewatt/answer/explain/language_suspects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/language/engine_formats.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::answer {
namespace {

using Forecasts = std::vector<Prediction>;

constexpr double kFigureChanges = 1.03;  // chosen: a setting that changes less explains nothing

bool changes(double now, double there) {
  const double ratio = there / now;
  return ratio > kFigureChanges || ratio < 1 / kFigureChanges;
}

void add_if_different(Forecasts& found, const LanguageCase& of, Prediction prediction) {
  const llm::Forecast& now = of.expected();
  const Prognosis& there = prediction.prognosis;
  if (changes(now.tpot_s.value, there.time_s) ||
      (there.first_token_s && changes(now.ttft_s.value, *there.first_token_s))) {
    found.push_back(std::move(prediction));
  }
}

void add_mode(Forecasts& found, const LanguageCase& of, const WeighedMode& there, int sms,
              double spread = 0) {
  Prediction prediction{there.weight, of.in_mode(there.mode, there.name, sms), spread};
  prediction.mode = there.mode;
  prediction.sms = sms;
  add_if_different(found, of, std::move(prediction));
}

constexpr double kRestingSd = 0.2;  // chosen: deviation of ln power while the GPU waits
constexpr double kSharedSd = 0.1;   // likewise, while another program uses the GPU

// Power if the GPU works for that share of the time.
double resting_power_w(const LanguageCase& of, double busy) {
  constexpr double kRestingShare = 0.5;  // chosen: share of the power while the GPU waits
  const llm::Forecast& now = of.expected();
  const auto& power = of.question.tokens_per_s ? now.decode_power_w : now.prefill_power_w;
  return power.value * (kRestingShare + (1 - kRestingShare) * busy);
}

// Multiplies the time per token and the time of the first token by each factor. In the added time
// the GPU waits, another program uses it, or its load is unknown.
enum class DecodeLoad { kWaits, kIsShared, kUnknown };
Forecasts slowed(const LanguageCase& of, std::span<const double> factors, double spread,
                 DecodeLoad load) {
  Forecasts found;
  const llm::Forecast& now = of.expected();
  for (const double factor : factors) {
    Prognosis there{"", factor * now.tpot_s.value, {}, factor * now.ttft_s.value};
    found.push_back({1, std::move(there), spread});
    if (load == DecodeLoad::kIsShared && of.load()) {
      const SharedLoad shared = shared_load(*of.load());
      found.back().prognosis.gpu_load = shared.load;
      found.back().prognosis.power_w = known_power(resting_power_w(of, 1));
      found.back().load_spread = shared.spread;
      found.back().power_spread = kSharedSd;
    }
    if (load != DecodeLoad::kWaits) continue;
    found.back().waits = true;
    found.back().scales = true;
    if (of.load()) found.back().prognosis.gpu_load = *of.load() / factor;
    found.back().prognosis.power_w = known_power(resting_power_w(of, 1 / factor));
    found.back().power_spread = kRestingSd * (1 - 1 / factor);
  }
  return found;
}

Forecasts as_forecast(const LanguageCase& of) {
  return {{1, of.prognosis(of.expected(), ""), 0}};
}

Forecasts other_presets(const LanguageCase& of) {
  Forecasts found;
  for (WeighedMode& preset : weighted_presets(of.board())) {
    preset.weight *= weight_of_seen(of.question.seen, preset.mode);
    if (preset.weight > 0) add_mode(found, of, preset, sms_on(of.board(), preset.mode));
  }
  return found;
}

Forecasts lower_levels(const LanguageCase& of, Knob knob) {
  Forecasts found;
  for (const WeighedMode& lower : modes_below(of.board(), of.mode, knob, of.question.seen)) {
    add_mode(found, of, lower, of.sms());
  }
  return found;
}
Forecasts lower_gpu_clock(const LanguageCase& of) {
  return lower_levels(of, Knob::kGpuClock);
}
Forecasts lower_cpu_clock(const LanguageCase& of) {
  return lower_levels(of, Knob::kCpuClock);
}
Forecasts lower_memory_clock(const LanguageCase& of) {
  return lower_levels(of, Knob::kMemClock);
}

Forecasts throttled_engine(const LanguageCase& of) {
  Forecasts found;
  for (const PowerMode& lower : throttled_modes(of.mode, of.question.seen)) {
    add_mode(found, of, {1, lower, ""}, of.sms(), 0.05);
  }
  return found;
}

Forecasts limited_engine(const LanguageCase& of) {
  const bool near = nears_limit(of.board(), of.expected().decode_power_w.value) ||
                    nears_limit(of.board(), of.expected().prefill_power_w.value) ||
                    saw_low_clock(of.question.seen, of.mode, Knob::kGpuClock);
  return near ? throttled_engine(of) : Forecasts{};
}

Prediction in_engine(const LanguageCase& of, const llm::ShippedEngine& engine,
                     std::span<const llm::Tensor> tensors, std::string name) {
  const llm::Forecaster forecaster(
      engine, llm::request_work(of.asked.model.description, tensors, of.request()), of.board(),
      of.hardware);
  return {1, of.prognosis(forecaster(of.mode), std::move(name)), 0.1};
}

// Other engines. An engine that cannot read these weights uses about four bits in its own format.
Forecasts other_engines(const LanguageCase& of) {
  Forecasts found;
  const llm::LanguageModel& model = of.asked.model;
  const WeightFormat format = model.tensors.empty() || of.weights().name != model.stored_as
                                  ? format_of(llm::find_recipe(of.weights().name))
                                  : format_of_stored(model);
  for (const llm::ShippedEngine& engine : llm::engines()) {
    if (engine.name == of.engine().name) continue;
    if (why_not_run(engine.name, format, of.asked.question.kv_type, of.board()).empty()) {
      add_if_different(found, of, in_engine(of, engine, of.weights().tensors, engine.name));
    } else if (model.weights_known) {
      const std::string recipe(usual_recipe(engine.name));
      const auto tensors = llm::quantized(model.description, llm::find_recipe(recipe));
      add_if_different(found, of, in_engine(of, engine, tensors, engine.name + " " + recipe));
    }
  }
  return found;
}

Forecasts other_quantizations(const LanguageCase& of) {
  // Chosen: the most downloaded ones, about one per number of bits.
  constexpr std::array kUsual = {"f16",    "q8_0", "int8",   "fp8",  "q6_k",
                                 "q5_k_m", "awq",  "q4_k_m", "q4_0", "q3_k_m"};
  Forecasts found;
  if (!of.asked.model.weights_known) return found;
  for (const std::string name : kUsual) {
    if (name == of.weights().name) continue;
    const llm::Recipe& recipe = llm::find_recipe(name);
    if (!why_not_run(of.engine().name, format_of(recipe), of.asked.question.kv_type, of.board())
             .empty())
      continue;
    const auto tensors = llm::quantized(of.asked.model.description, recipe);
    add_if_different(found, of, in_engine(of, of.engine(), tensors, name));
  }
  return found;
}

// Time of a prompt or a step with all layers on the CPU.
double on_cpu_s(const LanguageCase& of, const llm::PhaseWork& step) {
  constexpr double kOfPeak = 0.3;       // chosen: CPU programs reach 20 to 50 % of the peak
  constexpr double kOfBandwidth = 0.5;  // chosen: CPU cores of public boards, 40 to 60 %
  const double peak = cpu_peak_flop_per_s(of.board(), of.mode);
  const double bytes_per_s = kOfBandwidth * peak_bandwidth(of.board(), of.mode);
  return std::max(step.work_flop / (kOfPeak * peak), step.traffic_bytes / bytes_per_s);
}

Forecasts on_cpu(const LanguageCase& of, std::span<const double> shares) {
  Forecasts found;
  const llm::EngineFacts* facts = llm::find_engine_facts(of.engine().name);
  if (facts != nullptr && facts->gpu_only) return found;
  if (of.weights().steps.size() < 2 || cpu_peak_flop_per_s(of.board(), of.mode) <= 0) return found;
  const double prompt_s = on_cpu_s(of, of.weights().steps[0]);
  // The claim is of the GPU, so it does not change the time on the CPU.
  const double step_s = on_cpu_s(of, of.weights().steps[1]) / of.claim_scale();
  const llm::Forecast& now = of.expected();
  for (const double share : shares) {
    const std::string setting =
        share < 1 ? fmt::format("{:.0f} % of the layers", 100 * share) : "all layers";
    const double time_s = (1 - share) * now.tpot_s.value + share * step_s;
    const double first_s = (1 - share) * now.ttft_s.value + share * prompt_s;
    const double busy = (1 - share) * now.tpot_s.value / time_s;
    const Prognosis there{setting, time_s, resting_power_w(of, busy), first_s, busy * kDecodeLoad};
    add_if_different(found, of,
                     {.prognosis = there,
                      .spread = 0.3,
                      .adds = true,
                      .waits = true,
                      .power_spread = kRestingSd * (1 - std::min(1.0, busy))});
  }
  return found;
}
Forecasts cpu_alone(const LanguageCase& of) {
  return on_cpu(of, std::array{1.0});
}
Forecasts partial_offload(const LanguageCase& of) {
  return on_cpu(of, std::array{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9});
}

// A longer or shorter conversation. The prompt is shorter if the cache already contains a part of
// it.
Forecasts context_length(const LanguageCase& of) {
  constexpr double kBetween = 0.2;  // deviation of lengths between two of these
  constexpr std::array kTimes = {1.0 / 64, 1.0 / 16, 0.25, 0.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
  const double trained = static_cast<double>(of.asked.model.description.context);
  Forecasts found;
  for (const double times : kTimes) {
    llm::Request request = of.request();
    const double tokens = std::round(times * static_cast<double>(request.prompt_tokens));
    if (tokens < 1 || (trained > 0 && tokens > trained)) continue;
    request.prompt_tokens = static_cast<std::int64_t>(tokens);
    const llm::Forecaster forecaster(
        of.engine(), llm::request_work(of.asked.model.description, of.weights().tensors, request),
        of.board(), of.hardware);
    add_if_different(
        found, of,
        {1, of.prognosis(forecaster(of.mode), format_exact(tokens) + " tokens"), kBetween});
  }
  return found;
}

// The rate is of one of several sequences, or of several at once although one was meant.
Forecasts per_sequence(const LanguageCase& of) {
  constexpr std::array kAtOnce = {2, 4, 8, 16, 32};
  Forecasts found;
  const llm::Forecast& now = of.expected();
  if (!of.question.tokens_per_s) return found;
  const auto sequences = static_cast<double>(of.request().concurrency);
  if (sequences > 1) {
    found.push_back({1,
                     {"per sequence", sequences * now.tpot_s.value,
                      known_power(now.decode_power_w.value), now.ttft_s.value, of.load()},
                     0});
    return found;
  }
  for (const int several : kAtOnce) {
    llm::Request request = of.request();
    request.concurrency = several;
    const llm::Forecaster forecaster(
        of.engine(), llm::request_work(of.asked.model.description, of.weights().tensors, request),
        of.board(), of.hardware);
    Prognosis there =
        of.prognosis(forecaster(of.mode), "of " + std::to_string(several) + " sequences");
    there.time_s /= several;
    found.push_back({1, std::move(there), 0.1});
  }
  return found;
}

// The rate is of the whole request, including the prompt.
Forecasts prompt_in_rate(const LanguageCase& of) {
  Forecasts found;
  const llm::Forecast& now = of.expected();
  if (!of.question.tokens_per_s) return found;
  const double tokens = static_cast<double>(of.request().generated_tokens);
  Prognosis there = of.prognosis(now, "");
  there.time_s = now.request_s / tokens;
  add_if_different(found, of, {1, std::move(there), 0.05});
  return found;
}

// The first request includes reading the model and preparing the first kernels.
Forecasts first_request(const LanguageCase& of) {
  constexpr std::array kMoreS = {1.0, 3.0, 10.0};  // chosen: reading gigabytes from storage
  constexpr double kMoreSd = 0.5;
  const llm::Forecast& now = of.expected();
  const double tokens = static_cast<double>(of.request().generated_tokens);
  Forecasts found;
  for (const double more_s : kMoreS) {
    // If the time of the first token is given, it contains the delay, and the rate is of later
    // tokens only.
    const double token_s = of.question.first_token_s ? 0 : more_s / tokens / of.claim_scale();
    found.push_back({1, of.prognosis(now, ""), 0});
    Prediction& one = found.back();
    one.prognosis.time_s += token_s;
    *one.prognosis.first_token_s += more_s;
    one.spread = of.question.first_token_s ? 0 : kMoreSd;
    one.first_spread = kMoreSd;
  }
  return found;
}

Forecasts full_memory(const LanguageCase& of) {
  constexpr double kFullShare = 0.85;  // chosen: other programs use the rest
  const llm::Fit& fit = of.asked.memory.front().fit;
  const double free_bytes = fit.board_bytes - fit.system_bytes;
  const bool watched = of.question.seen && of.question.seen->swap_bytes_per_s;  // signs show it
  if (LanguageMemory::needed_bytes(fit) < kFullShare * free_bytes && !watched) return {};
  return slowed(of, std::array{1.5, 3.0, 8.0, 25.0}, 0.4, DecodeLoad::kWaits);
}

Forecasts other_programs(const LanguageCase& of) {
  return slowed(of, std::array{1.35, 1.65, 2.0, 3.0}, 0.15, DecodeLoad::kIsShared);
}

// For a program that computes on the CPU or waits for its launches.
Forecasts wrong_threads(const LanguageCase& of) {
  return slowed(of, std::array{1.3, 2.0, 4.0}, 0.3, DecodeLoad::kWaits);
}

Forecasts set_to(Forecasts found, const std::string& setting) {
  for (Prediction& one : found) one.prognosis.setting = setting;
  return found;
}

// Another program on the cores slows every step. One that uses the memory slows reading of weights
// and cache.
Forecasts programs_on_processor(const LanguageCase& of) {
  constexpr std::array kLeft = {0.75, 0.5, 0.3};  // chosen: shares of the memory bandwidth
  Forecasts found = set_to(slowed(of, std::array{1.35, 1.65, 2.0, 3.0}, 0.15, DecodeLoad::kUnknown),
                           "on the cores");
  for (const double left : kLeft) {
    Board shared = of.board();
    for (auto& [key, number] : shared.twin.numbers) {
      if (key.ends_with(".memory_bytes_per_s")) number *= left;
    }
    const llm::Forecaster forecaster(of.engine(), of.work, shared,
                                     std::make_shared<const llm::EngineBoard>(shared));
    add_if_different(found, of, {1, of.prognosis(forecaster(of.mode), "on the memory"), 0.1});
  }
  return found;
}

// Fewer threads than the mode has cores, or more threads, which wait for each other.
Forecasts threads_on_processor(const LanguageCase& of) {
  Forecasts found = set_to(slowed(of, std::array{1.3, 2.0, 4.0}, 0.3, DecodeLoad::kUnknown),
                           "more threads than cores");
  for (int cores = 1; cores < of.mode.cpu_cores; ++cores) {
    PowerMode fewer = of.mode;
    fewer.cpu_cores = cores;
    add_if_different(found, of, {1, of.in_mode(fewer, counted(cores, "core"), 0), 0.05});
  }
  return found;
}

// A control group limits the program to a share of the time of its cores.
Forecasts quota_on_processor(const LanguageCase& of) {
  constexpr std::array kShares = {0.1, 0.25, 0.5, 0.75};
  const auto& seen = of.question.seen;
  if (seen && seen->quota_cores && *seen->quota_cores < of.mode.cpu_cores) {
    const double factor = of.mode.cpu_cores / *seen->quota_cores;
    return set_to(slowed(of, std::array{factor, 1.3 * factor}, 0.15, DecodeLoad::kUnknown),
                  fmt::format("{:.0f} %", 100 / factor));
  }
  Forecasts found;
  for (const double share : kShares) {
    for (Prediction& one : set_to(slowed(of, std::array{1 / share}, 0.2, DecodeLoad::kUnknown),
                                  format_exact(100 * share) + " %")) {
      found.push_back(std::move(one));
    }
  }
  return found;
}

struct LanguageSuspect {
  SlowCause cause;
  double prior;  // relative
  bool misread;
  Forecasts (*predict)(const LanguageCase&);
  On on = On::kEveryBoard;
};
// Priors are chosen: those of other models, adjusted to how common layers on the CPU, long
// conversations and full memory are in public threads about language models, and on a processor the
// number of threads.
constexpr LanguageSuspect kLanguageSuspects[] = {
    {SlowCause::kNone, 8, false, &as_forecast},
    {SlowCause::kPowerMode, 6, false, &other_presets},
    {SlowCause::kGpuClock, 2, false, &lower_gpu_clock, On::kGpu},
    {SlowCause::kCpuClock, 1, false, &lower_cpu_clock},
    {SlowCause::kMemoryClock, 1, false, &lower_memory_clock},
    {SlowCause::kRuntime, 2, false, &other_engines, On::kGpu},
    {SlowCause::kPrecision, 3, false, &other_quantizations},
    {SlowCause::kPerBatch, 3, true, &per_sequence},
    {SlowCause::kCpuFallback, 3, false, &cpu_alone, On::kGpu},
    {SlowCause::kPartialOffload, 4, false, &partial_offload, On::kGpu},
    {SlowCause::kPrePostProcessing, 3, true, &prompt_in_rate},
    {SlowCause::kWarmUp, 2, true, &first_request},
    {SlowCause::kContextLength, 3, true, &context_length},
    {SlowCause::kThermal, 2, false, &throttled_engine, On::kGpu},
    {SlowCause::kPowerLimit, 2, false, &limited_engine, On::kGpu},
    {SlowCause::kMemoryPressure, 3, false, &full_memory},
    {SlowCause::kContention, 2, false, &other_programs, On::kGpu},
    {SlowCause::kThreads, 1, false, &wrong_threads, On::kGpu},
    {SlowCause::kCpuQuota, 1, false, &wrong_threads, On::kGpu},
    {SlowCause::kContention, 3, false, &programs_on_processor, On::kProcessor},
    {SlowCause::kThreads, 4, false, &threads_on_processor, On::kProcessor},
    {SlowCause::kCpuQuota, 1, false, &quota_on_processor, On::kProcessor},
};

}  // namespace

Prognosis LanguageCase::prognosis(const llm::Forecast& forecast, std::string setting) const {
  const auto& power = question.tokens_per_s ? forecast.decode_power_w : forecast.prefill_power_w;
  return {std::move(setting), forecast.tpot_s.value, known_power(power.value),
          forecast.ttft_s.value, load()};
}

Prognosis LanguageCase::in_mode(const PowerMode& other, std::string setting, int sms) const {
  return prognosis(llm::Forecaster(engine(), work, board(), hardware)(other, sms),
                   std::move(setting));
}

std::vector<WeighedCause> causes_of(const LanguageCase& of) {
  std::vector<WeighedCause> causes;
  for (const LanguageSuspect& suspect : kLanguageSuspects) {
    if (!exists(suspect.on, of.board().has_gpu())) continue;
    causes.push_back({suspect.cause, suspect.prior, suspect.misread, suspect.predict(of)});
  }
  return causes;
}

}  // namespace ridgewatt::answer
