// The parameters of `explain`.
#include "ridgewatt/answer/explain.h"

#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"
#include "ridgewatt/base/contains.h"

namespace ridgewatt::answer {
namespace {

using X = ExplainQuestion;
using W = WorkloadQuestion;
using LR = LanguageRequest;
using Q = LanguageQuestion;

std::vector<std::string> runtimes_and_engines() {
  std::vector<std::string> all = names<Runtime>();
  for (auto& engine : runtimes_named("all")) all.push_back(std::move(engine));
  return all;
}

// Sets what runs the model: a runtime, or the engine of a language model. The measured figures of
// the question determine which of the two is meant.
void set_runtime(void* part, const Parameter& row, const Given& given) {
  X& question = *static_cast<X*>(part);
  const NameSet known{runtimes_and_engines(), name_set<Runtime>().synonyms};
  const auto name = require_name(noun_of(row), given.words.front(), known);
  const auto engines = runtimes_named("all");
  question.engine = contains(engines, name) ? name : "";
  if (question.engine.empty()) question.workload.runtime = value_of<Runtime>(row, given, 0);
}

std::string set_name_of_runtime(const void* part, const Parameter& row) {
  const X& question = *static_cast<const X*>(part);
  return question.engine.empty() ? access<&X::workload, &W::runtime>.get(part, row)
                                 : question.engine;
}

constexpr Parameter kExplainedModelRows[] = {
    {.name = "model",
     .help = "ONNX file, file or folder of a language model, or zoo:NAME",
     .access = access_as<&X::workload, &W::model>(Input::kModel),
     .presence = Presence::kRequired,
     .positional = "MODEL",
     .words = {models, language_models}},
    runtime_row(
        {.set = &set_runtime, .get = &set_name_of_runtime, .choices = &runtimes_and_engines})};

constexpr Parameter kExplainRows[] = {
    {.name = "measured",
     .help = "Measured time of one minibatch",
     .access = access<&X::measured_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "samples-per-second",
     .help = "Measured samples per second, in place of --measured",
     .access = access<&X::samples_per_s>,
     .quantity = units::hertz().positive(),
     .python = "samples_per_s"},
    {.name = "power",
     .help = "Measured mean power of the run",
     .access = access<&X::power_w>,
     .quantity = units::watts().positive()},
    {.name = "claimed",
     .help = "Published time of one minibatch in this mode; estimates are scaled to it",
     .access = access<&X::claimed_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "claimed-error",
     .help = "Standard error of the published time or rate, as a share; smaller for a benchmark of "
             "the same program than for a published page",
     .access = access<&X::claimed_error>,
     .quantity = units::share().within(0.005, 1),
     .needs = {.name = "claimed", .or_name = "claimed-tokens-per-second"}},
    {.name = "batch",
     .help = "Minibatch size (default 1; 16 for training)",
     .access = access<&X::batch>,
     .quantity = units::count().within(1, 1 << 20)},
    {.name = "device",
     .help = "Board or board file (default: this machine)",
     .access = access_as<&X::device>(Input::kBoard),
     .presence = Presence::kLocal,
     .words = {boards, live_boards}},
    {.name = "mode",
     .help = "Power mode that was set, or should have been",
     .access = access_as<&X::mode>(Input::kModes)},
};

constexpr Parameter kProfileRows[] = {
    {.name = "profile",
     .help = "Profile of the layers, written by trtexec --exportProfile, ONNX Runtime, nsys "
             "(SQLite) or PyTorch; also gives the measured time, if no option does",
     .access = access_as<&X::profile>(Input::kFile)},
    layer_information_row(access_as<&X::layers>(Input::kFile), {.name = "profile"}),
    {.name = "runs",
     .help = "Number of runs in the profile, if the profile does not state it",
     .access = access<&X::runs>,
     .quantity = units::count().within(1, 1e12),
     .needs = {.name = "profile"}},
};

constexpr Parameter kChangeRows[] = {
    {.name = "after",
     .help = "Time of one minibatch after a change, to check the cause that the change removed",
     .access = access<&X::after_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "removed",
     .help = "Cause that the change removed [the most probable one]",
     .access = access<&X::removed>},
};

void set_seen_pairs(void* part, const Parameter&, const Given& given) {
  auto& seen = static_cast<X*>(part)->seen;
  if (!seen) seen.emplace();
  for (const auto& [name, value] : given.pairs) set_seen(*seen, name, value);
}

// A number in the unit that its name states; a share also in %.
Quantity quantity_of_seen(std::string_view name) {
  static constexpr UnitName kByteRates[] = {
      {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}};
  static constexpr Quantity kByteRate = {"rate", "B/s", kByteRates};
  const auto most = [](const Quantity& quantity) { return quantity.within(0, units::kMostOfAll); };
  if (name.ends_with("_mhz")) return most(units::megahertz());
  if (name.ends_with("_ms")) return most(units::milliseconds());
  if (name.ends_with("bytes_per_s")) return most(kByteRate);
  if (name.ends_with("_per_s")) return most(units::hertz());
  for (const SeenValue& value : seen_values()) {
    if (value.name == name && value.most == 1) return most(units::share());
  }
  return most(units::number());
}

constexpr Parameter kSeenRows[] = {
    {.name = "seen",
     .help = "Value that was observed during the run, NAME=VALUE, in place of watching: gpu_mhz, "
             "gpu_load, other_cores .. (docs/guide/explain.md)",
     .access = {.input = Input::kPair, .repeated = true, .set = &set_seen_pairs},
     .quantity = units::number().within(0, 1e15),
     .quantity_named = &quantity_of_seen,
     .example = "gpu_mhz=306",
     .words = {seen_names}},
    {.name = "seen-mode",
     .help = "Power mode that was active during the run, as nvpmodel -q shows it",
     .access = access_as<&X::seen_mode>(Input::kModes)},
    {.name = "rule-out",
     .help = "Cause that you have excluded, such as runtime",
     .access = access<&X::ruled_out>},
};

constexpr Needs kNeedsTokens = {
    .name = "tokens-per-second", .or_name = "first-token", .advice = "it is of language models"};

constexpr Parameter kExplainLanguageRows[] = {
    {.name = "tokens-per-second",
     .help =
         "Measured output tokens per second while a language model decodes, all sequences together",
     .access = access<&X::tokens_per_s>,
     .quantity = units::hertz().positive(),
     .python = "tokens_per_s"},
    {.name = "first-token",
     .help = "Measured time from a request to its first token",
     .access = access<&X::first_token_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "claimed-tokens-per-second",
     .help = "Published tokens per second in this mode; estimates are scaled to it",
     .access = access<&X::claimed_tokens_per_s>,
     .quantity = units::number().positive(),
     .needs = {.name = "tokens-per-second"},
     .python = "claimed_tokens_per_s"},
    {.name = "quantization",
     .help = "Quantization: stored, or a name (f16, q4_k_m, awq ..) [stored, or else the four-bit "
             "quantization of the runtime]",
     .access = access_as<&X::language, &LR::quantization>(Input::kText),
     .needs = kNeedsTokens,
     .words = {quantizations}},
    needing(
        prompt_row(access<&X::language, &LR::question, &Q::request, &llm::Request::prompt_tokens>),
        kNeedsTokens),
    needing(generate_row(
                access<&X::language, &LR::question, &Q::request, &llm::Request::generated_tokens>),
            kNeedsTokens),
    needing(concurrency_row(
                access<&X::language, &LR::question, &Q::request, &llm::Request::concurrency>),
            kNeedsTokens),
    needing(kv_type_row(access<&X::language, &LR::question, &Q::kv_type>), kNeedsTokens),
};

}  // namespace

const ParameterTable& explain_parameters() {
  static const ParameterTable table = table_of<X>(
      "explain",
      {{kExplainedModelRows, &whole},
       {workload_rows(), &member_part<&X::workload>},
       {loader_rows(), &member_part<&X::run>},
       {kEngineCallRows<X>, &whole},
       {kExplainRows, &whole},
       {kProfileRows, &whole},
       {kSeenRows, &whole},
       {kChangeRows, &whole},
       {kExplainLanguageRows, &whole}},
      "Why a measured time is longer than expected",
      "ridgewatt explain zoo:resnet50 --device orin-nano-8gb --measured 45ms\n"
      "  ridgewatt explain zoo:yolov8n --device agx-orin --runtime tensorrt --precision fp16 "
      "--samples-per-second 60 --power 22W --claimed 4ms\n"
      "  ridgewatt explain zoo:llama-3.1-8b --device agx-orin --runtime llama.cpp --quantization "
      "q4_k_m --tokens-per-second 7 --first-token 900ms\n"
      "  ridgewatt explain zoo:resnet50 --batch 8 --for 20s -- python3 infer.py");
  return table;
}

}  // namespace ridgewatt::answer
