// Operators on text.
#include <algorithm>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

void string_concat(InferContext& c) {
  c.set(0, DataType::kString, broadcast(c, c.shape(0), c.shape(1)));
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return static_cast<unsigned char>(letter) < 128; });
}

// Removes the stop words. At least one element stays, if only an empty one.
void normalizer(InferContext& c) {
  const Attribute* stop = c.node().find("stopwords");
  std::optional<Shape> shape = c.input(0).shape;
  if (stop == nullptr || stop->strings.empty()) return c.set(0, DataType::kString, shape);
  const Constant* content = c.constant(0);
  std::int64_t kept = kUnknownDim;
  if (content != nullptr && !content->strings.empty()) {
    const bool exact = c.node().integer("is_case_sensitive", 0) != 0;
    std::vector<std::string> words = stop->strings;
    std::vector<std::string> texts = content->strings;
    bool decidable = true;
    if (!exact) {  // case folding beyond ASCII depends on the locale
      for (auto* list : {&words, &texts}) {
        for (std::string& text : *list) {
          decidable = decidable && is_ascii(text);
          text = lower_case(text);
        }
      }
    }
    if (decidable) {
      const auto stays = std::count_if(texts.begin(), texts.end(), [&](const std::string& text) {
        return !contains(words, text);
      });
      kept = std::max<std::int64_t>(stays, 1);
    }
  }
  if (shape && !shape->empty()) shape->back() = kept;
  c.set(0, DataType::kString, std::move(shape));
}

// Number of pieces of `text`. An empty delimiter splits at white space.
std::int64_t count_pieces(const std::string& text, const std::string& delimiter,
                          std::int64_t most) {
  std::int64_t pieces = 0;
  if (delimiter.empty()) {
    bool inside = false;
    for (const char letter : text) {
      const bool blank = letter == ' ' || (letter >= '\t' && letter <= '\r');
      if (!blank && !inside) ++pieces;
      inside = !blank;
    }
    return std::min(pieces, most);
  }
  if (text.empty()) return 1;
  std::size_t at = 0;
  while ((at = text.find(delimiter, at)) != std::string::npos) {
    ++pieces;
    at += delimiter.size();
  }
  return std::min(pieces + 1, most);
}

// The pieces form a new last axis with the largest number of pieces of any text.
void string_split(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  c.set(1, DataType::kInt64, shape);
  const Constant* content = c.constant(0);
  std::int64_t longest = kUnknownDim;
  const auto elements = c.input(0).element_count();
  if (elements && *elements == 0) longest = 0;
  if (content != nullptr && !content->strings.empty()) {
    const std::string delimiter(c.node().text("delimiter", ""));
    std::int64_t most = c.node().integer("maxsplit", kMaxElements);
    most = std::clamp<std::int64_t>(most, 0, kMaxElements) + 1;
    longest = 0;
    for (const std::string& text : content->strings) {
      longest = std::max(longest, count_pieces(text, delimiter, most));
    }
  }
  if (shape) shape->push_back(longest);
  c.set(0, DataType::kString, std::move(shape));
}

// X [C] or [N, C]. Output: counts of n-grams; the length is the largest n-gram index + 1.
void tf_idf(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  const auto* indexes = c.node().integers("ngram_indexes");
  if (indexes == nullptr || indexes->empty()) c.fail("the attribute ngram_indexes is missing");
  const std::int64_t longest = *std::max_element(indexes->begin(), indexes->end());
  if (shape && shape->empty()) shape = Shape{1};
  if (shape) shape->back() = add_extents(std::max<std::int64_t>(longest, 0), 1);
  c.set(0, DataType::kFloat, std::move(shape));
}

constexpr OpEntry kStringOps[] = {
    {.name = "StringConcat", .shape = string_concat},
    {.name = "StringNormalizer", .shape = normalizer},
    {.name = "StringSplit", .shape = string_split},
    {.name = "RegexFullMatch", .shape = same_as_input_bool},
    {.name = "TfIdfVectorizer", .shape = tf_idf},
};

}  // namespace

std::span<const OpEntry> string_ops() {
  return kStringOps;
}

}  // namespace ridgewatt::workload
