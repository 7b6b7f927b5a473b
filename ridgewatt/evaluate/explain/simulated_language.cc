// Simulated runs of language models: time per token and time to the first token.
#include <algorithm>
#include <cmath>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/evaluate/explain/simulated_run.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::evaluate {
namespace {

using answer::LanguageRequest;
using answer::SlowCause;

// The true state of the engine.
struct RealEngine {
  LanguageRequest request;
  Board board;
  PowerMode mode, limits;
  int sms = 0;  // that are on
  std::string preset;
  double on_cpu = 0;           // share of the layers on the CPU
  double waits = 1;            // factor on both times while the GPU waits
  double shared = 1;           // factor on both times while another program uses the GPU
  double first_more_s = 0;     // added to the time of the first token
  bool prompt_counts = false;  // the stated rate includes the prompt
  int at_once = 1;             // number of sequences whose total rate is stated as that of one
  measure::SeenRun seen;
};

struct Spoken {
  double token_s = 0, first_s = 0, power_w = 0, gpu_load = 0;
};

double off(const llm::PredictedValue& value, double z) {
  constexpr double kZ90 = 1.645;
  return value.value * std::exp(z * std::log(value.high / value.low) / (2 * kZ90));
}

Spoken outcome_of(const RealEngine& run, std::uint64_t seed) {
  LanguageRequest request = run.request;
  request.question.request.concurrency = run.at_once;
  const auto found = answer::ask_language(request);
  const auto& setting = found.settings.front();
  const llm::Forecaster forecaster(*setting.engine, found.model.description,
                                   found.weights.front().tensors, run.board,
                                   found.question.request);
  const llm::Forecast forecast = forecaster(run.mode, run.sms);
  Random random = Random(seed).fork(4);  // per board: the same for every mode and setting
  Spoken spoken;
  spoken.token_s = off(forecast.tpot_s, 0.7 * random.normal());
  spoken.first_s = off(forecast.ttft_s, 0.7 * random.normal());
  spoken.power_w = off(forecast.decode_power_w, 0.7 * random.normal());
  const double bandwidth = random.uniform(0.35, 0.65), flop = random.uniform(0.15, 0.5);
  const double alone_s = spoken.token_s;
  if (run.on_cpu > 0) {
    const auto& steps = found.weights.front().steps;
    const auto cpu_s = [&](const llm::PhaseWork& step) {
      const double per_cycle =
          run.board.cpu_flop_per_cycle > 0 ? run.board.cpu_flop_per_cycle : 16.0;
      const double peak = run.mode.cpu_cores * run.mode.cpu_clock_hz * per_cycle;
      return std::max(step.work_flop / (flop * peak),
                      step.traffic_bytes / (bandwidth * peak_bandwidth(run.board, run.mode)));
    };
    spoken.token_s = (1 - run.on_cpu) * spoken.token_s + run.on_cpu * cpu_s(steps.at(1));
    spoken.first_s = (1 - run.on_cpu) * spoken.first_s + run.on_cpu * cpu_s(steps.at(0));
  }
  spoken.token_s *= run.waits * run.shared;
  spoken.first_s *= run.waits * run.shared;
  const double busy = std::min(1.0, (1 - run.on_cpu) * alone_s * run.shared / spoken.token_s);
  spoken.power_w *= 0.5 + 0.5 * busy;
  spoken.gpu_load = busy * random.uniform(0.88, 1);
  spoken.first_s += run.first_more_s;
  const auto tokens = static_cast<double>(run.request.question.request.generated_tokens);
  if (run.prompt_counts) spoken.token_s += spoken.first_s / tokens;
  spoken.token_s /= run.at_once;
  return spoken;
}

bool inject(RealEngine& run, SlowCause cause, Random& random) {
  using enum SlowCause;
  const auto scale_prompt = [&](double factor) {
    auto& tokens = run.request.question.request.prompt_tokens;
    tokens = std::max<std::int64_t>(1, std::llround(factor * static_cast<double>(tokens)));
    return true;
  };
  const auto lower = [&](std::optional<std::vector<std::string>>& signals) {
    const double share = random.uniform(0.35, 0.92);
    run.mode.gpu_clock_hz *= share;
    if (signals && random.uniform() < 0.85) signals->push_back("throttle");
    return true;
  };
  const auto one_below = [&](Knob knob) {
    std::vector<double> below;
    for (const double level : run.board.find_bsp().levels[knob]) {
      if (level < run.mode.get(knob)) below.push_back(level);
    }
    if (below.empty()) return false;
    run.mode.set(knob, below[random.below(below.size())]);
    return true;
  };
  if (cause == kPowerMode) {
    const auto& all = presets(run.board);
    const Preset& other = all[random.below(all.size())];
    if (other.mode == run.mode) return false;
    run.mode = run.limits = other.mode;
    run.sms = sms_on(run.board, run.mode);
    run.preset = other.name;
    return true;
  }
  if (cause == kGpuClock) return one_below(Knob::kGpuClock);
  if (cause == kMemoryClock) return one_below(Knob::kMemClock);
  if (cause == kThermal) return lower(run.seen.hot);
  if (cause == kPowerLimit) return lower(run.seen.over_current);
  if (cause == kPrecision) {
    const char* others[] = {"f16", "q8_0", "q6_k", "q5_k_m"};
    const std::string other = others[random.below(std::size(others))];
    if (run.request.runtime != "llama.cpp" || run.request.quantization == other) return false;
    run.request.quantization = other;
    return true;
  }
  if (cause == kCpuFallback || cause == kPartialOffload) {
    if (run.request.runtime != "llama.cpp") return false;  // the others compute on the GPU only
    run.on_cpu = cause == kCpuFallback ? 1 : random.uniform(0.08, 0.9);
    run.seen.busiest_thread = random.uniform(0.9, 1);
    run.seen.program_cores = random.uniform(1, run.mode.cpu_cores);
    return true;
  }
  if (cause == kContextLength) return scale_prompt(std::exp(random.uniform(1, 4)));
  if (cause == kPrePostProcessing) return run.prompt_counts = true;
  if (cause == kPerBatch) {
    run.at_once = 2 << random.below(4);
    return true;
  }
  if (cause == kWarmUp) {
    run.first_more_s += std::exp(1 + 0.8 * random.normal());
    return true;
  }
  if (cause == kMemoryPressure) {
    run.waits *= 1 + std::exp(0.7 + 0.8 * random.normal());
    run.seen.swap_bytes_per_s = random.uniform(5e5, 1e8);
    run.seen.major_faults_per_s = random.uniform(20, 4000);
    run.seen.io_wait_share = random.uniform(0.05, 0.8);
    return true;
  }
  if (cause == kContention) {
    run.shared *= random.uniform(1.25, 3);
    if (random.uniform() < 0.6) run.seen.gpu_processes.push_back("1234 other");
    *run.seen.other_cores += random.uniform(0, 1.5);
    return true;
  }
  if (cause == kThreads) {
    run.waits *= random.uniform(1.25, 4);
    run.seen.threads_set = 1;
    return true;
  }
  run.waits *= random.uniform(1.25, 5);
  run.seen.quota_cores = 0.5;
  run.seen.quota_wait_share = random.uniform(0.02, 0.95);
  return true;
}

}  // namespace

const std::vector<SlowCause>& language_causes() {
  using enum SlowCause;
  static const std::vector<SlowCause> causes = {
      kPowerMode,      kGpuClock,       kMemoryClock,   kThermal,           kPowerLimit, kPrecision,
      kCpuFallback,    kPartialOffload, kContextLength, kPrePostProcessing, kPerBatch,   kWarmUp,
      kMemoryPressure, kContention,     kThreads,       kCpuQuota};
  return causes;
}

std::optional<SimulatedRun> simulate_language_run(const std::vector<SlowCause>& causes,
                                                  std::uint64_t seed) {
  Random random(seed);
  struct Setting {
    const char *model, *board, *engine, *quantization;
  };
  static constexpr Setting kSettings[] = {
      {"zoo:llama-3.1-8b", "agx-orin", "llama.cpp", "q4_k_m"},
      {"zoo:llama-3.2-3b", "orin-nano-8gb", "llama.cpp", "q4_k_m"},
      {"zoo:llama-3.2-1b", "orin-nano-8gb", "llama.cpp", "q8_0"},
      {"zoo:qwen3-4b", "agx-orin", "llama.cpp", "q4_k_m"},
      {"zoo:llama-3.1-8b", "agx-orin", "mlc", "q4f16"},
      {"zoo:llama-3.1-8b", "thor", "vllm", "awq"}};
  const Setting& setting = kSettings[random.below(std::size(kSettings))];
  SimulatedRun simulated{.question = {}, .causes = causes};
  auto& question = simulated.question;
  question.workload.model = setting.model;
  question.device = setting.board;
  question.engine = setting.engine;
  question.language.quantization = setting.quantization;
  auto& request = question.language.question.request;
  request.prompt_tokens = 128 << random.below(4);
  RealEngine run;
  run.request = question.language;
  run.request.model = setting.model;
  run.request.device = setting.board;
  run.request.runtime = setting.engine;
  run.request.question.modes = question.mode;
  try {
    run.board = load_board(setting.board);
    run.mode = run.limits = select_modes(run.board, question.mode).front();
    run.sms = sms_on(run.board, run.mode);
    run.seen = quiet_watch(run.board, run.mode, random);
    run.seen.busiest_thread = random.uniform(0.1, 1);
    run.seen.program_cores = *run.seen.busiest_thread;
    Spoken before = outcome_of(run, seed);
    for (const SlowCause cause : causes) {
      if (!inject(run, cause, random)) return {};
      const Spoken now = outcome_of(run, seed);
      const double token = now.token_s / before.token_s, first = now.first_s / before.first_s;
      const auto matters = [](double one) { return one > kLeastEffect || one < 1 / kLeastEffect; };
      if (!matters(token) && !matters(first)) return {};
      before = now;
    }
    question.tokens_per_s = std::exp(0.02 * random.normal()) / before.token_s;
    question.first_token_s = std::exp(0.03 * random.normal()) * before.first_s;
    if (random.uniform() < 0.8)
      question.power_w = std::exp(0.03 * random.normal()) * before.power_w;
    run.seen.gpu_load = before.gpu_load;
    run.seen.limits = run.limits;
    run.seen.preset = run.preset;
    for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
      run.seen.clocks.set(knob, run.mode.get(knob) * random.uniform(0.98, 1));
    }
    question.seen = run.seen;
  } catch (const Error&) {
    return {};
  }
  return simulated;
}

}  // namespace ridgewatt::evaluate
