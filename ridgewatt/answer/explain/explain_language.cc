#include "ridgewatt/answer/explain/explain_language.h"

#include <cmath>
#include <utility>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/answer/explain/language_suspects.h"
#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/engine_facts.h"

namespace ridgewatt::answer {
namespace {

// Refuses inputs that do not apply to language models.
void check_language(const ExplainQuestion& question) {
  const twin::RunOptions run;
  const auto refuse = [](bool given, const char* what, const char* advice) {
    if (given)
      throw UsageError(std::string(what) + " does not apply to a language model", "", advice);
  };
  refuse(question.measured_s || question.samples_per_s || question.claimed_s,
         "the time of a minibatch", "give tokens per second, or the time to the first token");
  refuse(question.workload.kind == WorkloadKind::kTraining, "training", "leave it out");
  refuse(question.after_s || question.removed, "the time of a minibatch after a change",
         "leave it out");
  refuse(!question.profile.empty(), "a profile of layers", "leave it out");
  refuse(question.batch.has_value(), "a batch", "give the number of sequences as the concurrency");
  refuse(question.workload.precision.has_value(), "a precision", "give the quantization");
  refuse(!question.workload.dims.empty(), "a symbolic dimension", "give the prompt's tokens");
  refuse(question.run.loader_s_per_sample.has_value() ||
             question.run.loader_workers != run.loader_workers,
         "a loader", "leave it out");
  refuse(question.run.cuda_graph || question.run.caller != run.caller ||
             question.run.input != run.input,
         "how a program is called", "leave it out");
}

LanguageCase make_language_case(const ExplainQuestion& question) {
  LanguageRequest request = question.language;
  request.model = question.workload.model;
  request.device = question.device;
  request.runtime = question.engine;
  request.question.modes = question.mode;
  LanguageAnswer asked = ask_language(request);
  if (asked.settings.size() != 1) {
    throw UsageError("explain needs one board, one runtime and one quantization", "",
                     "give one name each to --device, --runtime and --quantization");
  }
  if (question.power_w) {
    const Board& board = asked.boards.front();
    require_power(twin::load_twin(board), board.name, "omit the measured power");
  }
  const PowerMode mode = explained_mode(asked.boards.front(), question.mode);
  auto hardware = std::make_shared<const llm::EngineBoard>(asked.boards.front());
  auto work = llm::request_work(asked.model.description, asked.weights.front().tensors,
                                asked.question.request);
  return {question, std::move(asked), mode, std::move(hardware), std::move(work)};
}

twin::LogError error_of(const llm::PredictedValue& value) {
  constexpr double kZ90 = 1.645;  // half of a 90 % interval, in standard deviations
  return {.sd = std::log(value.high / value.low) / (2 * kZ90)};
}

std::string power_fault_of(const LanguageCase& of) {
  if (!of.question.power_w) return {};
  return power_fault(of.board(), twin::load_twin(of.board()), *of.question.power_w);
}

std::vector<MeasuredFigure> figures_of(const LanguageCase& of) {
  const ExplainQuestion& question = of.question;
  const llm::Forecast& expected = of.expected();
  std::vector<MeasuredFigure> figures;
  if (question.tokens_per_s) {
    const auto sequences = static_cast<double>(of.request().concurrency);
    MeasuredFigure& token = figures.emplace_back();
    token.measured = sequences / *question.tokens_per_s;
    token.expected = expected.tpot_s.value;
    token.error = error_of(expected.tpot_s);
    token.adds = true;
    token.predicted = [](const Prognosis& one) { return std::optional(one.time_s); };
    if (question.claimed_tokens_per_s) {
      token.scale = of.claim_scale();
      token.error = {.sd = question.claimed_error};
    }
  }
  if (question.first_token_s) {
    figures.push_back({.of = question.tokens_per_s ? FigureOf::kFirstToken : FigureOf::kTime,
                       .measured = *question.first_token_s,
                       .expected = expected.ttft_s.value,
                       .error = error_of(expected.ttft_s),
                       .predicted = [](const Prognosis& one) { return one.first_token_s; },
                       .adds = true});
  }
  if (question.power_w && power_fault_of(of).empty()) {
    const auto& power = question.tokens_per_s ? expected.decode_power_w : expected.prefill_power_w;
    figures.push_back({.of = FigureOf::kPower,
                       .measured = *question.power_w,
                       .expected = power.value,
                       .error = error_of(power),
                       .predicted = [](const Prognosis& one) { return one.power_w; },
                       .unknown = 0.75});  // chosen: share of the expected power
  }
  if (question.seen && question.seen->gpu_load && of.load()) {
    figures.push_back(gpu_load_figure(*question.seen->gpu_load, kDecodeLoad));
  }
  return figures;
}

ExplainAnswer answer_of(const LanguageCase& of, const std::vector<MeasuredFigure>& figures) {
  const ExplainQuestion& question = of.question;
  ExplainAnswer found;
  found.origin = {of.asked.model.name, "decode", of.board().name, Provenance::kModelled, {}, {}};
  found.mode = of.mode;
  found.mode_text = mode_name(of.board(), of.mode);
  found.mode_arguments = mode_arguments(of.board(), of.mode);
  found.runtime = of.engine().name;
  found.precision = of.weights().name;
  found.batch = static_cast<int>(of.request().concurrency);
  found.of = question.tokens_per_s ? ExplainedTime::kToken : ExplainedTime::kFirstToken;
  found.time = explained(figures.front());
  found.gap_of = found.of;
  if (question.tokens_per_s && question.first_token_s) {
    found.first_token = explained(figures[1]);
    if (found.first_token->deviation() > found.time.deviation()) {
      found.gap_of = ExplainedTime::kFirstToken;
    }
  }
  found.on_processor = !of.board().has_gpu();
  found.measured_power_w = question.power_w;
  found.power_fault = power_fault_of(of);
  const llm::Fit& fit = of.asked.memory.front().fit;
  found.memory_fault =
      memory_fault(LanguageMemory::needed_bytes(fit), fit.board_bytes - fit.system_bytes);
  const auto& power =
      question.tokens_per_s ? of.expected().decode_power_w : of.expected().prefill_power_w;
  add_power(found, {.expected = power.value, .error = error_of(power)});
  found.watched = question.seen;
  if (question.claimed_tokens_per_s) found.claimed_s = found.time.expected;
  found.widened_by = of.asked.settings.front().widened_by;
  return found;
}

std::vector<SeenSign> signs_of(const LanguageCase& of, const ExplainAnswer& found) {
  if (!of.question.seen) return {};
  const bool gpu = of.board().has_gpu();
  // On a processor, the libraries and the main thread of a server are no signs.
  const llm::EngineFacts* engine = gpu ? llm::find_engine_facts(of.engine().name) : nullptr;
  return signs_in({.seen = *of.question.seen,
                   .mode = of.mode,
                   .mode_text = found.mode_text,
                   .preset = preset_name(of.board(), of.question.seen->limits),
                   .gpu_load = of.load().value_or(0),
                   .measured_s = found.time.measured,
                   .library = engine != nullptr ? engine->library : "",
                   .gpu = gpu,
                   .spins = !gpu,
                   .busy_cores = gpu ? 0 : static_cast<double>(of.mode.cpu_cores),
                   .main_computes = gpu,
                   .gpu_clocks_hz = of.board().find_bsp().levels[Knob::kGpuClock]});
}

}  // namespace

ExplainAnswer explain_language(const ExplainQuestion& given) {
  const ExplainQuestion question = with_seen_mode(given);
  check_language(question);
  const LanguageCase of = make_language_case(question);
  const std::vector<MeasuredFigure> figures = figures_of(of);
  ExplainAnswer found = answer_of(of, figures);
  const auto in_mode = [&](const PowerMode& mode, int sms) { return of.in_mode(mode, "", sms); };
  conclude(found, without(causes_of(of), question.ruled_out), figures, signs_of(of, found),
           saw_clocks(question.seen) ? in_mode : PrognosisIn());
  return found;
}

}  // namespace ridgewatt::answer
