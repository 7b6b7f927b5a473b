// The analysis of a model as tables and as JSON (schema in docs/reference/json.md), whether a
// language model fits a board, and the reference of all operators.
#pragma once

#include <span>
#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::report {

inline constexpr int kAnalysisSchemaVersion = 1;

// `options`: what `analysis` was made with.
Json analysis_json(const workload::Model& model, const workload::Analysis& analysis,
                   const workload::CostOptions& options);
// One row. `traffic` is the model of the bytes and of the intensity.
Table analysis_totals(const workload::Model& model, const workload::Analysis& analysis,
                      workload::TrafficModel traffic);
Table analysis_layers(const workload::Analysis& analysis);  // nodes that cost something
// What a runtime launches, in the order in which it runs; of an analysis with one.
Table analysis_kernels(const workload::Analysis& analysis);
inline constexpr char kAnalysisOrder[] = "-flops";  // what costs most first
LayerSums analysis_sums(const Table& layers);       // of analysis_layers
// The totals, or with `per_layer` the layers and kernels too.
Result analysis_result(const workload::Model& model, const workload::Analysis& analysis,
                       const workload::CostOptions& options, bool per_layer);
Json explanation_json(const workload::Explanation& explanation);
std::string explanation_text(const workload::Explanation& explanation);

// Which language model was asked about, as the first keys of an answer.
Json language_model_json(const llm::LanguageModel& model);
// The built-in architectures, and the built-in language models.
Table zoo_table();
Table language_zoo_table();
// Rows of llm::fits.
Table fits_table(std::span<const llm::Fit> fits);
Json fits_json(const llm::LanguageModel& model, const llm::FitsOptions& options,
               std::span<const llm::Fit> fits);
Result fits_result(const llm::LanguageModel& model, const llm::FitsOptions& options,
                   std::span<const llm::Fit> fits);
// "board 7.44 GiB - system 1.50 - ... = left 0.36 GiB: fits".
std::string fits_text(const llm::Fit& fit);

// docs/reference/operators.md.
std::string operators_markdown();

}  // namespace ridgewatt::report
