// Classic machine learning: domain ai.onnx.ml.
#include <algorithm>
#include <initializer_list>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

std::int64_t rows(const InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return kUnknownDim;
  return shape->size() < 2 ? 1 : (*shape)[0];
}

std::size_t length_of(const InferContext& c, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Attribute* found = c.node().find(name);
    if (found == nullptr) continue;
    return std::max({found->ints.size(), found->floats.size(), found->strings.size()});
  }
  return 0;
}

void same_as_input_float(InferContext& c) {
  c.set(0, DataType::kFloat, c.input(0).shape);
}

// Converts integers to strings and strings to integers.
void category_mapper(InferContext& c) {
  c.set(0, c.dtype(0) == DataType::kString ? DataType::kInt64 : DataType::kString,
        c.input(0).shape);
}

void label_encoder(InferContext& c) {
  DataType type = DataType::kUndefined;
  const Node& node = c.node();
  if (const Attribute* values = node.find("values_tensor"); values && !values->tensors.empty()) {
    type = values->tensors.front().dtype;
  } else if (node.find("values_int64s") != nullptr) {
    type = DataType::kInt64;
  } else if (node.find("values_floats") != nullptr) {
    type = DataType::kFloat;
  } else if (node.find("values_strings") != nullptr) {
    type = DataType::kString;
  } else if (node.find("classes_strings") != nullptr) {
    type = c.dtype(0) == DataType::kString ? DataType::kInt64 : DataType::kString;
  }
  c.set(0, type, c.input(0).shape);
}

void array_feature_extractor(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  const auto count = c.input(1).element_count();
  if (shape && shape->size() < 2) shape = Shape{1, kUnknownDim};
  if (shape) shape->back() = count.value_or(kUnknownDim);
  c.set(0, c.dtype(0), std::move(shape));
}

void feature_vectorizer(InferContext& c) {
  std::int64_t total = 0;
  if (const auto* widths = c.node().integers("inputdimensions")) {
    for (const std::int64_t width : *widths) {
      if (width < 0) c.fail("a value of inputdimensions is negative");
      total = add_extents(total, width);
    }
  }
  c.set(0, DataType::kFloat, Shape{rows(c), total});
}

void one_hot_encoder(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape) {
    shape->push_back(static_cast<std::int64_t>(length_of(c, {"cats_int64s", "cats_strings"})));
  }
  c.set(0, DataType::kFloat, std::move(shape));
}

// Label per row, score per row and class.
void classifier(InferContext& c) {
  const bool strings = length_of(c, {"classlabels_strings"}) > 0;
  const std::size_t classes =
      length_of(c, {"classlabels_strings", "classlabels_int64s", "classlabels_ints"});
  c.set(0, strings ? DataType::kString : DataType::kInt64, Shape{rows(c)});
  c.set(1, DataType::kFloat,
        Shape{rows(c), classes > 0 ? static_cast<std::int64_t>(classes) : kUnknownDim});
}

void regressor(InferContext& c) {
  const std::int64_t targets = c.node().integer("n_targets", c.node().integer("targets", 1));
  c.set(0, DataType::kFloat, Shape{rows(c), targets});
}

void tree_ensemble(InferContext& c) {
  c.set(0, c.dtype(0), Shape{rows(c), c.node().integer("n_targets", 1)});
}

void svm_regressor(InferContext& c) {
  c.set(0, DataType::kFloat, Shape{rows(c), 1});
}

void dict_vectorizer(InferContext& c) {
  const auto& element = c.input(0).element;
  c.set(
      0, element ? element->dtype : DataType::kUndefined,
      Shape{1, static_cast<std::int64_t>(length_of(c, {"string_vocabulary", "int64_vocabulary"}))});
}

// A sequence of maps, one per row.
void zip_map(InferContext& c) {
  ValueInfo map;
  map.kind = ValueKind::kMap;
  map.dtype = length_of(c, {"classlabels_strings"}) > 0 ? DataType::kString : DataType::kInt64;
  ValueInfo score;
  score.dtype = DataType::kFloat;
  score.shape = Shape{};
  map.element = std::make_shared<const ValueInfo>(std::move(score));
  ValueInfo sequence;
  sequence.kind = ValueKind::kSequence;
  sequence.element = std::make_shared<const ValueInfo>(map);
  const std::int64_t count = rows(c);
  if (count >= 0 && count <= kMaxConstantInts) {
    sequence.items =
        std::make_shared<const std::vector<ValueInfo>>(static_cast<std::size_t>(count), map);
  }
  c.set(0, std::move(sequence));
}

void cast_map(InferContext& c) {
  c.set(0, DataType::kFloat, Shape{1, kUnknownDim});
}

constexpr OpEntry kMlOps[] = {
    {.name = "ArrayFeatureExtractor", .domain = kMl, .shape = array_feature_extractor},
    {.name = "Binarizer", .domain = kMl, .shape = same_as_input},
    {.name = "CastMap", .domain = kMl, .shape = cast_map},
    {.name = "CategoryMapper", .domain = kMl, .shape = category_mapper},
    {.name = "DictVectorizer", .domain = kMl, .shape = dict_vectorizer},
    {.name = "FeatureVectorizer", .domain = kMl, .shape = feature_vectorizer},
    {.name = "Imputer", .domain = kMl, .shape = same_as_input},
    {.name = "LabelEncoder", .domain = kMl, .shape = label_encoder},
    {.name = "LinearClassifier", .domain = kMl, .shape = classifier},
    {.name = "LinearRegressor", .domain = kMl, .shape = regressor},
    {.name = "Normalizer", .domain = kMl, .shape = same_as_input_float},
    {.name = "OneHotEncoder", .domain = kMl, .shape = one_hot_encoder},
    {.name = "SVMClassifier", .domain = kMl, .shape = classifier},
    {.name = "SVMRegressor", .domain = kMl, .shape = svm_regressor},
    {.name = "Scaler", .domain = kMl, .shape = same_as_input_float},
    {.name = "TreeEnsemble", .domain = kMl, .shape = tree_ensemble},
    {.name = "TreeEnsembleClassifier", .domain = kMl, .shape = classifier},
    {.name = "TreeEnsembleRegressor", .domain = kMl, .shape = regressor},
    {.name = "ZipMap", .domain = kMl, .shape = zip_map},
};

}  // namespace

std::span<const OpEntry> ml_ops() {
  return kMlOps;
}

}  // namespace ridgewatt::workload
