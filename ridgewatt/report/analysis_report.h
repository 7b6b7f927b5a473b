// The analysis of a model as tables and as JSON (schema in docs/reference/json.md), and the
// reference of all operators.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt {

inline constexpr int kAnalysisSchemaVersion = 1;

// How the figures were counted, as the user asked for it.
struct AnalysisLabels {
  std::string convention;
  std::string traffic;
  std::string optimizer;  // empty for inference
};

Json analysis_json(const Model& model, const Analysis& analysis, const AnalysisLabels& labels);
// One row. `traffic` names the model of the bytes and of the intensity: "fused".
Table analysis_totals(const Model& model, const Analysis& analysis, const std::string& traffic);
Table analysis_layers(const Analysis& analysis);    // nodes that cost something
inline constexpr char kAnalysisOrder[] = "-flops";  // what costs most first
LayerSums analysis_sums(const Table& layers);       // of analysis_layers
Json explanation_json(const Explanation& explanation);
std::string explanation_text(const Explanation& explanation);

// docs/reference/operators.md.
std::string operators_markdown();

}  // namespace ridgewatt
