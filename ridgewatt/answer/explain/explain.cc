#include "ridgewatt/answer/explain.h"

#include <algorithm>
#include <utility>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/explain/change.h"
#include "ridgewatt/answer/explain/explain_language.h"
#include "ridgewatt/answer/explain/layer_findings.h"
#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/answer/explain/suspects.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

void check_measurement(const ExplainQuestion& question) {
  if (question.measured_s && question.samples_per_s) {
    throw UsageError("a measured time and a rate cannot be combined", "",
                     "give either --measured or --samples-per-second");
  }
  if (!question.measured_s && !question.samples_per_s) {
    throw UsageError("explain needs a measured time or rate", "",
                     "give --measured or --samples-per-second; for a language model "
                     "--tokens-per-second or --first-token");
  }
}

ExplainCase make_case(const ExplainQuestion& question,
                      std::shared_ptr<const workload::DeployedWorkload> workload) {
  Board board = load_board(question.device);
  twin::Twin twin = twin::load_twin(board);
  if (question.power_w) require_power(twin, board.name, "omit the measured power");
  const PowerMode mode = explained_mode(board, question.mode);
  const int batch = question.batch.value_or(usual_batch(*workload));
  auto model = std::make_shared<const twin::TwinModel>(twin, workload, question.run, batch);
  const TwinCosts costs(twin, model, workload);
  const TwinCost cost = costs.at({mode, batch});
  auto widened_by = costs.widened_by({mode, batch});
  return {
      question, std::move(board), std::move(twin), std::move(workload), std::move(model),     mode,
      batch,    cost.estimate,    cost.error,      cost.python_call_s,  std::move(widened_by)};
}

// Takes the time and the batch from the profile if the user gives none.
void take_profile(const LayersAnswer& profile, ExplainQuestion& question) {
  if (!question.measured_s && !question.samples_per_s) question.measured_s = profiled_s(profile);
  if (!question.batch && profile.batch) question.batch = static_cast<int>(*profile.batch);
}

// The share of the measured time in which kernels ran, from a watched run or from the profile.
std::optional<double> seen_load(const ExplainCase& of, double measured_s) {
  if (of.question.seen && of.question.seen->gpu_load) return of.question.seen->gpu_load;
  const auto& profile = of.profile;
  if (!profile || !profile->on_device || profile->measured) return {};
  return std::min(1.0, profile->layers_s / measured_s);
}

std::string power_fault_of(const ExplainCase& of) {
  return of.question.power_w ? power_fault(of.board, of.twin, *of.question.power_w) : "";
}

std::vector<MeasuredFigure> figures_of(const ExplainCase& of) {
  constexpr double kUnknownPower = 0.75;  // chosen: share of the expected power
  const ExplainQuestion& question = of.question;
  const twin::MinibatchCost& expected = of.expected.total;
  MeasuredFigure time{.expected = expected.period_s, .error = of.error[twin::kTime], .adds = true};
  time.unknown_s = of.python_call_s;
  time.measured = question.measured_s ? *question.measured_s : of.batch / *question.samples_per_s;
  time.predicted = [](const Prognosis& one) { return std::optional(one.time_s); };
  if (question.claimed_s) {
    time.scale = *question.claimed_s / expected.period_s;
    time.error = {.sd = question.claimed_error};
    time.unknown_s = 0;
  }
  std::vector<MeasuredFigure> figures{time};
  if (question.power_w && power_fault_of(of).empty()) {
    figures.push_back({.of = FigureOf::kPower,
                       .measured = *question.power_w,
                       .expected = expected.power_w,
                       .error = of.error[twin::kPower],
                       .predicted = [](const Prognosis& one) { return one.power_w; },
                       .unknown = kUnknownPower});
  }
  const auto load = seen_load(of, time.measured);
  if (load && of.expected.gpu_load > 0) {
    figures.push_back(gpu_load_figure(*load, of.expected.gpu_load));
  }
  // The time of a run in the profile is a mark, too.
  const auto marked = question.seen && question.seen->marked_s ? question.seen->marked_s
                      : of.profile                             ? of.profile->run_s
                                                               : std::nullopt;
  if (marked) figures.push_back(stated_figure(time.measured, *marked));
  return figures;
}

std::vector<SeenSign> signs_of(const ExplainCase& of, const ExplainAnswer& found) {
  static const measure::SeenRun kNothing;
  if (!of.question.seen && !of.profile) return {};
  const measure::SeenRun& seen = of.question.seen ? *of.question.seen : kNothing;
  const Runtime runtime = of.model->twin().runtime;
  return signs_in(
      {.seen = seen,
       .mode = of.mode,
       .mode_text = found.mode_text,
       .preset = preset_name(of.board, seen.limits),
       .gpu_load = of.expected.gpu_load,
       .fetch_share = of.expected.total.stall_s() / of.expected.total.period_s,
       .measured_s = found.time.measured,
       .batch = of.batch,
       .library = library_of(runtime),
       .python = !is_engine(runtime) || of.question.run.caller != twin::EngineCaller::kCpp,
       .gpu = !is_on_cpu(runtime),
       .spins = !is_engine(runtime) || is_on_cpu(runtime),
       .busy_cores = is_on_cpu(runtime) ? static_cast<double>(of.mode.cpu_cores) : 0,
       .input_bytes = of.cost().input_bytes,
       .gpu_clocks_hz = of.board.find_bsp().levels[Knob::kGpuClock],
       .profile = of.profile ? &*of.profile : nullptr,
       .runtime = runtime});
}

ExplainAnswer answer_of(const ExplainCase& of, const MeasuredFigure& time) {
  ExplainAnswer found;
  found.origin = {of.workload->name(),
                  std::string(name_of(of.workload->options().kind)),
                  of.board.name,
                  Provenance::kModelled,
                  of.model->twin().runtime,
                  of.model->twin().status};
  found.mode = of.mode;
  found.mode_text = mode_name(of.board, of.mode);
  found.mode_arguments = mode_arguments(of.board, of.mode);
  found.runtime = name_of(*found.origin.runtime);
  found.precision = name_of(of.cost().precision);
  found.batch = of.batch;
  found.time = explained(time);
  found.on_processor = !of.board.has_gpu();
  found.measured_power_w = of.question.power_w;
  found.power_fault = power_fault_of(of);
  const auto memory = of.model->memory(of.batch);
  found.memory_fault = memory_fault(memory.needed_bytes(), memory.free_bytes());
  const MeasuredFigure power{.expected = of.expected.total.power_w,
                             .error = of.error[twin::kPower]};
  add_power(found, power);
  found.claimed_s = of.question.claimed_s;
  found.watched = of.question.seen;
  found.widened_by = of.widened_by;
  found.caveats = of.workload->at(of.batch)->caveats;
  return found;
}

// If the measured time is the sum of layers on the GPU, it contains no time in which the GPU waits.
std::vector<WeighedCause> possible_causes(const ExplainCase& of) {
  std::vector<WeighedCause> causes = without(causes_of(of), of.question.ruled_out);
  if (!of.profile || !of.profile->measured || !of.profile->on_device) return causes;
  for (WeighedCause& cause : causes) {
    std::erase_if(cause.predictions, [](const Prediction& one) { return one.waits; });
  }
  return causes;
}

ExplainAnswer explain_once(const ExplainQuestion& given,
                           std::shared_ptr<const workload::DeployedWorkload> workload) {
  ExplainQuestion question = with_seen_mode(given);
  const auto profile = profiled_layers(question, *workload);
  if (profile) take_profile(*profile, question);
  check_measurement(question);
  ExplainCase of = make_case(question, std::move(workload));
  if (profile) {
    of.profile = layer_faults(*profile, of);
    of.profile->measured = !given.measured_s && !given.samples_per_s;
    if (of.profile->measured) of.profile->run_s = question.measured_s;
  }
  const std::vector<MeasuredFigure> figures = figures_of(of);
  ExplainAnswer found = answer_of(of, figures.front());
  const auto in_mode = [&](const PowerMode& mode, int sms) { return of.in_mode(mode, "", sms); };
  conclude(found, possible_causes(of), figures, signs_of(of, found),
           saw_clocks(question.seen) ? in_mode : PrognosisIn());
  if (profile) {
    found.profile = std::move(of.profile);
    add_layer_rows(*profile, of, found.time, *found.profile);
  }
  return found;
}

// The same question for the time after a change.
ExplainQuestion after_change(ExplainQuestion question, int batch) {
  question.batch = batch;
  question.measured_s = question.after_s;
  question.samples_per_s.reset();
  question.power_w = question.after_power_w;
  question.seen = question.after_seen;
  question.seen_mode.clear();
  question.profile.clear();
  return question;
}

}  // namespace

PowerMode explained_mode(const Board& board, const std::string& name) {
  const auto modes = select_modes(board, name);
  if (modes.size() == 1) return modes.front();
  throw UsageError("explain needs one power mode", name, "give one preset or one mode with --mode");
}

ExplainQuestion with_seen_mode(ExplainQuestion question) {
  if (question.seen_mode.empty()) return question;
  const Board board = load_board(question.device);
  if (!question.seen) question.seen.emplace();
  question.seen->limits = explained_mode(board, question.seen_mode);
  question.seen->preset = mode_name(board, question.seen->limits);
  return question;
}

ExplainAnswer explain(const ExplainQuestion& question) {
  if (question.of_language()) return explain_language(question);
  if (question.profile.empty()) check_measurement(question);  // before the model is read
  return explain(question, question.workload.load());
}

ExplainAnswer explain(const ExplainQuestion& question,
                      std::shared_ptr<const workload::DeployedWorkload> workload) {
  if (question.removed && !question.after_s) {
    throw UsageError("--removed has no effect without --after", "", "give both");
  }
  ExplainAnswer found = explain_once(question, workload);
  if (!question.after_s) return found;
  found.change =
      judge_change(found, explain_once(after_change(question, found.batch), std::move(workload)),
                   question.removed);
  return found;
}

}  // namespace ridgewatt::answer
