// Tables and JSON (schema in docs/reference/json.md) for the analysis of a model, for whether a
// language model fits a board, and for the reference of all operators.
#pragma once

#include <span>
#include <string>

#include "ridgewatt/answer/fits.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::report {

inline constexpr int kAnalysisSchemaVersion = 1;

// `options` must be the options of `analysis`. The nodes are created while they are written, so the
// model and the analysis must outlive the JSON.
StreamedJson analysis_json(const workload::Model& model, const workload::Analysis& analysis,
                           const workload::CostOptions& options);
// A table of one row. Bytes and intensity are those of the traffic model `traffic`.
Table analysis_totals(const workload::Model& model, const workload::Analysis& analysis,
                      workload::TrafficModel traffic);
Table analysis_layers(const workload::Analysis& analysis);  // only nodes with a cost
// The kernels that a runtime launches, in order of execution; needs an analysis with a runtime.
Table analysis_kernels(const workload::Analysis& analysis);
inline constexpr char kAnalysisOrder[] = "-flops";  // default order: the most expensive first
LayerSums analysis_sums(const Table& layers);       // `layers` comes from analysis_layers
// The totals; with `per_layer` also the layers and kernels. The result refers to the model and the
// analysis.
Result analysis_result(const workload::Model& model, const workload::Analysis& analysis,
                       const workload::CostOptions& options, bool per_layer);
Json explanation_json(const workload::Explanation& explanation);
std::string explanation_text(const workload::Explanation& explanation);

// The language model in question, for the first keys of a result.
Json language_model_json(const llm::LanguageModel& model);
// The built-in network architectures, and the built-in language models.
Table zoo_table();
Table language_zoo_table();
Json fits_json(const llm::LanguageModel& model, const llm::FitsOptions& options,
               std::span<const llm::Fit> fits);
Result fits_result(const answer::FitsAnswer& found);
// "yes", "no", or "yes, beyond training" for more tokens than in the training of the model.
std::string fits_word(const llm::Fit& fit);
// "board 7.44 GiB - system 1.50 - ... = left 0.36 GiB: fits".
std::string fits_text(const llm::Fit& fit);

// The text of docs/reference/operators.md.
std::string operators_markdown();

}  // namespace ridgewatt::report
