// Rows of parameters that several questions share.
#pragma once

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {

// Rows for members that each question declares itself.
constexpr Parameter model_row(Access access, Presence presence) {
  return {.name = "model",
          .help = "ONNX file or zoo:NAME",
          .access = access,
          .presence = presence,
          .positional = "MODEL"};
}
constexpr Parameter training_row(void (*set)(void* part, const Parameter&, const Given&)) {
  return {.name = "training",
          .help = "A training step instead of inference",
          .access = {.input = Input::kFlag, .set = set}};
}
constexpr Parameter optimizer_row(Access access) {
  return {.name = "optimizer", .help = "Optimizer that updates the weights", .access = access};
}
constexpr Parameter dims_row(Access access) {
  return {.name = "dim",
          .help = "NAME=VALUE binds a symbolic dimension",
          .access = access,
          .quantity = units::count().within(0, 1e15),
          .python = "dims",
          .example = "sequence=128"};
}
constexpr Parameter epochs_row(Access access) {
  return {.name = "epochs",
          .help = "Epochs of the job",
          .access = access,
          .quantity = units::number().positive(),
          .needs = {.name = "dataset-size"}};
}
constexpr Parameter confidence_row(Access access) {
  return {.name = "confidence",
          .help =
              "Required probability that each limit is met, given the error of the estimates; 0.5: "
              "the estimate itself must meet it",
          .access = access,
          .quantity = units::share().within(0.5, 0.9999)};
}
constexpr Parameter layer_information_row(const Access& access, const Needs& needs = {}) {
  return {.name = "layers",
          .help = "Layer information of the engine (trtexec --exportLayerInfo)",
          .access = access,
          .needs = needs};
}
constexpr Parameter sweep_name_row(Access access) {
  return {
      .name = "workload",
      .help = "Sweep to use, if the file has several: NAME[:KIND[:PROVENANCE]][@BOARD], or @BOARD",
      .access = access};
}
constexpr Parameter keep_outliers_row(Access access) {
  return {.name = "keep-outliers",
          .help = "Also use the rows that the quality check flags",
          .access = access};
}
// Only for Python: on the command line, every command has --seed.
constexpr Parameter seed_row(Access access, std::string_view help = "Seed of all random choices") {
  return {.name = "seed",
          .help = help,
          .access = access,
          .quantity = units::count().within(0, 9007199254740992.0),
          .only = Surface::kPython};
}
constexpr Parameter of_model(Parameter row) {
  row.of_model = true;
  return row;
}
constexpr Parameter needing(Parameter row, const Needs& needs) {
  row.needs = needs;
  return row;
}
constexpr Parameter idle_in(Parameter row, const Forms& forms) {
  row.idle_in = forms;
  return row;
}
constexpr Parameter runtime_row(const Access& access) {
  return {.name = "runtime", .help = "What runs MODEL", .access = access, .of_model = true};
}

// Rows for the request to a language model.
constexpr Quantity kTokens = units::count().within(1, 1 << 24);
constexpr Quantity kSequences = units::count().within(1, 65536);
constexpr Parameter prompt_row(const Access& access) {
  return {.name = "prompt", .help = "Tokens of the prompt", .access = access, .quantity = kTokens};
}
constexpr Parameter generate_row(const Access& access) {
  return {.name = "generate",
          .help = "Tokens to generate, including the first",
          .access = access,
          .quantity = kTokens};
}
constexpr Parameter concurrency_row(const Access& access) {
  return {.name = "concurrency",
          .help = "Sequences in parallel, each with its own prompt",
          .access = access,
          .quantity = kSequences};
}
constexpr Parameter kv_type_row(const Access& access) {
  return {.name = "kv-type", .help = "Type of the cache of keys and values", .access = access};
}

std::span<const Parameter> model_rows();           // MODEL, of WorkloadQuestion
std::span<const Parameter> optional_model_rows();  // MODEL as an optional parameter
std::span<const Parameter> all_runtimes_rows();    // runtime_rows() with "all"

// runs_engine(): whether a program calls an engine on a GPU, or all runtimes are compared.
// runs_pytorch(): whether the model runs in PyTorch.
bool runs_engine(const WorkloadQuestion& workload);
bool runs_pytorch(const WorkloadQuestion& workload);

// How an engine is called: rows of RunOptions.
template <class Question>
inline constexpr Needs kNeedsEngine = {
    .name = "runtime",
    .which = "an engine's ",
    .met =
        [](const void* question) {
          return runs_engine(static_cast<const Question*>(question)->workload);
        },
    .advice = "only tensorrt and onnxruntime have launches that a program calls"};

template <class Question>
inline constexpr Needs kNeedsPytorch = {
    .name = "runtime",
    .which = "PyTorch's ",
    .met =
        [](const void* question) {
          return runs_pytorch(static_cast<const Question*>(question)->workload);
        },
    .advice = "an engine reads its input in place"};

template <class Question>
inline constexpr Parameter kEngineCallRows[] = {
    {.name = "caller",
     .help =
         "Kind of program that calls the engine (runtimes tensorrt and onnxruntime) for each run",
     .access = access<&Question::run, &twin::RunOptions::caller>,
     .of_model = true,
     .needs = kNeedsEngine<Question>},
    {.name = "python-caller",
     .help = "The engine is called by Python code that only enqueues runs; same as caller "
             "thin-python",
     .access = {.input = Input::kFlag,
                .set =
                    [](void* question, const Parameter&, const Given&) {
                      auto& caller = static_cast<Question*>(question)->run.caller;
                      if (caller == twin::EngineCaller::kFramework) {
                        throw UsageError("--python-caller contradicts --caller framework", "",
                                         "omit one of them");
                      }
                      caller = twin::EngineCaller::kThinPython;
                    }},
     .of_model = true,
     .needs = kNeedsEngine<Question>},
    {.name = "cuda-graph",
     .help = "Record the engine's launches once and replay them as a CUDA graph",
     .access = access<&Question::run, &twin::RunOptions::cuda_graph>,
     .of_model = true,
     .needs = kNeedsEngine<Question>},
    {.name = "input-on",
     .help = "Memory that holds the input of each run of PyTorch (device: no copy is needed)",
     .access = access<&Question::run, &twin::RunOptions::input>,
     .of_model = true,
     .needs = kNeedsPytorch<Question>}};

}  // namespace ridgewatt::answer
