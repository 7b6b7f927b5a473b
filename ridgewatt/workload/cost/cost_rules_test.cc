// Checks that the documented formulas match the code: on all nodes of all models, each formula,
// evaluated with the terms that its rule recorded, must give the value that the rule returned.
#include "ridgewatt/workload/cost/cost_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/cost_table.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/infer/op_registry.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

// Evaluates sums, differences, products, quotients, parentheses, numbers and names.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Terms::Recorded& terms) : text_(text), terms_(terms) {}
  double value() {
    const double result = sum();
    EXPECT_EQ(at_, text_.size()) << text_;
    return result;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  double sum() {
    double result = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      const double next = product();
      result += c == '+' ? next : -next;
    }
    return result;
  }
  double product() {
    double result = factor();
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      ++at_;
      const double next = factor();
      result = c == '*' ? result * next : result / next;
    }
    return result;
  }
  double factor() {
    if (peek() == '(') {
      ++at_;
      const double result = sum();
      EXPECT_EQ(peek(), ')') << text_;
      ++at_;
      return result;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '.')) {
      ++at_;
    }
    const std::string word(text_.substr(begin, at_ - begin));
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      return std::stod(word);
    }
    const auto term = std::find_if(terms_.begin(), terms_.end(),
                                   [&](const auto& entry) { return entry.first == word; });
    EXPECT_NE(term, terms_.end()) << "no term '" << word << "' in " << text_;
    return term == terms_.end() ? NAN : term->second;
  }

  std::string_view text_;
  const Terms::Recorded& terms_;
  std::size_t at_ = 0;
};

void check_formulas(const Analysis& analysis, std::set<std::string>& seen) {
  for (const Step& step : analysis.plan.steps) {
    if (step.kind != StepKind::kKernel || !step.node->subgraphs.empty()) continue;
    Terms::Recorded recorded;
    Terms terms(&recorded);
    const OpCost cost = step.rule->forward(OpContext(*analysis.plan.model, *step.node), terms);
    const double value = Evaluator(step.rule->formula, recorded).value();
    EXPECT_NEAR(value, cost.flops, 1e-12 * std::abs(cost.flops))
        << step.node->name << " " << step.node->op << ": " << step.rule->formula;
    seen.insert(step.node->op);
  }
}

TEST(CostRules, FormulasAreWhatTheRulesReturn) {
  std::set<std::string> seen;
  for (const ZooEntry& entry : zoo()) {
    Model model = load_workload("zoo:" + std::string(entry.name));
    check_formulas(analyze(model), seen);
  }
  EXPECT_GE(seen.size(), 25U);
}

// label: slow
TEST(CostRules, FormulasHoldOnTheNodeTests) {
  RIDGEWATT_REQUIRE_SHARED();
  std::set<std::string> seen;
  for (const auto& folder :
       std::filesystem::directory_iterator(testing::shared_folder() / "onnx" / "node")) {
    Model model = load_model((folder.path() / "model.onnx").string());
    check_formulas(analyze(model), seen);
  }
  EXPECT_GE(seen.size(), 120U);
}

TEST(CostRules, TableIsSortedAndComplete) {
  const auto table = cost_table();
  const auto out_of_order = std::adjacent_find(table.begin(), table.end(), [](auto& a, auto& b) {
    return std::tie(a.domain, a.name) >= std::tie(b.domain, b.name);  // true also for duplicates
  });
  EXPECT_EQ(out_of_order, table.end()) << out_of_order->name;
  for (const CostEntry& entry : table) {
    EXPECT_NE(entry.rule->forward, nullptr) << entry.name;
    EXPECT_FALSE(entry.rule->formula.empty()) << entry.name;
  }
  // Every operator with a shape rule has a cost rule, except these, which the analysis reports.
  const std::set<std::string_view> unpriced = {"Gradient", "MoE", "QMoE", "SVMClassifier",
                                               "SVMRegressor"};
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const OpEntry* op : all_ops()) {
    EXPECT_TRUE(seen.insert({op->domain, op->name}).second) << op->name << " is duplicated";
    if (unpriced.contains(op->name)) continue;
    EXPECT_NE(find_cost_rule(op->domain, op->name), nullptr) << op->domain << " " << op->name;
  }
}

using Value = GraphBuilder::Value;
using Dims = GraphBuilder::Dims;

// Analyzes a graph of one operator, which `build` creates.
template <typename Build>
Analysis analyze_op(Model& model, Build build, const CostOptions& options = {}) {
  GraphBuilder g("op", 17);
  const Value y = build(g);
  g.output(y, "y", {});
  model = load_model_from_memory(g.serialize(), "op");
  return analyze(model, options);
}

// The table in the methods documentation: operations per element; 2x3x8x8 = 384 elements.
TEST(CostRules, ElementwiseTable) {
  const std::pair<const char*, double> facts[] = {
      {"Relu", 1},      {"Sigmoid", 4}, {"HardSigmoid", 4}, {"Tanh", 5},
      {"HardSwish", 5}, {"Erf", 8},     {"Softmax", 7},     {"Identity", 0}};
  for (const auto& [op, flops] : facts) {
    Model model;
    const Analysis analysis = analyze_op(model, [name = op](GraphBuilder& g) {
      return g.op(name, {g.input("x", Dims{2, 3, 8, 8})});
    });
    EXPECT_EQ(analysis.flops, flops * 384) << op;
    EXPECT_EQ(analysis.bytes(), flops == 0 ? 0 : 2 * 384 * 4) << op;
  }
}

TEST(CostRules, RecurrentLayersByHand) {
  constexpr double kSteps = 5, kSamples = 3, kWidth = 7, kHidden = 11;
  const std::pair<const char*, double> gates[] = {{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}};
  for (const auto& [op, count] : gates) {
    Model model;
    const Analysis analysis = analyze_op(model, [&, name = op, n = count](GraphBuilder& g) {
      const auto rows = static_cast<std::int64_t>(n * kHidden);
      return g.layer(name, g.input("x", Dims{5, 3, 7}), {{"W", {1, rows, 7}}, {"R", {1, rows, 11}}},
                     {{"hidden_size", std::int64_t{11}}}, 11);
    });
    EXPECT_EQ(analysis.macs, kSteps * kSamples * count * kHidden * (kWidth + kHidden)) << op;
  }
}

// Convolution, batch normalization and ReLU are one kernel that reads input, weights and the folded
// bias and writes the result. Without fusion they are three kernels.
TEST(CostRules, ConvolutionFoldsItsNormalization) {
  const auto build = [](GraphBuilder& g) {
    const Value x = g.input("x", Dims{1, 4, 8, 8});
    return g.relu(g.batch_norm(g.conv(x, 6, {.kernel = 3, .padding = 1, .bias = false})));
  };
  Model model;
  const double x = 4 * 64 * 4;
  const double y = 6 * 64 * 4;
  const double w = 6 * 4 * 9 * 4;
  const double channel = 6 * 4;
  const Analysis fused = analyze_op(model, build);
  EXPECT_EQ(fused.kernels, 1);
  EXPECT_EQ(fused.bytes(), x + w + channel + y);
  EXPECT_EQ(fused.parameter_count, 6 * 4 * 9 + 2 * 6);
  EXPECT_EQ(fused.peak_memory_bytes, fused.parameter_bytes + x + y);
  CostOptions options;
  options.traffic = TrafficModel::kUnfused;
  const Analysis unfused = analyze_op(model, build, options);
  EXPECT_EQ(unfused.kernels, 3);
  EXPECT_EQ(unfused.bytes(), x + w + y + (y + 4 * channel + y) + 2 * y);
  EXPECT_EQ(unfused.flops, fused.flops);
}

// Layer normalization is one kernel, also if an exporter writes it as separate operators.
TEST(CostRules, SpelledOutLayerNormalizationIsOneKernel) {
  Model model;
  const Analysis analysis = analyze_op(model, [](GraphBuilder& g) {
    const Value x = g.input("x", Dims{2, 16, 32});
    const auto mean = [&](const Value& v) {
      return g.op("ReduceMean", {v}, {{"axes", std::vector<std::int64_t>{-1}}});
    };
    const Value d = g.sub(x, mean(x));
    const Value variance = mean(g.mul(d, d));
    const Value deviation = g.op("Sqrt", {g.add(variance, g.scalar(1e-5F))});
    return g.mul(g.div(d, deviation), g.parameter("gain", {32}));
  });
  EXPECT_EQ(analysis.kernels, 1);
  EXPECT_EQ(analysis.bytes(), 4 * (2 * 2 * 16 * 32 + 32));
}

// The gate of a squeeze-and-excitation block depends on the output of the first convolution, so it
// must not be fused into that convolution.
TEST(CostRules, FusionMakesNoCycles) {
  Model model;
  const Analysis analysis = analyze_op(model, [](GraphBuilder& g) {
    const Value x = g.conv(g.input("x", Dims{1, 8, 8, 8}), 8, {});
    const Value gate = g.op("Sigmoid", {g.conv(g.global_average_pool(x), 8, {})});
    return g.mul(x, gate);
  });
  EXPECT_EQ(analysis.kernels, 4);  // convolution, pooling, convolution with sigmoid, product
}

TEST(CostRules, QuantizedWorkIsCountedApart) {
  Model model;
  const Analysis analysis = analyze_op(model, [](GraphBuilder& g) {
    const Value zero = g.op("Cast", {g.scalar(0)}, {{"to", std::int64_t{3}}});
    const Value x = g.op("QuantizeLinear", {g.input("x", Dims{4, 32}), g.scalar(0.1F), zero});
    const Value w = g.op("Cast", {g.parameter("w", {32, 16})}, {{"to", std::int64_t{3}}});
    return g.op("MatMulInteger", {x, w});
  });
  EXPECT_EQ(analysis.macs, 4 * 16 * 32);
  EXPECT_EQ(analysis.int_ops, 2 * 4 * 16 * 32);
  EXPECT_EQ(analysis.flops, 3 * 4 * 32);  // quantization of the input
}

}  // namespace
}  // namespace ridgewatt::workload
