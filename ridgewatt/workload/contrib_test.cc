// Tests operators of ONNX Runtime, sequence lengths, subgraphs (bodies of Loop and If) and explicit
// quantization, on graphs that the tests build and whose costs were computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/onnx/onnx.pb.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::workload {
namespace {

using ::testing::HasSubstr;

constexpr auto kFloatType = onnx::TensorProto::FLOAT;
constexpr auto kInt8Type = onnx::TensorProto::INT8;
constexpr auto kInt32Type = onnx::TensorProto::INT32;
constexpr auto kInt64Type = onnx::TensorProto::INT64;
using ElementType = onnx::TensorProto::DataType;

// An extent, by number or by name.
struct SketchDim {
  SketchDim(int value) : value(value) {}                 // NOLINT: a literal is an extent
  SketchDim(const char* name) : value(0), name(name) {}  // NOLINT
  std::int64_t value;
  std::string name;
};

void declare_value(onnx::ValueInfoProto* info, const std::string& name,
                   const std::vector<SketchDim>& dims, ElementType type) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  for (const auto& dim : dims) {
    auto* out = tensor->mutable_shape()->add_dim();
    if (dim.name.empty())
      out->set_dim_value(dim.value);
    else
      out->set_dim_param(dim.name);
  }
}

// Builds a graph (of a model or a body) node by node.
struct GraphSketch {
  onnx::GraphProto graph;

  void input(const std::string& name, const std::vector<SketchDim>& dims,
             ElementType type = kFloatType) {
    declare_value(graph.add_input(), name, dims, type);
  }
  void output(const std::string& name, const std::vector<SketchDim>& dims,
              ElementType type = kFloatType) {
    declare_value(graph.add_output(), name, dims, type);
  }
  void output(const std::string& name) { graph.add_output()->set_name(name); }
  void weight(const std::string& name, const std::vector<std::int64_t>& dims,
              ElementType type = kFloatType) {
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const auto dim : dims) tensor->add_dims(dim);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value("weights");
  }
  template <typename T>
  void constant(const std::string& name, const std::vector<T>& values, ElementType type,
                bool scalar = false) {
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    if (!scalar) tensor->add_dims(static_cast<std::int64_t>(values.size()));
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor->set_raw_data(std::move(bytes));
  }
  onnx::NodeProto* node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& domain = "") {
    auto* node = graph.add_node();
    node->set_op_type(op);
    node->set_domain(domain);
    node->set_name(op + "_" + std::to_string(graph.node_size()));
    for (const auto& in : inputs) node->add_input(in);
    for (const auto& out : outputs) node->add_output(out);
    return node;
  }
  onnx::NodeProto* ms(const std::string& op, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
    return node(op, inputs, outputs, "com.microsoft");
  }
  Model model(int opset = 21) const {
    onnx::ModelProto proto;
    proto.set_ir_version(10);
    proto.add_opset_import()->set_version(opset);
    auto* contrib = proto.add_opset_import();
    contrib->set_domain("com.microsoft");
    contrib->set_version(1);
    *proto.mutable_graph() = graph;
    return load_model_from_memory(proto.SerializeAsString(), "sketch");
  }
};

onnx::AttributeProto* new_attribute(onnx::NodeProto* node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}
void set_int(onnx::NodeProto* node, const std::string& name, std::int64_t value) {
  new_attribute(node, name, onnx::AttributeProto::INT)->set_i(value);
}
void set_float(onnx::NodeProto* node, const std::string& name, float value) {
  new_attribute(node, name, onnx::AttributeProto::FLOAT)->set_f(value);
}
void set_ints(onnx::NodeProto* node, const std::string& name, const std::vector<int>& values) {
  auto* attribute = new_attribute(node, name, onnx::AttributeProto::INTS);
  for (const int value : values) attribute->add_ints(value);
}
void set_body(onnx::NodeProto* node, const std::string& name, const GraphSketch& body) {
  *new_attribute(node, name, onnx::AttributeProto::GRAPH)->mutable_g() = body.graph;
}

std::string type_of_output(const Model& model) {
  return format_type(model.tensors[static_cast<std::size_t>(model.graph.outputs.at(0))]);
}

const KernelCost* kernel_of(const Analysis& analysis, const std::string& op) {
  for (const auto& kernel : analysis.workload.kernels) {
    if (kernel.op == op) return &kernel;
  }
  return nullptr;
}

// A FusedMatMul with its expected output shape and multiply-accumulates.
struct FusedCase {
  std::vector<SketchDim> a, b;
  std::vector<std::string> flags;
  const char* shape;
  double macs;
};

TEST(Contrib, FusedMatMulTakesItsDepthFromTheRightAxis) {
  const FusedCase cases[] = {
      {{1, 2, 32, 400}, {1, 2, 32, 400}, {"transA"}, "float32[1x2x400x400]", 2.0 * 400 * 400 * 32},
      {{1, 2, 400, 32}, {1, 2, 400, 32}, {"transB"}, "float32[1x2x400x400]", 2.0 * 400 * 400 * 32},
      {{4, 6}, {4, 5}, {"transA"}, "float32[6x5]", 6.0 * 5 * 4},
      // transBatchA: the axes are [rows, batch, k], so the batch is between rows and k.
      {{5, 3, 7}, {3, 7, 11}, {"transBatchA"}, "float32[3x5x11]", 3.0 * 5 * 11 * 7},
      {{7, 3, 5}, {3, 7, 11}, {"transBatchA", "transA"}, "float32[3x5x11]", 3.0 * 5 * 11 * 7},
      {{3, 5, 7}, {7, 3, 11}, {"transBatchB"}, "float32[3x5x11]", 3.0 * 5 * 11 * 7},
      {{3, 5, 7}, {11, 3, 7}, {"transBatchB", "transB"}, "float32[3x5x11]", 3.0 * 5 * 11 * 7},
  };
  for (const auto& one : cases) {
    GraphSketch g;
    g.input("a", one.a);
    g.input("b", one.b);
    g.output("y");
    auto* node = g.ms("FusedMatMul", {"a", "b"}, {"y"});
    for (const auto& flag : one.flags) set_int(node, flag, 1);
    Model model = g.model();
    const Analysis analysis = analyze(model);
    EXPECT_EQ(type_of_output(model), one.shape) << one.flags[0];
    EXPECT_EQ(analysis.macs, one.macs) << one.flags[0];
    EXPECT_EQ(analysis.flops, 2 * one.macs) << one.flags[0];
  }
}

TEST(Contrib, FusedProductsCountScaleBiasAndActivation) {
  GraphSketch g;
  g.input("a", {32, 4});
  g.input("b", {32, 10});
  g.input("c", {10});
  g.output("y");
  g.output("z");
  set_float(g.ms("FusedMatMul", {"a", "b"}, {"s"}), "alpha", 0.5F);
  set_int(g.graph.mutable_node(0), "transA", 1);
  g.node("Identity", {"s"}, {"y"});
  auto* gemm = g.ms("FusedGemm", {"a", "b", "c"}, {"z"});
  set_int(gemm, "transA", 1);
  new_attribute(gemm, "activation", onnx::AttributeProto::STRING)->set_s("Relu");
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.macs, 2 * 4.0 * 10 * 32);
  EXPECT_EQ(analysis.flops, 2 * analysis.macs + 40 + 2 * 40);  // scale, then bias and activation
}

TEST(Contrib, IntegerProductsCountAsIntegers) {
  GraphSketch g;
  g.input("a", {32, 4}, kInt8Type);
  g.weight("b", {10, 32}, kInt8Type);
  g.weight("c", {10}, kInt32Type);
  g.constant<float>("scale", {0.1F}, kFloatType, true);
  g.constant<std::int8_t>("zero", {0}, kInt8Type, true);
  g.output("y");
  auto* gemm = g.ms("QGemm", {"a", "scale", "zero", "b", "scale", "zero", "c"}, {"y"});
  set_int(gemm, "transA", 1);
  set_int(gemm, "transB", 1);
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(type_of_output(model), "float32[4x10]");
  EXPECT_EQ(analysis.macs, 4.0 * 10 * 32);
  EXPECT_EQ(analysis.int_ops, 2 * 4.0 * 10 * 32 + 40);
  EXPECT_EQ(analysis.flops, 0);
  EXPECT_EQ(analysis.parameter_count, 320 + 10);
}

// 256 x 512 weights of 4 bits in blocks of 32. In bytes: 65,536 for the weights, 4 for each of 4096
// scales, and 2048 for zero points of 4 bits.
TEST(Contrib, PackedWeightsCountAsTheNumbersTheyHold) {
  GraphSketch g;
  g.input("x", {"batch", 7, 256});
  g.weight("w", {512, 8, 16}, onnx::TensorProto::UINT8);
  g.weight("scales", {4096});
  g.weight("zeros", {2048}, onnx::TensorProto::UINT8);
  g.output("y");
  auto* node = g.ms("MatMulNBits", {"x", "w", "scales", "zeros"}, {"y"});
  for (const auto& [name, value] :
       std::map<std::string, int>{{"K", 256}, {"N", 512}, {"bits", 4}, {"block_size", 32}}) {
    set_int(node, name, value);
  }
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.macs, 7.0 * 256 * 512);
  EXPECT_EQ(analysis.parameter_count, 256.0 * 512);
  EXPECT_EQ(analysis.parameter_bytes, 65536 + 4 * 4096 + 2048);
}

// The same weights as standard operators, with 16-bit scales and without zero points.
TEST(Contrib, ScalesOfBlocksAreStoredWithTheWeights) {
  GraphSketch g;
  g.input("x", {"batch", 7, 256}, onnx::TensorProto::FLOAT16);
  g.weight("w", {256, 512}, onnx::TensorProto::INT4);
  g.weight("scales", {8, 512}, onnx::TensorProto::FLOAT16);
  g.output("y");
  auto* node = g.node("DequantizeLinear", {"w", "scales"}, {"real"});
  set_int(node, "block_size", 32);
  set_int(node, "axis", 0);
  g.node("MatMul", {"x", "real"}, {"y"});
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.parameter_count, 256.0 * 512);
  EXPECT_EQ(analysis.parameter_bytes, 65536 + 2 * 4096);
  EXPECT_EQ(analysis.read_bytes, 65536 + 2 * 4096 + 2 * 7 * 256);
}

// Two of 64 x 32 weights are not zero. Runtimes store all.
TEST(Contrib, SparseWeightsAreStoredAsDenseOnes) {
  GraphSketch g;
  g.input("x", {"batch", 64});
  auto* sparse = g.graph.add_sparse_initializer();
  sparse->mutable_values()->set_name("w");
  sparse->mutable_values()->set_data_type(kFloatType);
  sparse->mutable_values()->add_dims(2);
  for (const float value : {1.0F, 2.0F}) sparse->mutable_values()->add_float_data(value);
  sparse->mutable_indices()->set_data_type(kInt64Type);
  sparse->mutable_indices()->add_dims(2);
  for (const int index : {3, 70}) sparse->mutable_indices()->add_int64_data(index);
  for (const int extent : {64, 32}) sparse->add_dims(extent);
  g.node("MatMul", {"x", "w"}, {"y"});
  g.output("y");
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.parameter_count, 64 * 32);
  EXPECT_EQ(analysis.parameter_bytes, 4 * 64 * 32);
}

struct EinsumCase {
  const char* equation;
  std::vector<std::vector<SketchDim>> operands;
  double macs, flops;
};

// ONNX Runtime and torch.einsum multiply two operands at a time, after sums over indices that no
// other operand and not the result has.
TEST(Contrib, EinsumMultipliesTwoOperandsAtATime) {
  const EinsumCase cases[] = {
      {"ij,jk,kl->il", {{10, 20}, {20, 30}, {30, 5}}, 6000 + 1500, 15000},
      {"ij,kl->", {{20, 20}, {6, 7}}, 1, 2 + 400 + 42},
      {"bij,jk->ik", {{3, 10, 20}, {20, 30}}, 6000, 12000 + 600},
      {"bhqd,bhkd->bhqk", {{2, 4, 7, 16}, {2, 4, 9, 16}}, 8 * 7 * 9 * 16, 2 * 8 * 7 * 9 * 16},
      {"...i,ij->...j", {{2, 5, 20}, {20, 30}}, 6000, 12000},
      {"bij,jk", {{3, 10, 20}, {20, 30}}, 18000, 36000},  // the result is bik
      {"i,i,i->i", {{9}, {9}, {9}}, 18, 36},
      {"ii->i", {{20, 20}}, 0, 20},
  };
  for (const EinsumCase& one : cases) {
    GraphSketch g;
    std::vector<std::string> names;
    for (const auto& dims : one.operands) {
      names.push_back("x" + std::to_string(names.size()));
      g.input(names.back(), dims);
    }
    g.output("y");
    auto* node = g.node("Einsum", names, {"y"});
    new_attribute(node, "equation", onnx::AttributeProto::STRING)->set_s(one.equation);
    Model model = g.model();
    const Analysis analysis = analyze(model);
    EXPECT_EQ(analysis.macs, one.macs) << one.equation;
    EXPECT_EQ(analysis.flops, one.flops) << one.equation;
  }
}

TEST(Contrib, ChannelsMayStandLast) {
  GraphSketch g;
  g.input("x", {1, 8, 9, 3});
  g.weight("w", {16, 3, 3, 3});
  g.output("y");
  set_ints(g.ms("NhwcFusedConv", {"x", "w"}, {"y"}), "strides", {2, 1});
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(type_of_output(model), "float32[1x3x7x16]");
  EXPECT_EQ(analysis.macs, 3.0 * 7 * 16 * 27);
}

// Queries and keys have width 8 and values width 4, in 2 heads; 3 tokens.
TEST(Contrib, AttentionHasWidthsOfItsOwnForValues) {
  GraphSketch g;
  g.input("x", {1, 3, 8});
  g.weight("w", {8, 20});
  g.weight("bias", {20});
  g.output("y");
  auto* node = g.ms("Attention", {"x", "w", "bias"}, {"y"});
  set_int(node, "num_heads", 2);
  set_ints(node, "qkv_hidden_sizes", {8, 8, 4});
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(type_of_output(model), "float32[1x3x4]");
  const double scores = 2 * 3 * 3;
  EXPECT_EQ(analysis.macs, 3 * 8 * 20 + scores * (4 + 2));
  EXPECT_EQ(analysis.flops, 2 * analysis.macs + 8 * scores + 3 * 20);
}

TEST(Contrib, CrossAttentionReadsTheKeysAndValuesItIsGiven) {
  GraphSketch g;
  g.input("q", {1, 3, 8});
  g.input("k", {1, 2, 5, 4});  // already projected: [batch, heads, keys, size]
  g.input("v", {1, 2, 5, 6});
  g.output("y");
  set_int(g.ms("MultiHeadAttention", {"q", "k", "v"}, {"y"}), "num_heads", 2);
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(type_of_output(model), "float32[1x3x12]");
  EXPECT_EQ(analysis.macs, 2.0 * 3 * 5 * (4 + 6));
}

// Grouped attention as exporters of language models write it: the mask gives the total length. 4
// query heads of width 16 share 2 key heads.
GraphSketch grouped_attention(const std::string& cache, const std::string& present) {
  GraphSketch g;
  g.input("input_ids", {"batch", "sequence_length"}, kInt64Type);
  g.input("attention_mask", {"batch", "total_sequence_length"}, kInt64Type);
  g.input("past.key", {"batch", 2, cache.c_str(), 16});
  g.input("past.value", {"batch", 2, cache.c_str(), 16});
  g.input("seqlens_k", {"batch"}, kInt32Type);
  g.weight("table", {100, 128});
  g.constant<std::int64_t>("sizes", {64, 32, 32}, kInt64Type);
  g.constant<std::int64_t>("one", {1}, kInt64Type, true);
  g.node("Gather", {"table", "input_ids"}, {"x"});
  set_int(g.node("Split", {"x", "sizes"}, {"q", "k", "v"}), "axis", 2);
  g.node("Shape", {"attention_mask"}, {"mask_shape"});
  g.node("Gather", {"mask_shape", "one"}, {"total64"});
  set_int(g.node("Cast", {"total64"}, {"total"}), "to", kInt32Type);
  auto* node =
      g.ms("GroupQueryAttention", {"q", "k", "v", "past.key", "past.value", "seqlens_k", "total"},
           {"y", "present.key", "present.value"});
  set_int(node, "num_heads", 4);
  set_int(node, "kv_num_heads", 2);
  g.output("y", {"batch", "sequence_length", 64});
  g.output("present.key", {"batch", 2, present.c_str(), 16});
  return g;
}

TEST(TokenLengths, PastAndTotalAreOneQuantity) {
  struct Case {
    std::map<std::string, std::int64_t> dims;
    double queries, keys;
  };
  const Case cases[] = {
      {{{"past_sequence_length", 0}, {"sequence_length", 128}}, 128, 128},  // prefill
      {{{"past_sequence_length", 511}, {"sequence_length", 1}}, 1, 512},
      {{{"past_sequence_length", 511}}, 1, 512},
      {{{"total_sequence_length", 512}, {"sequence_length", 1}}, 1, 512},
      {{{"total_sequence_length", 512}, {"past_sequence_length", 500}}, 12, 512},
      {{}, 1, 2},
  };
  for (const auto& one : cases) {
    Model model = grouped_attention("past_sequence_length", "total_sequence_length").model();
    const Analysis analysis = analyze(model, {.dims = one.dims});
    EXPECT_EQ(analysis.macs, 4 * one.queries * one.keys * 32);
    EXPECT_EQ(analysis.shapes.bound.at("total_sequence_length"), one.keys);
    EXPECT_FALSE(analysis.shapes.assumed.contains("total_sequence_length"));
    EXPECT_TRUE(analysis.workload.caveats.uncounted.empty());
  }
}

TEST(TokenLengths, ContradictionsAreRefused) {
  Model model = grouped_attention("past_sequence_length", "total_sequence_length").model();
  const std::map<std::string, std::int64_t> wrong[] = {
      {{"past_sequence_length", 10}, {"total_sequence_length", 5}, {"sequence_length", 1}},
      {{"total_sequence_length", 4}, {"sequence_length", 9}},
      {{"sequence_length", 0}, {"past_sequence_length", 0}},
      {{"batch", 0}},
      {{"past_sequence_length", -1}}};
  for (const auto& dims : wrong) {
    EXPECT_THROW(infer(model, {.batch = std::nullopt, .dims = dims, .inputs = {}}), UsageError);
  }
}

// The cache is a buffer for the longest sequence; only its filled part costs time.
TEST(TokenLengths, OfASharedBufferTheFilledPartCounts) {
  Model model = grouped_attention("max_sequence_length", "max_sequence_length").model();
  const std::map<std::string, std::int64_t> dims = {{"max_sequence_length", 4096},
                                                    {"total_sequence_length", 512}};
  EXPECT_EQ(analyze(model, {.dims = dims}).macs, 4.0 * 512 * 32);
  GraphSketch open = grouped_attention("max_sequence_length", "max_sequence_length");
  open.input("filled", {}, kInt32Type);
  open.graph.mutable_node(5)->set_input(6, "filled");
  Model unknown = open.model();
  const Analysis analysis = analyze(unknown, {.dims = {{"max_sequence_length", 4096}}});
  EXPECT_EQ(analysis.macs, 4.0 * 4096 * 32);
  ASSERT_EQ(analysis.workload.caveats.assumptions.size(), 1U);
  EXPECT_THAT(analysis.workload.caveats.assumptions[0], HasSubstr("4096 tokens"));
}

TEST(TokenLengths, AWindowRotationAndCapAreHonored) {
  GraphSketch g = grouped_attention("past_sequence_length", "total_sequence_length");
  auto* node = g.graph.mutable_node(5);
  set_int(node, "local_window_size", 64);
  set_int(node, "do_rotary", 1);
  set_float(node, "softcap", 50);
  Model model = g.model();
  const Analysis analysis =
      analyze(model, {.dims = {{"past_sequence_length", 511}, {"sequence_length", 1}}});
  EXPECT_EQ(analysis.macs, 4.0 * 64 * 32);
  EXPECT_EQ(analysis.flops, 2 * analysis.macs + (8 + 7) * 4 * 64 + 3 * (4 + 2) * 16);
}

// Hugging Face names extents by sums.
TEST(TokenLengths, NamesMayBeSums) {
  GraphSketch g;
  g.input("input_ids", {"batch_size", "sequence_length"});
  g.input("mask", {"batch_size", "past_sequence_length + sequence_length"});
  g.output("y");
  g.node("Identity", {"mask"}, {"y"});
  Model model = g.model();
  InferOptions options;
  options.dims = {{"past_sequence_length + sequence_length", 9}};
  infer(model, options);
  EXPECT_EQ(type_of_output(model), "float32[1x9]");
  g.input("past", {"batch_size", "past_sequence_length"});
  Model both = g.model();
  options.dims = {{"past_sequence_length", 7}, {"sequence_length", 3}};
  const InferSummary summary = infer(both, options);
  EXPECT_EQ(type_of_output(both), "float32[1x10]");
  EXPECT_EQ(summary.assumed.size(), 1U);  // the batch
}

TEST(Infer, ContradictionsNameTheExtentsThatNobodyGave) {
  GraphSketch g;
  g.input("x", {"rows", 8});
  g.input("labels", {"count", 7});
  g.output("y");
  g.node("Add", {"x", "labels"}, {"y"});
  Model model = g.model();
  try {
    infer(model);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--dim NAME=VALUE for rows, count"));
  }
}

// Exporters of Hugging Face name every extent of an image.
TEST(Infer, WeightsDetermineTheChannelsAndOtherSizesAreGuesses) {
  GraphSketch sketch;
  sketch.input("pixel_values", {"batch_size", "num_channels", "height", "width"});
  sketch.weight("w", {8, 3, 7, 7});
  sketch.node("Conv", {"pixel_values", "w"}, {"y"});
  sketch.output("y");
  Model model = sketch.model();
  const InferSummary guessed = infer(model);
  EXPECT_EQ(guessed.bound.at("num_channels"), 3);
  EXPECT_FALSE(guessed.assumed.contains("num_channels"));
  EXPECT_THAT(guessed.open, ::testing::IsEmpty());
  EXPECT_EQ(type_of_output(model), "float32[1x8x10x10]");
  EXPECT_THAT(guessed.guessed, ::testing::ElementsAre("height", "width"));
  EXPECT_THAT(analyze(model).workload.caveats.lines(),
              ::testing::Contains(HasSubstr("not state height, width: the sizes are guesses")));
  const InferSummary stated = infer(model, {.dims = {{"height", 224}, {"width", 224}}});
  EXPECT_THAT(stated.guessed, ::testing::IsEmpty());
  EXPECT_EQ(type_of_output(model), "float32[1x8x218x218]");
  EXPECT_THROW(infer(model, {.dims = {{"num_channels", 4}}}), InputError);
}

// A convolution over time whose input is [time, 10]. The length of the time axis is not given, so
// it grows until the window fits, although this axis is not called a batch.
TEST(Infer, AFirstAxisThatIsNotTheBatchGrows) {
  GraphSketch sketch;
  sketch.input("x", {-1, 10});
  sketch.constant("zero", std::vector<std::int64_t>{0}, kInt64Type);
  sketch.weight("w", {4, 10, 3});
  sketch.node("Transpose", {"x"}, {"columns"});
  sketch.node("Unsqueeze", {"columns", "zero"}, {"signal"});
  sketch.node("Conv", {"signal", "w"}, {"y"});
  sketch.output("y");
  Model model = sketch.model();
  for (const std::optional<std::int64_t> batch : {std::optional<std::int64_t>(), {1}}) {
    const InferSummary summary = infer(model, {.batch = batch});
    EXPECT_EQ(summary.assumed.at("x.0"), 16);
    EXPECT_EQ(type_of_output(model), "float32[1x4x14]");
  }
  EXPECT_TRUE(infer(model, {.dims = {{"x.0", 100}}}).assumed.empty());
  EXPECT_EQ(type_of_output(model), "float32[1x4x98]");
}

// A recurrent layer of 5 steps. The file stores its initial state for 4 samples.
TEST(DeployedWorkload, TakesTheBatchThatTheFileFixes) {
  GraphSketch sketch;
  sketch.input("x", {5, 4, 8});
  sketch.weight("w", {1, 24, 8});
  sketch.weight("r", {1, 24, 8});
  sketch.weight("start", {1, 4, 8});
  set_int(sketch.node("GRU", {"x", "w", "r", "", "", "start"}, {"y"}), "hidden_size", 8);
  sketch.output("y");
  onnx::ModelProto proto;
  proto.set_ir_version(10);
  proto.add_opset_import()->set_version(21);
  *proto.mutable_graph() = sketch.graph;
  const testing::TemporaryFolder folder;
  const DeployedWorkload fixed(folder.write("gru.onnx", proto.SerializeAsString()));
  EXPECT_EQ(fixed.at(0)->batch, 4);
  EXPECT_GT(fixed.at(0)->work_flop(), 2.0 * 5 * 4 * 2 * 24 * 8);
  try {
    fixed.at(1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the file fixes the batch at 4: use --batch 4"));
  }
  EXPECT_EQ(DeployedWorkload("zoo:lenet5").at(0)->batch, 1);
}

// A camera's image of 32 x 32 pixels without batch axis, as bytes, and a 3x3 convolution with 8
// channels. `output`: the first extent that the file states for the output.
GraphSketch camera(const std::vector<SketchDim>& image, const SketchDim& output) {
  GraphSketch g;
  g.input("image", image, onnx::TensorProto::UINT8);
  g.constant<std::int64_t>("zero", {0}, kInt64Type);
  g.weight("w", {8, 3, 3, 3});
  set_int(g.node("Cast", {"image"}, {"real"}), "to", kFloatType);
  set_ints(g.node("Transpose", {"real"}, {"planes"}), "perm", {2, 0, 1});
  g.node("Unsqueeze", {"planes", "zero"}, {"sample"});
  g.node("Conv", {"sample", "w"}, {"y"});
  g.output("y", {output, 8, 30, 30});
  return g;
}

void expect_no_batch(const GraphSketch& sketch, const std::map<std::string, std::int64_t>& dims) {
  Model model = sketch.model();
  const Analysis analysis = analyze(model, {.dims = dims});
  EXPECT_EQ(analysis.workload.batch, 1);
  EXPECT_EQ(analysis.macs, 8.0 * 30 * 30 * 27);
  try {
    analyze(model, {.batch = 4, .dims = dims});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the model has no batch: each run takes one sample"));
  }
}

TEST(Infer, TheSideOfAnImageIsNotTheBatch) {
  expect_no_batch(camera({32, 32, 3}, 1), {});
  expect_no_batch(camera({"height", "width", 3}, "samples"), {{"height", 32}, {"width", 32}});
  expect_no_batch(camera({"rows", "columns", 3}, 1), {{"rows", 32}, {"columns", 32}});
}

// The bytes of a JPEG file, of which the network takes a resized image.
TEST(Infer, TheLengthOfAnEncodedImageIsNotTheBatch) {
  for (const SketchDim& length : {SketchDim("n_bytes"), SketchDim("N"), SketchDim(5000)}) {
    GraphSketch g;
    g.input("jpeg", {length}, onnx::TensorProto::UINT8);
    g.constant<std::int64_t>("zero", {0}, kInt64Type);
    g.constant<std::int64_t>("sizes", {32, 32, 3}, kInt64Type);
    g.weight("w", {8, 3, 3, 3});
    g.node("ImageDecoder", {"jpeg"}, {"image"});
    g.node("Resize", {"image", "", "", "sizes"}, {"small"});
    set_int(g.node("Cast", {"small"}, {"real"}), "to", kFloatType);
    set_ints(g.node("Transpose", {"real"}, {"planes"}), "perm", {2, 0, 1});
    g.node("Unsqueeze", {"planes", "zero"}, {"sample"});
    g.node("Conv", {"sample", "w"}, {"y"});
    g.output("y");
    expect_no_batch(g, {});
  }
}

TEST(Infer, AFixedBatchOfSeveralSamplesReachesAnOutput) {
  for (const SketchDim& output : {SketchDim(4), SketchDim("rows"), SketchDim(400)}) {
    GraphSketch g;
    g.input("x", {4, 64});
    g.weight("w", {64, 32});
    g.node("MatMul", {"x", "w"}, {"y"});
    g.output("y", {output, 32});
    Model model = g.model();
    EXPECT_EQ(analyze(model).workload.batch, 4);
    EXPECT_EQ(analyze(model, {.batch = 2}).macs, 2 * 64 * 32);
  }
}

TEST(DeployedWorkload, KnowsWhetherTheModelHasABatch) {
  const testing::TemporaryFolder folder;
  const auto written = [&](const GraphSketch& sketch) {
    onnx::ModelProto proto;
    proto.set_ir_version(10);
    proto.add_opset_import()->set_version(21);
    *proto.mutable_graph() = sketch.graph;
    return folder.write("model.onnx", proto.SerializeAsString());
  };
  EXPECT_FALSE(DeployedWorkload(written(camera({32, 32, 3}, 1))).has_batch());
  EXPECT_TRUE(DeployedWorkload("zoo:lenet5").has_batch());
}

// A constant of `first` elements plus a constant of `second_dims`: the shape of the sum must be
// folded.
Model folded_sum(const char* op, std::size_t first, std::vector<std::int64_t> second_dims) {
  GraphSketch sketch;
  sketch.constant("a", std::vector<std::int64_t>(first, 1), kInt64Type);
  std::size_t count = 1;
  for (const std::int64_t extent : second_dims) count *= static_cast<std::size_t>(extent);
  sketch.constant("b", std::vector<std::int64_t>(count, 1), kInt64Type);
  auto* dims = sketch.graph.mutable_initializer(1)->mutable_dims();
  dims->Clear();
  for (const std::int64_t extent : second_dims) dims->Add(extent);
  sketch.node(op, {"a", "b"}, {"y"});
  sketch.output("y");
  return sketch.model(6);
}

// The specification of Add-6: "the shape of the second is a contiguous subset of the shape of the
// first".
TEST(Infer, BeforeOpset7TheSecondOperandFitsTheFirst) {
  for (const char* op : {"Add", "Mul", "Equal", "Less", "And"}) {
    SCOPED_TRACE(op);
    for (const auto& [first, dims] : std::vector<std::pair<std::size_t, std::vector<std::int64_t>>>{
             {4, {3, 4}}, {1, {2, 2, 2}}, {1, {64, 64}}, {3, {2}}}) {
      Model model = folded_sum(op, first, dims);
      try {
        infer(model);
        FAIL() << format_shape(dims);
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot be broadcast in opset 6"));
      }
    }
    Model model = folded_sum(op, 4, {1});
    infer(model);
    EXPECT_EQ(format_shape(model.tensors[static_cast<std::size_t>(model.graph.outputs[0])].shape),
              "4");
  }
}

TEST(Infer, ExtentsGrowForEveryConvolution) {
  struct Case {
    const char* op;
    const char* domain;
    bool integer, scaled;
  };
  for (const Case& one :
       {Case{"Conv", "", false, false}, Case{"FusedConv", "com.microsoft", false, false},
        Case{"ConvInteger", "", true, false}, Case{"QLinearConv", "", true, true},
        Case{"QLinearConv", "com.microsoft", true, true}}) {
    GraphSketch g;
    const ElementType type = one.integer ? kInt8Type : kFloatType;
    g.input("x", {1, 3, "height", "width"}, type);
    g.weight("w", {8, 3, 7, 7}, type);
    g.constant<float>("s", {0.1F}, kFloatType, true);
    g.constant<std::int8_t>("z", {0}, kInt8Type, true);
    g.output("y");
    const std::vector<std::string> inputs =
        one.scaled ? std::vector<std::string>{"x", "s", "z", "w", "s", "z", "s", "z"}
                   : std::vector<std::string>{"x", "w"};
    g.node(one.op, inputs, {"y"}, one.domain);
    Model model = g.model();
    const Analysis analysis = analyze(model);
    EXPECT_EQ(analysis.shapes.assumed.at("height"), 16) << one.op;
    EXPECT_EQ(analysis.macs, 10.0 * 10 * 8 * 3 * 49) << one.op;
    EXPECT_TRUE(analysis.workload.caveats.uncounted.empty()) << one.op;
  }
}

// Quantizes an image, convolves it, applies ReLU and quantizes the result: [1, 3, 8, 8] to [1, 4,
// 8, 8].
GraphSketch quantized_convolution(bool spelled_out) {
  GraphSketch g;
  g.input("x", {1, 3, 8, 8});
  g.weight("w", {4, 3, 3, 3}, kInt8Type);
  g.weight("b", {4}, kInt32Type);
  g.constant<float>("s", {0.1F}, kFloatType, true);
  g.constant<std::int8_t>("z", {0}, kInt8Type, true);
  g.constant<std::int32_t>("zb", {0}, kInt32Type, true);
  g.node("QuantizeLinear", {"x", "s", "z"}, {"xq"});
  onnx::NodeProto* conv = nullptr;
  if (spelled_out) {
    g.node("DequantizeLinear", {"xq", "s", "z"}, {"xf"});
    g.node("DequantizeLinear", {"w", "s", "z"}, {"wf"});
    g.node("DequantizeLinear", {"b", "s", "zb"}, {"bf"});
    conv = g.node("Conv", {"xf", "wf", "bf"}, {"c"});
    g.node("Relu", {"c"}, {"r"});
    g.node("QuantizeLinear", {"r", "s", "z"}, {"yq"});
  } else {
    conv = g.node("QLinearConv", {"xq", "s", "z", "w", "s", "z", "s", "z", "b"}, {"yq"});
  }
  set_ints(conv, "pads", {1, 1, 1, 1});
  g.output("y");
  g.node("DequantizeLinear", {"yq", "s", "z"}, {"y"});
  return g;
}

TEST(Quantization, SpelledOutIsPricedAsTheQuantizedOperator) {
  for (const auto traffic : {TrafficModel::kUnfused, TrafficModel::kFused}) {
    Model pairs = quantized_convolution(true).model();
    Model single = quantized_convolution(false).model();
    const Analysis a = analyze(pairs, {.traffic = traffic});
    const Analysis b = analyze(single, {.traffic = traffic});
    const double macs = 64.0 * 4 * 27;
    EXPECT_EQ(a.macs, macs);
    EXPECT_EQ(a.int_ops, 2 * macs + 256);  // bias
    EXPECT_EQ(a.int_ops, b.int_ops);
    EXPECT_EQ(a.flops, b.flops);  // conversions at both ends
    EXPECT_EQ(a.kernels, b.kernels);
    EXPECT_NEAR(a.bytes(), b.bytes(), traffic == TrafficModel::kFused ? 0 : 32);
    EXPECT_EQ(a.parameter_count, 108 + 4);
    if (traffic == TrafficModel::kFused) continue;  // the last conversion is fused into Conv
    const KernelCost* conv = kernel_of(a, "Conv");
    ASSERT_NE(conv, nullptr);
    EXPECT_EQ(conv->work_flop, 0);
    EXPECT_EQ(conv->write_bytes, 256);
    EXPECT_EQ(conv->read_bytes, 192 + 108 + 16);
  }
}

TEST(Quantization, TrainingKeepsItsFakeQuantization) {
  Model model = quantized_convolution(true).model();
  const Analysis analysis = analyze(model, {.kind = WorkloadKind::kTraining});
  EXPECT_EQ(analysis.int_ops, 0);
  ASSERT_EQ(analysis.workload.caveats.assumptions.size(), 1U);
  EXPECT_EQ(analysis.workload.caveats.assumptions[0],
            "2 weights are stored as integers and are not trained");
}

// Both products have a gradient, also where a pooling moves integers between quantization and
// dequantization. The gradient in between is a real number.
TEST(Quantization, TheGradientPassesThroughIntegersThatAreMoved) {
  GraphSketch g;
  g.input("x", {1, 3, 8, 8});
  g.weight("w", {4, 3, 1, 1});
  g.weight("v", {4, 4, 1, 1});
  g.constant<float>("s", {0.1F}, kFloatType, true);
  g.constant<std::int8_t>("z", {0}, kInt8Type, true);
  g.node("Conv", {"x", "w"}, {"c"});
  g.node("QuantizeLinear", {"c", "s", "z"}, {"cq"});
  auto* pool = g.node("MaxPool", {"cq"}, {"pq"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_ints(pool, "strides", {2, 2});
  g.node("DequantizeLinear", {"pq", "s", "z"}, {"p"});
  g.node("Conv", {"p", "v"}, {"y"});
  g.output("y");
  Model model = g.model();
  const Analysis analysis = analyze(model, {.kind = WorkloadKind::kTraining});
  const double first = 64.0 * 4 * 3, second = 16.0 * 4 * 4;
  EXPECT_EQ(analysis.macs, 2 * first + 3 * second);  // the image needs no gradient
  const auto pooled = std::find_if(
      analysis.workload.kernels.begin(), analysis.workload.kernels.end(),
      [](const KernelCost& k) { return k.op == "MaxPool" && k.phase == Phase::kBackward; });
  ASSERT_NE(pooled, analysis.workload.kernels.end());
  EXPECT_GE(pooled->write_bytes, 256 * 4);
}

// Only the weights are quantized: they are dequantized, and the product is computed in floating
// point.
TEST(Quantization, OfWeightsAloneLeavesRealProducts) {
  GraphSketch g;
  g.input("x", {4, 32});
  g.weight("w", {10, 32}, kInt8Type);
  g.constant<float>("s", {0.1F}, kFloatType, true);
  g.output("y");
  g.node("DequantizeLinear", {"w", "s"}, {"wf"});
  set_ints(g.node("Transpose", {"wf"}, {"wt"}), "perm", {1, 0});
  g.node("MatMul", {"x", "wt"}, {"y"});
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.flops, 2 * 4.0 * 10 * 32);
  EXPECT_EQ(analysis.int_ops, 0);
  EXPECT_EQ(analysis.workload.arithmetic, Precision::kFp32);
  EXPECT_EQ(kernel_of(analysis, "MatMul")->read_bytes, 4 * 32 * 4 + 320);
}

// A residual block adds two dequantized tensors and quantizes the sum. One of the tensors is also
// the input of the convolution.
TEST(Quantization, SumsBetweenPairsAreIntegerToo) {
  GraphSketch g;
  g.input("x", {1, 4, 8, 8});
  g.weight("w", {4, 4, 1, 1}, kInt8Type);
  g.constant<float>("s", {0.1F}, kFloatType, true);
  g.constant<std::int8_t>("z", {0}, kInt8Type, true);
  g.output("y");
  g.node("QuantizeLinear", {"x", "s", "z"}, {"xq"});
  g.node("DequantizeLinear", {"xq", "s", "z"}, {"xf"});
  g.node("DequantizeLinear", {"w", "s", "z"}, {"wf"});
  g.node("Conv", {"xf", "wf"}, {"c"});
  g.node("QuantizeLinear", {"c", "s", "z"}, {"cq"});
  g.node("DequantizeLinear", {"cq", "s", "z"}, {"cf"});
  g.node("Add", {"xf", "cf"}, {"a"});
  g.node("QuantizeLinear", {"a", "s", "z"}, {"aq"});
  g.node("DequantizeLinear", {"aq", "s", "z"}, {"y"});
  Model model = g.model();
  const Analysis analysis = analyze(model, {.traffic = TrafficModel::kUnfused});
  EXPECT_EQ(analysis.int_ops, 2 * 64.0 * 4 * 4 + 256);
  EXPECT_EQ(analysis.kernels, 4);  // quantize, convolve, add, dequantize
  const KernelCost* sum = kernel_of(analysis, "Add");
  EXPECT_EQ(sum->read_bytes, 2 * 256);
  EXPECT_EQ(sum->write_bytes, 256);
}

// A decoder of one layer: width 16, 2 heads, 100 words.
GraphSketch small_decoder() {
  GraphSketch d;
  d.input("ids", {"batch_size", "seq_len"}, kInt32Type);
  d.input("position_ids", {"batch_size", "seq_len"}, kInt32Type);
  d.input("attention_mask", {"batch_size", "total_seq_len"}, kInt32Type);
  d.input("past_0", {2, "batch_size", 2, "past_seq_len", 8});
  d.weight("table", {100, 16});
  d.weight("qkv", {16, 48});
  d.weight("qkv_bias", {48});
  d.weight("head", {16, 100});
  d.node("Gather", {"table", "ids"}, {"x"});
  set_int(
      d.ms("Attention", {"x", "qkv", "qkv_bias", "attention_mask", "past_0"}, {"att", "present_0"}),
      "num_heads", 2);
  d.node("MatMul", {"att", "head"}, {"logits"});
  d.output("logits");
  d.output("present_0");
  return d;
}

double tokens_macs(double tokens, double keys) {
  return tokens * (16 * 48 + 16 * 100) + 2 * tokens * keys * (8 + 8);
}

TEST(Generation, EveryTokenOfTheDecoderIsCounted) {
  GraphSketch g;
  g.input("input_ids", {"batch", "prompt"}, kInt32Type);
  g.constant<std::int32_t>("max_length", {13}, kInt32Type);
  auto* search = g.ms("GreedySearch", {"input_ids", "max_length"}, {"y"});
  set_body(search, "decoder", small_decoder());
  g.output("y");
  Model model = g.model();
  const Analysis analysis = analyze(model, {.batch = 3, .dims = {{"prompt", 5}}});
  double macs = tokens_macs(5, 5);  // prefill generates the first of 8 tokens
  for (int keys = 6; keys <= 12; ++keys) macs += tokens_macs(1, keys);
  EXPECT_EQ(analysis.macs, 3 * macs);
  EXPECT_EQ(type_of_output(model), "int32[3x13]");
  EXPECT_TRUE(analysis.workload.caveats.uncounted.empty());
  EXPECT_TRUE(analysis.workload.caveats.assumptions.empty());
  EXPECT_EQ(analysis.parameter_count, 100 * 16 + 16 * 48 + 48 + 16 * 100);  // counted once
}

TEST(Generation, BeamsMultiplyAndWhatIsNotKnownIsSaid) {
  GraphSketch g;
  g.input("input_ids", {"batch", 5}, kInt32Type);
  g.input("max_length", {1}, kInt32Type);
  g.input("min_length", {1}, kInt32Type);
  g.constant<std::int32_t>("num_beams", {4}, kInt32Type);
  g.constant<std::int32_t>("returned", {1}, kInt32Type);
  auto* search =
      g.ms("BeamSearch", {"input_ids", "max_length", "min_length", "num_beams", "returned"}, {"y"});
  set_body(search, "decoder", small_decoder());
  g.output("y");
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.macs, 4 * (tokens_macs(5, 5) + tokens_macs(1, 6)));
  ASSERT_EQ(analysis.workload.caveats.assumptions.size(), 1U);
  EXPECT_THAT(analysis.workload.caveats.assumptions[0], HasSubstr("one additional token"));
}

TEST(Bodies, BranchesWithDeclaredInputsAreCounted) {
  for (const bool passed : {false, true}) {
    GraphSketch branch;
    branch.input("inner", {"batch", 16});
    branch.weight("w", {16, 10});
    branch.node("MatMul", {"inner", "w"}, {"r"});
    branch.output("r");
    GraphSketch other;
    other.input("inner2", {"batch", 16});
    other.weight("w2", {16, 10});
    other.node("MatMul", {"inner2", "w2"}, {"r2"});
    other.output("r2");
    GraphSketch g;
    g.input("c", {}, onnx::TensorProto::BOOL);
    g.input("x", {"batch", 16});
    g.output("y");
    auto* node = g.node(
        "If", passed ? std::vector<std::string>{"c", "x"} : std::vector<std::string>{"c"}, {"y"});
    set_body(node, "then_branch", branch);
    set_body(node, "else_branch", other);
    Model model = g.model();
    const Analysis analysis = analyze(model, {.batch = 6});
    EXPECT_EQ(analysis.macs, 6.0 * 16 * 10) << passed;
    EXPECT_EQ(type_of_output(model), "float32[6x10]") << passed;
  }
}

// An If between products of 16 x 10 and 16 x 20 weights, and 7 numbers in a branch of the second.
// An engine holds the weights of all branches that it may need.
TEST(Bodies, ParametersOfAllBranchesCountIfTheConditionIsNotKnown) {
  for (const bool known : {false, true}) {
    GraphSketch inner;
    inner.weight("more", {20});
    inner.node("Add", {"wide", "more"}, {"inner_y"});
    inner.output("inner_y");
    GraphSketch inner_other;
    inner_other.node("Identity", {"wide"}, {"inner_same"});
    inner_other.output("inner_same");
    GraphSketch branch;
    branch.weight("w", {16, 10});
    branch.node("MatMul", {"x", "w"}, {"narrow"});
    branch.output("narrow");
    GraphSketch other;
    other.weight("w2", {16, 20});
    other.node("MatMul", {"x", "w2"}, {"wide"});
    auto* nested = other.node("If", {"c2"}, {"other_y"});
    set_body(nested, "then_branch", inner);
    set_body(nested, "else_branch", inner_other);
    other.output("other_y");
    GraphSketch g;
    if (known) {
      g.constant<std::uint8_t>("c", {1}, onnx::TensorProto::BOOL, true);
    } else {
      g.input("c", {}, onnx::TensorProto::BOOL);
    }
    g.input("c2", {}, onnx::TensorProto::BOOL);
    g.input("x", {"batch", 16});
    g.output("y");
    auto* node = g.node("If", {"c"}, {"y"});
    set_body(node, "then_branch", branch);
    set_body(node, "else_branch", other);
    Model model = g.model();
    const Analysis analysis = analyze(model);
    EXPECT_EQ(analysis.macs, known ? 160 : 320);
    EXPECT_EQ(analysis.parameter_count, known ? 160 : 160 + 320 + 20);
    EXPECT_EQ(analysis.parameter_bytes, 4 * analysis.parameter_count);
    EXPECT_GT(analysis.peak_memory_bytes, analysis.parameter_bytes);
  }
}

TEST(Bodies, ALoopMayDeclareItsIterationAsAVectorOfOne) {
  GraphSketch body;
  body.input("i", {1}, kInt64Type);
  body.input("go", {1}, onnx::TensorProto::BOOL);
  body.input("state", {4, 16});
  body.weight("w", {16, 16});
  body.constant<std::int64_t>("two", {2}, kInt64Type);
  set_int(body.node("Concat", {"i", "two"}, {"pair"}), "axis", 0);  // needs a vector
  body.node("MatMul", {"state", "w"}, {"next"});
  body.node("Identity", {"go"}, {"go_on"});
  body.output("go_on");
  body.output("next");
  body.output("pair");
  GraphSketch g;
  g.input("x", {4, 16});
  g.constant<std::int64_t>("m", {7}, kInt64Type);
  g.output("y");
  set_body(g.node("Loop", {"m", "", "x"}, {"y", "pairs"}), "body", body);
  Model model = g.model();
  const Analysis analysis = analyze(model);
  EXPECT_EQ(analysis.macs, 7 * 4.0 * 16 * 16);
  EXPECT_EQ(type_of_output(model), "float32[4x16]");
}

TEST(Bodies, WhatALoopDeclaresStandsInForWhatItCannotKnow) {
  GraphSketch body;
  body.input("i", {}, kInt64Type);
  body.input("go", {}, onnx::TensorProto::BOOL);
  body.input("state", {4, 16});
  body.weight("w", {16, 16});
  body.node("MatMul", {"state", "w"}, {"next"});
  body.node("Identity", {"go"}, {"go_on"});
  body.output("go_on");
  body.output("next");
  GraphSketch g;
  g.input("x", {64});
  g.input("shape", {2}, kInt64Type);  // known only from the data
  g.constant<std::int64_t>("m", {3}, kInt64Type);
  g.output("y");
  g.node("Reshape", {"x", "shape"}, {"x2"});
  set_body(g.node("Loop", {"m", "", "x2"}, {"y"}), "body", body);
  Model model = g.model();
  EXPECT_EQ(analyze(model).macs, 3 * 4.0 * 16 * 16);
}

TEST(Precision, NamesAreParsedOnceAndUnknownOnesListThem) {
  for (const auto& row : kPrecisionRows) {
    EXPECT_EQ(parse<Precision>(name_of(row.id), "precision"), row.id);
  }
  try {
    parse<Precision>("fp64", "precision");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(joined_names<Precision>()));
  }
}

}  // namespace
}  // namespace ridgewatt::workload
