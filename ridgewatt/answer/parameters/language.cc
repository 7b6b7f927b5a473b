// The parameters of questions about language models: `fits`, `llm` and `tune llm`.
#include "ridgewatt/answer/fits.h"
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using F = FitsQuestion;
using L = LanguageRequest;
using Q = LanguageQuestion;
using T = LanguageTuneRequest;
using Limits = LanguageLimits;

constexpr Parameter model_of(const Access& access) {
  return {.name = "model",
          .help = "GGUF, safetensors, config.json, a folder with them, or zoo:NAME",
          .access = access,
          .presence = Presence::kRequired,
          .positional = "MODEL"};
}

constexpr Parameter device_of(const Access& access) {
  return {.name = "device",
          .help = "Boards (orin-nano@super,thor), board file, or all; default: this machine",
          .access = access,
          .presence = Presence::kLocal,
          .words = {boards, all_boards}};
}

constexpr Parameter reserve_of(const Access& access) {
  return {.name = "reserve-gb",
          .help = "Memory reserved for the system and other programs [as in the board file]",
          .access = access,
          .quantity = units::gigabytes(),
          .python = "reserve_bytes"};
}

constexpr Parameter kFitsRows[] = {
    model_of(access_as<&F::model>(Input::kLanguageModel)),
    device_of(access_as<&F::device>(Input::kBoard)),
    {.name = "quantization",
     .help = "Quantizations: stored, names (f16, q4_k_m, awq ..), or all [stored, or else q4_k_m]",
     .access = access_as<&F::quantization>(Input::kNames),
     .words = {quantizations, all_quantizations}},
    {.name = "context",
     .help = "Tokens of each sequence",
     .access = access<&F::options, &llm::FitsOptions::context>,
     .quantity = units::count().within(1, 1 << 30)},
    {.name = "batch",
     .help = "Sequences in parallel",
     .access = access<&F::options, &llm::FitsOptions::batch>,
     .quantity = kSequences},
    kv_type_row(access<&F::options, &llm::FitsOptions::kv_type>),
    reserve_of(access<&F::options, &llm::FitsOptions::reserve_bytes>),
};

std::vector<std::string> engines_named() {
  std::vector<std::string> all = runtimes_named("all");
  all.emplace_back("all");
  return all;
}

constexpr Parameter kLanguageRows[] = {
    model_of(access_as<&L::model>(Input::kLanguageModel)),
    device_of(access_as<&L::device>(Input::kBoard)),
    {.name = "runtime",
     .help = "Runtimes, or all [the first that runs the quantization]",
     .access = access_suggesting<&engines_named, &L::runtime>(Input::kNames)},
    {.name = "quantization",
     .help = "Quantizations: stored, names (f16, q4_k_m, awq ..), or all [stored, or else the "
             "four-bit quantization of the runtime]",
     .access = access_as<&L::quantization>(Input::kNames),
     .words = {quantizations, all_quantizations}},
    prompt_row(access<&L::question, &Q::request, &llm::Request::prompt_tokens>),
    generate_row(access<&L::question, &Q::request, &llm::Request::generated_tokens>),
    concurrency_row(access<&L::question, &Q::request, &llm::Request::concurrency>),
    kv_type_row(access<&L::question, &Q::kv_type>),
    {.name = "modes",
     .help = "Power modes",
     .access = access_as<&L::question, &Q::modes>(Input::kModes)},
    reserve_of(access<&L::question, &Q::reserve_bytes>),
};

constexpr Parameter kLlmRows[] = {
    {.name = "context",
     .help =
         "Context lengths for which the time of a step is also estimated [512, 2048 .. up to the "
         "model's limit]",
     .access = access<&L::question, &Q::contexts>,
     .quantity = kTokens,
     .python = "contexts"},
    {.name = "pareto",
     .help = "Only the Pareto front of tokens per second and joules per token",
     .access = access<&L::front>,
     .only = Surface::kCommandLine},
};

constexpr Parameter kTuneRows[] = {
    {.name = "min-cores",
     .help = "Leave out modes with fewer CPU cores: no measurements cover them",
     .access = access<&T::language, &L::question, &Q::min_cores>,
     .quantity = units::count().within(1, 1024)},
    {.name = "minimize",
     .help = "Quantity to minimize: energy of a request, energy per decoded token, time of a "
             "request, or time per token",
     .access = access<&T::goal, &LanguageTuneQuestion::goal>},
    {.name = "max-power",
     .help = "Power limit in both phases",
     .access = access<&T::goal, &LanguageTuneQuestion::limits, &Limits::power_w>,
     .quantity = units::watts().positive()},
    {.name = "max-ttft",
     .help = "Limit on the time to the first token",
     .access = access<&T::goal, &LanguageTuneQuestion::limits, &Limits::ttft_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "max-tpot",
     .help = "Limit on the time per token",
     .access = access<&T::goal, &LanguageTuneQuestion::limits, &Limits::tpot_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "min-tokens-per-s",
     .help = "Minimum rate of output tokens, all sequences together",
     .access = access<&T::goal, &LanguageTuneQuestion::limits, &Limits::tokens_per_s>,
     .quantity = units::number().positive()},
    confidence_row(access<&T::goal, &LanguageTuneQuestion::confidence>),
    {.name = "phases",
     .help = "Choose one mode for prefill and one for decode",
     .access = access<&T::goal, &LanguageTuneQuestion::phases>},
};

}  // namespace

const ParameterTable& fits_parameters() {
  static const ParameterTable table =
      table_of<F>("fits", {{kFitsRows, &whole}}, "Whether a language model fits a board's memory",
                  "ridgewatt fits zoo:llama-3.1-8b --device all --quantization q4_k_m\n"
                  "  ridgewatt fits model.gguf --device orin-nano-8gb --context 8192");
  return table;
}

const ParameterTable& llm_parameters() {
  static const ParameterTable table =
      table_of<L>("llm", {{kLanguageRows, &whole}, {kLlmRows, &whole}},
                  "Speed, power and joules per token of a language model",
                  "ridgewatt llm zoo:llama-3.1-8b --device agx-orin --quantization q4_k_m\n"
                  "  ridgewatt llm zoo:llama-3.2-1b --device agx-orin-32gb@super --runtime "
                  "tensorrt-llm --quantization int8 --prompt 512 --generate 256 --modes maxn\n"
                  "  ridgewatt llm zoo:qwen3-4b --device all --modes maxn --pareto");
  return table;
}

const ParameterTable& tune_llm_parameters() {
  static const ParameterTable table = table_of<T>(
      "tune llm", {{kLanguageRows, &member_part<&T::language>}, {kTuneRows, &whole}},
      "The best mode for a language model, or one for each phase",
      "ridgewatt tune llm zoo:llama-3.2-3b --device orin-nano-8gb@super --max-power 15\n"
      "  ridgewatt tune llm zoo:llama-3.1-8b --device agx-orin --phases --max-ttft 1s");
  return table;
}

}  // namespace ridgewatt::answer
