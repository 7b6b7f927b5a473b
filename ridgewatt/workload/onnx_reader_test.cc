// Tests the reader on models built here: what it must understand, and what it must reject with an
// error of one line.
#include "ridgewatt/workload/onnx_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/onnx/onnx.pb.h"

namespace ridgewatt::workload {
namespace {

using ::testing::HasSubstr;

onnx::ModelProto new_model() {
  onnx::ModelProto model;
  model.set_ir_version(10);
  auto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(21);
  model.mutable_graph()->set_name("g");
  return model;
}

void set_type(onnx::ValueInfoProto* value, const std::string& name,
              const std::vector<std::int64_t>& shape) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) tensor->mutable_shape()->add_dim()->set_dim_value(extent);
}

onnx::NodeProto* add_node(google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes,
                          const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  onnx::NodeProto* node = nodes->Add();
  node->set_op_type(op);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return node;
}

onnx::AttributeProto* add_attribute(onnx::NodeProto* node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

onnx::TensorProto* add_weights(onnx::GraphProto* graph, const std::string& name,
                               const std::vector<std::int64_t>& shape) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) tensor->add_dims(extent);
  return tensor;
}

void make_external(onnx::TensorProto* tensor, const std::string& location) {
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value(location);
}

// A model with one Relu from x to y.
onnx::ModelProto relu_model() {
  onnx::ModelProto model = new_model();
  set_type(model.mutable_graph()->add_input(), "x", {2, 3});
  set_type(model.mutable_graph()->add_output(), "y", {});
  add_node(model.mutable_graph()->mutable_node(), "Relu", {"x"}, {"y"});
  return model;
}

Model load(const onnx::ModelProto& model) {
  return load_model_from_memory(model.SerializeAsString(), "test");
}

// The message of the InputError that reading or inference throws; empty if there is none.
std::string complaint(const std::string& bytes) {
  try {
    Model model = load_model_from_memory(bytes, "test");
    infer(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
std::string complaint(const onnx::ModelProto& model) {
  return complaint(model.SerializeAsString());
}

std::string output_type(const Model& model) {
  return format_type(model.tensors[static_cast<std::size_t>(model.graph.outputs.at(0))]);
}

// CPU time, because other processes may load the machine.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(OnnxReader, SortsNodesThatStandInAnyOrder) {
  onnx::ModelProto model = new_model();
  auto* graph = model.mutable_graph();
  set_type(graph->add_input(), "x", {4});
  set_type(graph->add_output(), "c", {});
  add_node(graph->mutable_node(), "Relu", {"b"}, {"c"});
  add_node(graph->mutable_node(), "Exp", {"a"}, {"b"});
  add_node(graph->mutable_node(), "Neg", {"x"}, {"a"});
  Model loaded = load(model);
  EXPECT_EQ(loaded.graph.nodes[0].op, "Neg");
  EXPECT_EQ(loaded.graph.nodes[2].op, "Relu");
  infer(loaded);
  EXPECT_EQ(output_type(loaded), "float32[4]");
}

TEST(OnnxReader, ExpandsLocalFunctionsWithTheirAttributesAndDefaults) {
  onnx::ModelProto model = new_model();
  auto* graph = model.mutable_graph();
  set_type(graph->add_input(), "x", {6, 4});
  set_type(graph->add_output(), "y", {});
  auto* call = add_node(graph->mutable_node(), "Halves", {"x"}, {"y"});
  call->set_domain("mine");
  call->set_name("caller");
  add_attribute(call, "where", onnx::AttributeProto::INT)->set_i(1);
  auto* function = model.add_functions();
  function->set_domain("mine");
  function->set_name("Halves");
  function->add_input("a");
  function->add_output("b");
  function->add_attribute("where");
  auto* fallback = function->add_attribute_proto();
  fallback->set_name("outer");
  fallback->set_type(onnx::AttributeProto::INT);
  fallback->set_i(0);
  auto* opset = function->add_opset_import();
  opset->set_domain("");
  opset->set_version(18);
  auto* split = add_node(function->mutable_node(), "Split", {"a"}, {"first", "second"});
  add_attribute(split, "axis", onnx::AttributeProto::INT)->set_ref_attr_name("where");
  auto* join = add_node(function->mutable_node(), "Concat", {"first", "second"}, {"b"});
  join->set_name("join");
  add_attribute(join, "axis", onnx::AttributeProto::INT)->set_ref_attr_name("outer");
  Model loaded = load(model);
  ASSERT_EQ(loaded.graph.nodes.size(), 2U);
  EXPECT_EQ(loaded.graph.nodes[1].name, "caller/join");
  EXPECT_EQ(loaded.graph.nodes[1].opset, 18);
  infer(loaded);
  EXPECT_EQ(output_type(loaded), "float32[12x2]");  // split along axis 1, concatenated along axis 0
}

TEST(OnnxReader, TellsOverloadsOfAFunctionApart) {
  onnx::ModelProto model = new_model();
  auto* graph = model.mutable_graph();
  set_type(graph->add_input(), "x", {6, 4});
  set_type(graph->add_output(), "y", {});
  auto* call = add_node(graph->mutable_node(), "F", {"x"}, {"y"});
  call->set_domain("mine");
  call->set_overload("two");
  for (const char* overload : {"one", "two"}) {
    auto* function = model.add_functions();
    function->set_domain("mine");
    function->set_name("F");
    function->set_overload(overload);
    function->add_input("a");
    function->add_output("b");
    add_node(function->mutable_node(), overload == std::string("one") ? "Relu" : "Transpose", {"a"},
             {"b"});
  }
  Model loaded = load(model);
  infer(loaded);
  EXPECT_EQ(output_type(loaded), "float32[4x6]");
}

TEST(OnnxReader, RefusesRecursiveFunctions) {
  onnx::ModelProto model = relu_model();
  model.mutable_graph()->mutable_node(0)->set_op_type("F");
  auto* function = model.add_functions();
  function->set_name("F");
  function->add_input("a");
  function->add_output("b");
  add_node(function->mutable_node(), "F", {"a"}, {"b"});
  EXPECT_THAT(complaint(model), HasSubstr("calls itself"));
}

TEST(OnnxReader, StopsFunctionsThatMultiply) {
  onnx::ModelProto model = relu_model();
  model.mutable_graph()->mutable_node(0)->set_op_type("F0");
  for (int level = 0; level < 40; ++level) {
    auto* function = model.add_functions();
    function->set_name("F" + std::to_string(level));
    function->add_input("a");
    function->add_output("b");
    const std::string next = "F" + std::to_string(level + 1);
    add_node(function->mutable_node(), next, {"a"}, {"m"});
    add_node(function->mutable_node(), next, {"m"}, {"b"});
  }
  LoadOptions options;
  options.max_nodes = 1000;
  EXPECT_THROW(load_model_from_memory(model.SerializeAsString(), "bomb", options), InputError);
}

TEST(OnnxReader, BranchesSeeTheTensorsAroundThem) {
  onnx::ModelProto model = new_model();
  auto* graph = model.mutable_graph();
  set_type(graph->add_input(), "x", {2, 8});
  set_type(graph->add_output(), "y", {});
  auto* condition = graph->add_initializer();
  condition->set_name("c");
  condition->set_data_type(onnx::TensorProto::BOOL);
  condition->add_int32_data(0);
  auto* branch = add_node(graph->mutable_node(), "If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* body = add_attribute(branch, name, onnx::AttributeProto::GRAPH)->mutable_g();
    const std::string op = name == std::string("then_branch") ? "Relu" : "Transpose";
    add_node(body->mutable_node(), op, {"x"}, {"r"});
    set_type(body->add_output(), "r", {});
  }
  Model loaded = load(model);
  infer(loaded);
  EXPECT_EQ(output_type(loaded), "float32[8x2]");
  EXPECT_EQ(loaded.graph.nodes[0].taken_branch, 1);
}

TEST(OnnxReader, ReadsExternalWeightsWithAndWithoutTheirFile) {
  onnx::ModelProto model = relu_model();
  auto* target = model.mutable_graph()->add_initializer();
  target->set_name("target");
  target->set_data_type(onnx::TensorProto::INT64);
  target->add_dims(2);
  make_external(target, "weights.bin");
  model.mutable_graph()->mutable_node(0)->set_op_type("Reshape");
  model.mutable_graph()->mutable_node(0)->add_input("target");
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("m.onnx", model.SerializeAsString());
  Model without = load_model(path);
  infer(without);
  EXPECT_EQ(output_type(without), "float32[?x?]");
  const std::int64_t extents[2] = {3, 2};
  folder.write("weights.bin", std::string(reinterpret_cast<const char*>(extents), 16));
  Model with = load_model(path);
  infer(with);
  EXPECT_EQ(output_type(with), "float32[3x2]");
  folder.write("weights.bin", "short");
  EXPECT_THROW(load_model(path), InputError);
}

TEST(OnnxReader, RefusesExternalPathsThatLeaveTheFolder) {
  const testing::TemporaryFolder outside;
  outside.write("secret.bin", std::string(24, 'x'));
  const testing::TemporaryFolder folder;
  std::filesystem::create_symlink(outside.path() / "secret.bin", folder.path() / "link.bin");
  std::filesystem::create_directory_symlink(outside.path(), folder.path() / "linked");
  for (const std::string& location :
       {std::string("/etc/passwd"), std::string("../secret.bin"), std::string("a/../../b"),
        std::string("link.bin"), std::string("linked/secret.bin"), std::string("linked/absent"),
        std::string(""), std::string("."), std::string("a\0b", 3)}) {
    onnx::ModelProto model = relu_model();
    make_external(add_weights(model.mutable_graph(), "w", {2, 3}), location);
    const std::string path = folder.write("m.onnx", model.SerializeAsString());
    try {
      load_model(path);
      FAIL() << "accepted " << location;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("external data")) << location;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(OnnxReader, ASweepIsNamedAsSuch) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("sweep.csv", "cpu_cores,time_ms,power_w\n4,1,2\n");
  try {
    load_model(path);
    FAIL() << "a CSV file was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is a CSV file, not an ONNX model"));
  }
}

TEST(OnnxReader, RefusesEmptyTruncatedAndRandomFiles) {
  EXPECT_THAT(complaint(std::string()), HasSubstr("empty"));
  EXPECT_THAT(complaint(std::string(1000, '\0')), HasSubstr("malformed"));
  onnx::ModelProto model = relu_model();
  add_weights(model.mutable_graph(), "w", {8, 8})->set_raw_data(std::string(256, 'w'));
  const std::string whole = model.SerializeAsString();
  EXPECT_EQ(complaint(whole), "");
  Random random(7);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string message = complaint(whole.substr(0, length));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_NE(complaint(whole.substr(0, whole.size() / 2)), "");
  for (int i = 0; i < 2000; ++i) {
    std::string noise(random.below(300), ' ');
    for (char& byte : noise) byte = static_cast<char>(random.next());
    EXPECT_NE(complaint(noise), "");
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[random.below(whole.size())] ^= static_cast<char>(random.next());
    complaint(damaged);  // any result except a crash
  }
}

TEST(OnnxReader, RefusesCyclesAndNamesANode) {
  onnx::ModelProto model = new_model();
  auto* graph = model.mutable_graph();
  set_type(graph->add_output(), "a", {});
  add_node(graph->mutable_node(), "Relu", {"b"}, {"a"})->set_name("first");
  add_node(graph->mutable_node(), "Relu", {"a"}, {"b"});
  EXPECT_THAT(complaint(model), HasSubstr("cycle: node 'first'"));
  onnx::ModelProto own = relu_model();
  own.mutable_graph()->mutable_node(0)->set_input(0, "y");
  EXPECT_THAT(complaint(own), HasSubstr("cycle"));
}

TEST(OnnxReader, RefusesTensorsThatAreMissingOrGivenTwice) {
  onnx::ModelProto missing = relu_model();
  missing.mutable_graph()->mutable_node(0)->set_input(0, "nowhere");
  EXPECT_THAT(complaint(missing), HasSubstr("no node computes tensor 'nowhere'"));
  onnx::ModelProto twice = relu_model();
  add_node(twice.mutable_graph()->mutable_node(), "Exp", {"x"}, {"y"});
  EXPECT_THAT(complaint(twice), HasSubstr("defined twice"));
}

TEST(OnnxReader, RefusesAbsurdTensors) {
  onnx::ModelProto weights = relu_model();
  add_weights(weights.mutable_graph(), "w", {1000000000, 1000000000});
  EXPECT_THAT(complaint(weights), HasSubstr("2^48"));
  onnx::ModelProto input = relu_model();
  auto* shape = input.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  shape->mutable_shape()->mutable_dim(0)->set_dim_value(std::int64_t{1} << 60);
  EXPECT_THAT(complaint(input), HasSubstr("2^48"));
  onnx::ModelProto short_data = relu_model();
  add_weights(short_data.mutable_graph(), "w", {8})->set_raw_data("abc");
  EXPECT_THAT(complaint(short_data), HasSubstr("3 bytes of data"));
  onnx::ModelProto raw_strings = relu_model();
  auto* strings = add_weights(raw_strings.mutable_graph(), "w", {122});
  strings->set_data_type(onnx::TensorProto::STRING);
  strings->set_raw_data("");
  EXPECT_THAT(complaint(raw_strings), HasSubstr("raw data"));
  onnx::ModelProto product = relu_model();
  auto* graph = product.mutable_graph();
  shape = graph->mutable_input(0)->mutable_type()->mutable_tensor_type();
  shape->mutable_shape()->mutable_dim(0)->set_dim_value(std::int64_t{1} << 40);
  shape->mutable_shape()->mutable_dim(1)->set_dim_value(1);
  auto* other = graph->add_input();
  set_type(other, "z", {1, std::int64_t{1} << 40});
  graph->mutable_node(0)->set_op_type("Add");
  graph->mutable_node(0)->add_input("z");
  EXPECT_THAT(complaint(product), HasSubstr("2^48"));
}

// Nests bodies `depth` times.
std::string nested_model(int depth) {
  onnx::ModelProto model = relu_model();
  onnx::GraphProto* graph = model.mutable_graph();
  std::string bytes = graph->SerializeAsString();
  for (int i = 0; i < depth; ++i) {
    onnx::GraphProto outer;
    auto* node = add_node(outer.mutable_node(), "If", {}, {"y"});
    add_attribute(node, "then_branch", onnx::AttributeProto::GRAPH);
    // The body is appended as bytes, because protobuf itself refuses to parse such depths.
    std::string attribute = node->attribute(0).SerializeAsString();
    const auto put = [](std::string& to, int field, const std::string& content) {
      to.push_back(static_cast<char>(field << 3 | 2));
      for (std::size_t n = content.size();; n >>= 7) {
        to.push_back(static_cast<char>(n < 128 ? n : (n & 127) | 128));
        if (n < 128) break;
      }
      to += content;
    };
    put(attribute, onnx::AttributeProto::kGFieldNumber, bytes);
    std::string inner;
    put(inner, onnx::NodeProto::kOutputFieldNumber, "y");
    put(inner, onnx::NodeProto::kOpTypeFieldNumber, "If");
    put(inner, onnx::NodeProto::kAttributeFieldNumber, attribute);
    bytes.clear();
    put(bytes, onnx::GraphProto::kNodeFieldNumber, inner);
    if (i + 1 == depth) {
      std::string whole;
      put(whole, onnx::ModelProto::kGraphFieldNumber, bytes);
      return whole;
    }
  }
  return model.SerializeAsString();
}

// label: slow
TEST(OnnxReader, RefusesGraphsNestedTooDeeply) {
  EXPECT_THAT(complaint(nested_model(100)), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint(nested_model(5000)), HasSubstr("nested too deeply"));
}

TEST(OnnxReader, BoundsLoopsInLoops) {
  // Eight nested loops of 60 known iterations each.
  onnx::ModelProto model = new_model();
  auto* trips = model.mutable_graph()->add_initializer();
  trips->set_name("n");
  trips->set_data_type(onnx::TensorProto::INT64);
  trips->add_int64_data(60);
  auto* yes = model.mutable_graph()->add_initializer();
  yes->set_name("yes");
  yes->set_data_type(onnx::TensorProto::BOOL);
  yes->add_int32_data(1);
  set_type(model.mutable_graph()->add_output(), "v0", {});
  set_type(model.mutable_graph()->add_input(), "x", {1});
  onnx::GraphProto* graph = model.mutable_graph();
  for (int level = 0; level < 8; ++level) {
    const std::string n = std::to_string(level);
    auto* loop = add_node(graph->mutable_node(), "Loop", {"n", "yes", "x"}, {"v" + n});
    auto* body = add_attribute(loop, "body", onnx::AttributeProto::GRAPH)->mutable_g();
    set_type(body->add_input(), "i" + n, {});
    set_type(body->add_input(), "c" + n, {});
    set_type(body->add_input(), "s" + n, {1});
    set_type(body->add_output(), "yes", {});
    set_type(body->add_output(), level == 7 ? "s" + n : "v" + std::to_string(level + 1), {});
    graph = body;
  }
  const double start = cpu_seconds();
  complaint(model);
  EXPECT_LT(cpu_seconds() - start, 20);
}

TEST(OnnxReader, ReadsModelsBeyondTwoGigabytesWithoutCopyingWeights) {
  // Protobuf cannot hold this file. It is written as the graph, with a hole in place of the
  // weights.
  const onnx::ModelProto small = relu_model();
  const std::uint64_t bytes = std::uint64_t{5} << 30;
  const auto put = [](std::string& to, int field, std::uint64_t size) {
    to.push_back(static_cast<char>(field << 3 | 2));
    for (;; size >>= 7) {
      to.push_back(static_cast<char>(size < 128 ? size : (size & 127) | 128));
      if (size < 128) break;
    }
  };
  onnx::TensorProto weights;
  weights.set_name("w");
  weights.set_data_type(onnx::TensorProto::INT8);
  weights.add_dims(static_cast<std::int64_t>(bytes));
  std::string tensor = weights.SerializeAsString();
  put(tensor, onnx::TensorProto::kRawDataFieldNumber, bytes);
  std::string graph = small.graph().SerializeAsString();
  put(graph, onnx::GraphProto::kInitializerFieldNumber, tensor.size() + bytes);
  std::string model;
  put(model, onnx::ModelProto::kGraphFieldNumber, graph.size() + tensor.size() + bytes);
  model += graph + tensor;
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("huge.onnx", model);
  std::error_code error;
  std::filesystem::resize_file(path, model.size() + bytes, error);
  if (error) GTEST_SKIP() << "no sparse files here";
#if !defined(__SANITIZE_ADDRESS__)
  // Limits the address space to the current use, the mapping and a little more.
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = pages * 4096 + bytes + (std::uint64_t{64} << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif
  Model loaded = load_model(path);
  infer(loaded);
#if !defined(__SANITIZE_ADDRESS__)
  setrlimit(RLIMIT_AS, &before);
#endif
  EXPECT_EQ(loaded.tensors[0].byte_count(), static_cast<std::int64_t>(bytes));
  EXPECT_EQ(output_type(loaded), "float32[2x3]");
}

// label: slow
TEST(OnnxReader, TimeGrowsLinearlyWithLayers) {
  const auto seconds = [](int layers) {
    onnx::ModelProto model = new_model();
    auto* graph = model.mutable_graph();
    set_type(graph->add_input(), "t0", {1, 64, 32, 32});
    for (int i = 0; i < layers; ++i) {
      const std::string w = "w" + std::to_string(i);
      add_weights(graph, w, {64, 64, 1, 1});
      add_node(graph->mutable_node(), "Conv", {"t" + std::to_string(i), w},
               {"t" + std::to_string(i + 1)});
    }
    set_type(graph->add_output(), "t" + std::to_string(layers), {});
    const std::string bytes = model.SerializeAsString();
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const double start = cpu_seconds();
      Model loaded = load_model_from_memory(bytes, "layers");
      infer(loaded);
      best = std::min(best, cpu_seconds() - start);
    }
    return best;
  };
  EXPECT_LT(seconds(8000), 25 * seconds(1000));  // 8 when linear, 64 when quadratic
}

TEST(OnnxReader, SaysWhichFileIsMissing) {
  EXPECT_THROW(load_model("/nowhere/model.onnx"), NotFoundError);
}

}  // namespace
}  // namespace ridgewatt::workload
