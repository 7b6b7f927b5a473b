// Rows that several questions have: each array is about one part of a question.
#pragma once

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {

std::span<const Parameter> model_rows();           // MODEL, of WorkloadQuestion
std::span<const Parameter> optional_model_rows();  // the same, which may be left out
std::span<const Parameter> all_runtimes_rows();    // runtime_rows(), or all of them

// Whether the model runs in an engine that a program calls.
bool runs_engine(const WorkloadQuestion& workload);

// How an engine is called: rows of RunOptions for questions about a model.
template <class Question>
inline constexpr Needs kNeedsEngine = {
    .name = "runtime",
    .which = "an engine's ",
    .met =
        [](const void* question) {
          return runs_engine(static_cast<const Question*>(question)->workload);
        },
    .advice = "the launches of PyTorch are Python's already"};

template <class Question>
inline constexpr Parameter kEngineCallRows[] = {
    {.name = "caller",
     .help = "What calls the engine of tensorrt or onnxruntime for each run",
     .access = access<&Question::run, &twin::RunOptions::caller>,
     .of_model = true,
     .needs = kNeedsEngine<Question>},
    {.name = "python-caller",
     .help = "Python code that only enqueues calls the engine: a thin caller",
     .access = {.input = Input::kFlag,
                .set =
                    [](void* question, const Parameter&, const Given&) {
                      static_cast<Question*>(question)->run.caller =
                          twin::EngineCaller::kThinPython;
                    }},
     .of_model = true,
     .needs = kNeedsEngine<Question>},
    {.name = "cuda-graph",
     .help = "The engine's launches are recorded once and replayed as a CUDA graph",
     .access = access<&Question::run, &twin::RunOptions::cuda_graph>,
     .of_model = true,
     .needs = kNeedsEngine<Question>}};

}  // namespace ridgewatt::answer
