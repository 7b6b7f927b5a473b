#include "ridgewatt/answer/layers/layer_names.h"

#include <algorithm>
#include <array>
#include <span>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {
namespace {

constexpr int kMostNested = 64;  // chosen: engines nest two deep

// After these words TensorRT writes names of its own: "unsqueeze_node_after_fc.bias".
constexpr std::array<std::string_view, 9> kInvented = {
    "(Unnamed Layer",       "unsqueeze_node_after_", "squeeze_after_",
    "copied_squeeze_after", "reshape_before_",       "reshape_after_",
    "shuffle_between_",     "transpose_before_",     "transpose_after_"};

bool is_invented(std::string_view name) {
  return std::any_of(kInvented.begin(), kInvented.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

// Splits at separators outside of brackets and parentheses.
std::vector<std::string_view> split_outside(std::string_view text,
                                            std::span<const std::string_view> separators) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') depth = std::max(0, depth - 1);
    if (depth > 0) continue;
    for (const std::string_view separator : separators) {
      if (!text.substr(i).starts_with(separator)) continue;
      parts.push_back(text.substr(begin, i - begin));
      i += separator.size() - 1;
      begin = i + 1;
      break;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

void expand_names(std::string_view text, int depth, LayerNames& names) {
  constexpr std::array<std::string_view, 2> kFused = {" + ", "||"};
  constexpr std::array<std::string_view, 1> kListed = {","};
  constexpr std::string_view kPointwise = "PWN(", kForeign = "{ForeignNode[";
  if (depth > kMostNested) return;
  for (std::string_view part : split_outside(text, kFused)) {
    part = trim(part);
    if (part.starts_with(kPointwise) && part.ends_with(")")) {
      part = part.substr(kPointwise.size(), part.size() - kPointwise.size() - 1);
      for (const std::string_view inner : split_outside(part, kListed)) {
        expand_names(inner, depth + 1, names);
      }
    } else if (part.starts_with(kForeign)) {
      const auto end = part.rfind(']');
      part = part.substr(kForeign.size(), end == std::string_view::npos || end < kForeign.size()
                                              ? std::string_view::npos
                                              : end - kForeign.size());
      const auto dots = part.find("...");
      if (dots == std::string_view::npos) {
        names.nodes.emplace_back(part);
      } else {
        names.ranges.emplace_back(part.substr(0, dots), part.substr(dots + 3));
      }
    } else if (!part.empty() && !is_invented(part)) {
      names.nodes.emplace_back(part);
    }
  }
}

}  // namespace

LayerNames parse_layer_name(std::string_view name) {
  LayerNames names;
  constexpr std::string_view kCopyNode = "Reformatting CopyNode for ", kServed = " to ",
                             kCopied = " copy";
  if (name.starts_with(kCopyNode)) {  // "Input Tensor 0 to NAME", "Network Input NAME"
    name.remove_prefix(kCopyNode.size());
    const auto to = name.find(kServed);
    names.copy_of = to == std::string_view::npos ? name : name.substr(to + kServed.size());
    return names;
  }
  if (name.ends_with(kCopied)) {  // a copy of an input of a concatenation
    names.copy_of = name.substr(0, name.size() - kCopied.size());
    return names;
  }
  expand_names(name, 0, names);
  return names;
}

std::vector<std::string> parse_layer_metadata(std::string_view metadata) {
  constexpr std::string_view kBegin = "[ONNX Layer: ";
  std::vector<std::string> nodes;
  for (auto at = metadata.find(kBegin); at != std::string_view::npos;
       at = metadata.find(kBegin, at)) {
    at += kBegin.size();
    // Names may contain brackets, so the last one before the next entry or the end closes the name.
    auto end = metadata.find(kBegin, at);
    end = metadata.rfind(']', end == std::string_view::npos ? metadata.size() : end);
    if (end == std::string_view::npos || end < at) break;
    const std::string_view name = trim(metadata.substr(at, end - at));
    if (!name.empty() && !contains(nodes, name)) {
      nodes.emplace_back(name);
    }
    at = end;
  }
  return nodes;
}

}  // namespace ridgewatt::answer
