// The ONNX nodes that the name of a fused layer tells of.
//
//   Conv_0 + Relu_1                                        both
//   PWN(Sigmoid_3, Mul_4), PWN(PWN(Sigmoid_3), Mul_4)      both
//   a || b, a||b                                           products run side by side
//   {ForeignNode[a...b]}                                   all from a to b
//   Reformatting CopyNode for Input Tensor 0 to Conv_5     none: a copy that serves Conv_5
//   NAME copy                                              none: an input of a concatenation
//   [ONNX Layer: a]<RS>[ONNX Layer: b], as metadata        both
// Names that TensorRT invents ("(Unnamed Layer* 3) [Shuffle]") are in none of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgewatt::answer {

struct LayerNames {
  std::vector<std::string> nodes;
  std::vector<std::pair<std::string, std::string>> ranges;  // of foreign nodes: from, to
  std::string copy_of;
};

LayerNames parse_layer_name(std::string_view name);
// Of "Metadata"; empty where it names none.
std::vector<std::string> parse_layer_metadata(std::string_view metadata);

}  // namespace ridgewatt::answer
