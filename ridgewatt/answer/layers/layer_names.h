// Finds the ONNX nodes in the name of a fused layer:
//
//   Conv_0 + Relu_1                                        both
//   PWN(Sigmoid_3, Mul_4), PWN(PWN(Sigmoid_3), Mul_4)      both
//   a || b, a||b                                           both: products that run side by side
//   {ForeignNode[a...b]}                                   all nodes from a to b
//   Reformatting CopyNode for Input Tensor 0 to Conv_5     none: a copy for Conv_5
//   NAME copy                                              none: an input of a concatenation
//   [ONNX Layer: a]<RS>[ONNX Layer: b], as metadata        both
// Names that TensorRT generates, such as "(Unnamed Layer* 3) [Shuffle]", give no nodes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgewatt::answer {

struct LayerNames {
  std::vector<std::string> nodes;
  // First and last node of each {ForeignNode}.
  std::vector<std::pair<std::string, std::string>> ranges;
  // For a copy: the layer that needs it; otherwise empty.
  std::string copy_of;
};

LayerNames parse_layer_name(std::string_view name);
// Returns the nodes in the text of "Metadata"; empty if there are none.
std::vector<std::string> parse_layer_metadata(std::string_view metadata);

}  // namespace ridgewatt::answer
