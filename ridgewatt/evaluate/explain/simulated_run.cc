#include "ridgewatt/evaluate/explain/simulated_run.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::evaluate {
namespace {

using answer::ExplainQuestion;
using answer::SlowCause;

constexpr double kRunTimeNoise = 0.015, kRunPowerNoise = 0.03, kRunSensorNoise = 0.03;

struct RunFigures {
  double time_s = 0, power_w = 0, gpu_load = 0, stall_share = 0;
};

// True time and power on the board.
RunFigures outcome_of(const RealRun& run) {
  const twin::TwinModel model(run.twin, run.workload, run.run, run.batch);
  workload::WorkloadCost cost = model.estimator(run.batch).cost();
  if (run.pixels != 1) cost = workload::scale_image(cost, run.pixels);
  const platform::FakeLoad load(twin::with_sms(model.twin(), run.sms), cost, run.seed, {}, run.run);
  const twin::TimePower alone = load.truth(run.mode);
  Random random = Random(run.seed).fork(3);
  // Share of the power that remains while the GPU waits.
  const double rest = random.uniform(0.4, 0.65);
  const double peak = run.mode.cpu_cores * run.mode.cpu_clock_hz *
                      (run.board.cpu_flop_per_cycle > 0 ? run.board.cpu_flop_per_cycle : 16.0);
  const double gpu_s = (1 - run.on_cpu) * load.use(run.mode).gpu * alone.time_s;
  RunFigures found;
  found.time_s = (1 - run.on_cpu) * alone.time_s + run.more_s;
  if (run.on_cpu > 0) found.time_s += run.on_cpu * cost.work_flop() / (run.cpu_flop_share * peak);
  found.time_s *= run.waits * run.shared;
  const double busy = std::min(1.0, (1 - run.on_cpu) * alone.time_s * run.shared / found.time_s);
  found.power_w = alone.power_w * (rest + (1 - rest) * busy);
  found.gpu_load = std::min(1.0, gpu_s * run.shared / found.time_s);
  if (run.shared > 1) found.gpu_load = std::min(1.0, found.gpu_load + random.uniform(0, 0.5));
  found.stall_share = load.stall_share(run.mode) * alone.time_s / found.time_s;
  return found;
}

struct Models {
  const char* name;
  std::vector<int> batches;
};

void choose_workload(ExplainQuestion& question, Random& random) {
  static const std::vector<Models> models = {
      {"zoo:resnet18", {1, 4, 16}},     {"zoo:resnet50", {1, 2, 8}},
      {"zoo:mobilenet_v2", {1, 8, 32}}, {"zoo:efficientnet_b0", {1, 4}},
      {"zoo:yolov8n", {1, 4}},          {"zoo:inception_v3", {1, 4}},
      {"zoo:vit_b_16", {1, 2}},         {"zoo:bert_tiny", {1, 8}}};
  const Models& model = models[random.below(models.size())];
  question.workload.model = model.name;
  question.batch = model.batches[random.below(model.batches.size())];
  const double kind = random.uniform();
  if (kind < 0.2) {
    question.workload.kind = WorkloadKind::kTraining;
    question.batch = 16;
  } else if (kind < 0.35) {
    question.workload.runtime = Runtime::kPytorchEager;
  } else {
    question.workload.runtime = kind < 0.55 ? Runtime::kOnnxRuntime : Runtime::kTensorRt;
    using workload::Precision;
    const Precision usual[] = {Precision::kFp16, Precision::kFp16, Precision::kFp32};
    question.workload.precision = usual[random.below(std::size(usual))];
  }
}

void add_watch(RealRun& run, const RunFigures& real, Random& random) {
  measure::SeenRun& seen = run.seen;
  const auto noisy = [&](double value) {
    return value * std::exp(kRunSensorNoise * random.normal());
  };
  seen.limits = run.limits;
  seen.preset = run.preset;
  for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
    if (run.mode.has(knob)) seen.clocks.set(knob, run.mode.get(knob) * random.uniform(0.98, 1));
  }
  // The governor lowers the GPU clock if the GPU is often idle.
  if (real.gpu_load < 0.5 && random.uniform() < 0.4) {
    seen.clocks.gpu_clock_hz *= random.uniform(0.5, 0.95);
  }
  seen.gpu_load = std::clamp(noisy(real.gpu_load), 0.0, 1.0);
  const bool computes = run.on_cpu > 0.3 || run.cpu_s > 0.3 * real.time_s;
  const bool spins = !is_engine(run.workload->options().runtime) || random.uniform() < 0.3;
  seen.busiest_thread = computes || spins ? random.uniform(0.85, 1) : random.uniform(0.1, 0.7);
  seen.program_cores = *seen.busiest_thread * random.uniform(1, 1.3);
  if (!run.marked) return;
  seen.marked_s = noisy(real.time_s);
  if (!seen.fetch_share) seen.fetch_share = real.stall_share + random.uniform(0, 0.03);
  if (!seen.mean_over_median) seen.mean_over_median = random.uniform(1, 1.08);
}

}  // namespace

measure::SeenRun quiet_watch(const Board& board, const PowerMode& mode, Random& random) {
  measure::SeenRun seen;
  const auto sometimes = [&](double share) { return random.uniform() < share; };
  seen.time_s = 20;
  if (sometimes(0.8)) seen.hot.emplace(sometimes(0.01) ? 1 : 0, "throttle");
  if (sometimes(0.6)) seen.over_current.emplace(sometimes(0.02) ? 1 : 0, "throttle");
  seen.other_cores = 0.12 * random.exponential();
  seen.cpus_online = seen.cpus_allowed = mode.cpu_cores > 0 ? mode.cpu_cores : board.cpu_cores;
  seen.quota_wait_share = 0;
  seen.run_delay_share = random.uniform(0.002, 0.05);
  seen.major_faults_per_s = 4 * random.exponential();
  seen.swap_bytes_per_s = sometimes(0.95) ? 0 : random.uniform(0, 3e6);
  seen.io_wait_share = sometimes(0.97) ? random.uniform(0, 0.05) : random.uniform(0.05, 0.3);
  if (sometimes(0.06)) seen.gpu_processes.push_back("900 desktop");
  return seen;
}

std::optional<SimulatedRun> simulate_run(const std::vector<SlowCause>& causes, std::uint64_t seed) {
  Random random(seed);
  SimulatedRun simulated{.question = {}, .causes = causes};
  ExplainQuestion& question = simulated.question;
  const auto fakes = platform::fake_board_names();
  question.device = platform::board_of_fake(fakes[random.below(fakes.size())]);
  choose_workload(question, random);
  const Board board = load_board(question.device);
  const auto& shipped = presets(board);
  if (random.uniform() < 0.4) question.mode = shipped[random.below(shipped.size())].name;
  RealRun run{.asked = question, .board = board, .twin = twin::load_twin(board), .seed = seed};
  try {
    run.workload = question.workload.load();
    run.mode = run.limits = select_modes(board, question.mode).front();
    run.sms = sms_on(board, run.mode);
    (void)run.workload->at(*question.batch);
    run.batch = *question.batch;
    run.run = question.run;
    run.marked = random.uniform() < 0.6;
    run.seen = quiet_watch(board, run.mode, random);
    const Runtime asked = question.workload.runtime;
    if (random.uniform() < 0.9) {
      run.seen.libraries = std::vector<std::string>{std::string(library_of(asked)), "CUDA"};
      if (asked == Runtime::kPytorchEager) run.seen.libraries->push_back("Python");
    }
    // Each cause must have an effect in addition to the earlier ones. Causes are injected in order,
    // each with draws of its own.
    double before_s = outcome_of(run).time_s;
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const auto injected = std::find_if(injected_causes().begin(), injected_causes().end(),
                                         [&](const auto& one) { return one.cause == causes[i]; });
      if (injected == injected_causes().end() || !injected->inject(run, random)) return {};
      const double now_s = outcome_of(run).time_s * run.stated;
      const double effect = now_s / before_s;
      if (effect < kLeastEffect && effect > 1 / kLeastEffect) return {};
      before_s = now_s;
    }
    const RunFigures real = outcome_of(run);
    add_watch(run, real, random);
    question.measured_s = real.time_s * run.stated * std::exp(kRunTimeNoise * random.normal());
    // Without an own measurement, the user states the marked time.
    if (run.marked && run.stated == 1 && random.uniform() < 0.5) {
      question.measured_s = run.seen.marked_s;
    }
    if (random.uniform() < 0.85) {
      question.power_w = real.power_w * std::exp(kRunPowerNoise * random.normal());
    }
    question.seen = run.seen;
  } catch (const Error&) {
    return {};  // this combination of board, runtime and precision is not supported
  }
  return simulated;
}

}  // namespace ridgewatt::evaluate
