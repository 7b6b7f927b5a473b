#include "ridgewatt/report/analysis_report.h"

#include <cmath>
#include <utility>

#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::report {
namespace {

// Counts are whole numbers and are printed as such if they fit into 64 bits.
Json count(double value) {
  if (std::abs(value) < 9.0e18 && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json shape_json(const std::optional<workload::Shape>& shape) {
  if (!shape) return nullptr;
  Json extents = Json::array();
  for (const auto extent : *shape) {
    extents.push_back(extent == workload::kUnknownDim ? Json(nullptr) : Json(extent));
  }
  return extents;
}

Json type_json(const workload::ValueInfo& value) {
  Json json;
  const workload::ValueInfo* content = &value;
  if (value.kind == workload::ValueKind::kSequence ||
      value.kind == workload::ValueKind::kOptional) {
    json["kind"] = value.kind == workload::ValueKind::kSequence ? "sequence" : "optional";
    if (value.element) content = value.element.get();
  }
  const bool tensor = content->kind == workload::ValueKind::kTensor;
  const bool unknown = content->dtype == workload::DataType::kUndefined;
  json["dtype"] =
      unknown ? Json(nullptr) : Json(std::string(workload::data_type_name(content->dtype)));
  json["shape"] = tensor ? shape_json(content->shape) : Json(nullptr);
  if (value.items) {
    json["items"] = Json::array();
    for (const workload::ValueInfo& item : *value.items) json["items"].push_back(type_json(item));
  }
  return json;
}

Json tensor_json(const workload::Model& model, workload::TensorId id) {
  const workload::Tensor& tensor = model.tensors[static_cast<std::size_t>(id)];
  Json json = json_object({{"name", tensor.name}});
  json.update(type_json(tensor));
  return json;
}

Json tensors_json(const workload::Model& model, const std::vector<workload::TensorId>& ids) {
  Json list = Json::array();
  for (const workload::TensorId id : ids) {
    if (id != workload::kNoTensor) list.push_back(tensor_json(model, id));
  }
  return list;
}

Json totals_json(const workload::Analysis& a) {
  return json_object({{"macs", count(a.macs)},
                      {"flops", count(a.flops)},
                      {"int_ops", count(a.int_ops)},
                      {"bytes", count(a.bytes())},
                      {"bytes_read", count(a.read_bytes)},
                      {"bytes_written", count(a.write_bytes)},
                      {"parameters", count(a.parameter_count)},
                      {"parameter_bytes", count(a.parameter_bytes)},
                      {"arithmetic_intensity", a.arithmetic_intensity()},
                      {"peak_memory_bytes", count(a.peak_memory_bytes)},
                      {"kernels", count(a.kernels)}});
}

Json node_json(const workload::Model& model, const workload::Step& step,
               const workload::NodeCost& cost) {
  Json json = json_object({{"name", step.node->name}, {"op", step.node->op}});
  if (!step.node->domain.empty()) json["domain"] = step.node->domain;
  json["outputs"] = tensors_json(model, step.node->outputs);
  if (step.count != 1) json["count"] = count(step.count);
  json["macs"] = count(cost.macs);
  json["flops"] = count(cost.flops);
  json["int_ops"] = count(cost.int_ops);
  json["bytes_read"] = count(cost.read_bytes);
  json["bytes_written"] = count(cost.write_bytes);
  return json;
}

std::string precision_name(const workload::Analysis& a, const workload::KernelCost& kernel) {
  const bool same = kernel.precision == workload::Precision::kStored;
  return std::string(name_of(same ? a.workload.arithmetic : kernel.precision));
}

Json kernel_json(const workload::Analysis& a, const workload::KernelCost& kernel) {
  Json json = json_object({{"name", kernel.name},
                           {"op", kernel.op},
                           {"class", name_of(kernel.op_class)},
                           {"precision", precision_name(a, kernel)},
                           {"macs", count(kernel.macs)},
                           {"flops", count(kernel.work_flop)},
                           {"int_ops", count(kernel.work_int_op)},
                           {"bytes_read", count(kernel.read_bytes)},
                           {"bytes_written", count(kernel.write_bytes)},
                           {"launches", kernel.launches}});
  json["steps"] = kernel.steps;
  return json;
}

}  // namespace

StreamedJson analysis_json(const workload::Model& model, const workload::Analysis& a,
                           const workload::CostOptions& options) {
  Json json = json_object({{"schema_version", kAnalysisSchemaVersion},
                           {"model", model.name},
                           {"kind", name_of(a.workload.kind)},
                           {"batch", a.shapes.batch},
                           {"precision", std::string(name_of(a.workload.precision))},
                           {"convention", name_of(options.convention)},
                           {"traffic", name_of(workload::traffic_model(options))}});
  if (options.kind == WorkloadKind::kTraining) json["optimizer"] = name_of(options.optimizer);
  const Json totals = totals_json(a);
  json.update(totals);
  json["totals"] = totals;
  json["inputs"] = tensors_json(model, model.graph.inputs);
  json["outputs"] = tensors_json(model, model.graph.outputs);
  json["dims"] = a.shapes.bound;
  json["assumed_dims"] = a.shapes.assumed;
  json["assumptions"] = a.plan.assumptions;
  add_caveats(a.workload.caveats, json);
  json["nodes"] = nullptr;
  StreamedJson streamed{std::move(json), "nodes", a.nodes.size(), {}};
  streamed.fill = [&model, &a](std::size_t i, Json& row) {
    row = node_json(model, a.plan.steps[i], a.nodes[i]);
  };
  if (!options.runtime) return streamed;
  streamed.add_rest = [&a, runtime = *options.runtime](Json& rest) {
    rest["runtime"] = name_of(runtime);
    rest["launched"] = Json::array();
    for (const auto& kernel : a.workload.kernels) {
      rest["launched"].push_back(kernel_json(a, kernel));
    }
  };
  return streamed;
}

Table analysis_totals(const workload::Model& model, const workload::Analysis& a,
                      workload::TrafficModel traffic) {
  const std::string bytes_of(name_of(traffic));
  Table table({{"model"},
               {"kind"},
               {"batch"},
               {.name = "precision", .rank = 3},
               {"macs"},
               {"flops"},
               {.name = "int_ops", .heading = "int ops", .rank = 4},
               {.name = "bytes", .heading = "bytes, " + bytes_of, .rank = 2},
               {.name = "arithmetic_intensity",
                .heading = "FLOP per byte of " + bytes_of + " traffic",
                .rank = 2},
               {"parameters"},
               {.name = "peak_memory_bytes", .rank = 1},
               {.name = "kernels", .rank = 1}});
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  table.add_row({model.name, std::string(name_of(a.workload.kind)), a.shapes.batch,
                 std::string(name_of(a.workload.precision)), whole(a.macs), whole(a.flops),
                 whole(a.int_ops), whole(a.bytes()), a.arithmetic_intensity(),
                 whole(a.parameter_count), whole(a.peak_memory_bytes), whole(a.kernels)});
  return table;
}

Table analysis_layers(const workload::Analysis& a) {
  Table table({{.name = "name", .heading = "layer"},
               {.name = "op", .heading = "operator"},
               {.name = "output", .rank = 2},
               {.name = "macs", .rank = 1},
               {"flops"},
               {.name = "flops_share_pct", .heading = "share (%)", .digits = 3},
               {.name = "int_ops", .heading = "int ops", .rank = 5},
               {.name = "bytes_read", .rank = 3},
               {.name = "bytes_written", .rank = 4}});
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const workload::Step& step = a.plan.steps[i];
    const workload::NodeCost& n = a.nodes[i];
    const bool priced = step.kind == workload::StepKind::kKernel && step.node->subgraphs.empty();
    if (!priced && step.kind != workload::StepKind::kUnpriced) continue;
    const workload::TensorId out =
        step.node->outputs.empty() ? workload::kNoTensor : step.node->outputs[0];
    std::vector<Cell> row;
    row.emplace_back(step.node->name);
    row.emplace_back(step.node->op);
    row.emplace_back(out == workload::kNoTensor ? ""
                                                : workload::format_shape(a.plan.tensor(out).shape));
    row.resize(table.columns().size());
    if (priced) {
      row[3] = whole(n.macs);
      row[4] = whole(n.flops);
      if (a.flops > 0) row[5] = 100 * n.flops / a.flops;
      row[6] = whole(n.int_ops);
      row[7] = whole(n.read_bytes);
      row[8] = whole(n.write_bytes);
    }
    table.add_row(std::move(row));
  }
  return table;
}

Table analysis_kernels(const workload::Analysis& a) {
  Table table({{.name = "name", .heading = "kernel"},
               {.name = "op", .heading = "operator"},
               {.name = "precision", .rank = 1},
               {.name = "macs", .rank = 2},
               {"flops"},
               {.name = "int_ops", .heading = "int ops"},
               {.name = "bytes_read", .rank = 3},
               {.name = "bytes_written", .rank = 4}});
  const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
  for (const workload::KernelCost& kernel : a.workload.kernels) {
    table.add_row({kernel.name, kernel.op, precision_name(a, kernel), whole(kernel.macs),
                   whole(kernel.work_flop), whole(kernel.work_int_op), whole(kernel.read_bytes),
                   whole(kernel.write_bytes)});
  }
  return table;
}

LayerSums analysis_sums(const Table& layers) {
  const std::vector<std::string> summed = {"macs", "flops", "flops_share_pct", "bytes_read",
                                           "bytes_written"};
  return {sums_by_operator(layers, summed, kAnalysisOrder),
          sums_by_block(layers, summed, kAnalysisOrder)};
}

Json explanation_json(const workload::Explanation& e) {
  Json json = json_object({{"node", e.node}, {"op", e.op}, {"formula", e.formula}});
  json["terms"] = Json::object();
  for (const auto& [name, value] : e.terms) json["terms"][std::string(name)] = count(value);
  json["substituted"] = e.substituted;
  json["flops"] = count(e.cost.flops);
  json["macs"] = count(e.cost.macs);
  json["count"] = count(e.count);
  if (!e.remark.empty()) json["remark"] = e.remark;
  return json;
}

std::string explanation_text(const workload::Explanation& e) {
  std::string text = escape_terminal(e.node) + " (" + escape_terminal(e.op) + ")\n";
  if (!e.remark.empty()) return text + "  " + e.remark + "\n";
  text += "  operations = " + e.formula + "\n";
  text += "             = " + e.substituted + "\n";
  text += "             = " + format_exact(e.cost.flops) + "\n";
  if (e.cost.macs > 0)
    text += "  of them multiply-accumulates: " + format_exact(e.cost.macs) + "\n";
  if (e.count != 1) text += "  executed " + format_exact(e.count) + " times\n";
  return text;
}

Result analysis_result(const workload::Model& model, const workload::Analysis& analysis,
                       const workload::CostOptions& options, bool per_layer) {
  Table totals = analysis_totals(model, analysis, workload::traffic_model(options));
  Result result;
  result.streamed = analysis_json(model, analysis, options);
  if (!per_layer) {
    result.table = std::move(totals);
    return result;
  }
  result.table = options.runtime ? analysis_kernels(analysis) : analysis_layers(analysis);
  if (!options.runtime) {
    result.order = kAnalysisOrder;
    result.add_sums(analysis_sums(result.table));
  }
  result.add("In all:", std::move(totals));
  return result;
}

Table zoo_table() {
  Table table({{"name"}, {"alias"}, {.name = "description", .wrap = true}});
  for (const auto& entry : workload::zoo()) {
    table.add_row(
        {std::string(entry.name), std::string(entry.alias), std::string(entry.description)});
  }
  return table;
}

Table language_zoo_table() {
  Table table({{"name"},
               {"architecture"},
               {"parameters"},
               {"layers"},
               {.name = "context", .heading = "context (tokens)"},
               {.name = "source", .wrap = true}});
  for (const auto& entry : llm::language_zoo()) {
    const auto& numbers = entry.numbers;
    table.add_row({std::string(entry.name), std::string(name_of(numbers.family)),
                   llm::parameters_of(llm::describe(numbers, std::string(entry.name))),
                   numbers.layers, numbers.context, std::string(entry.source)});
  }
  return table;
}

}  // namespace ridgewatt::report
