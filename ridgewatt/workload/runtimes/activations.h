// Activations in all runtimes: the kernels that they join, and their recognized expanded forms. The
// file of each runtime names the sources.
#pragma once

#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload::activations {

// Activations that join the kernel before them: in TensorRT a convolution in FP16 or INT8, or a
// product with weights; in ONNX Runtime on a processor a convolution or a product.
inline constexpr std::string_view kAfterTensorRtConvolution =
    "Relu|Clip|LeakyRelu|Sigmoid|Tanh|Elu|HardSigmoid|Silu|HardSwish|Gelu|FastGelu|Swish|Mish";
inline constexpr std::string_view kAfterTensorRtProduct = "Relu|Gelu|FastGelu|Silu|Tanh|Sigmoid";
inline constexpr std::string_view kAfterOrtCpuWork =
    "Relu|LeakyRelu|Clip|Sigmoid|Tanh|HardSigmoid|HardSwish";
// Activations that ONNX Runtime computes on blocks of channels (block_copies.cc).
inline constexpr std::string_view kOnBlocks = "Relu|Sigmoid|Tanh|Gelu|QuickGelu";

// x * sigmoid(x). With a constant factor inside the sigmoid, ONNX Runtime calls it QuickGelu.
inline constexpr IdiomNode kSilu[] = {{"Sigmoid", kInput}, {"Mul", 0, kInput}};
inline constexpr IdiomNode kQuickGelu[] = {
    {"Mul", kInput, kConstant}, {"Sigmoid", 0}, {"Mul", 1, kInput}};
inline constexpr IdiomNode kHardSwish[] = {{"HardSigmoid", kInput}, {"Mul", 0, kInput}};
// x * clip(x + 3, 0, 6) / 6, with the division before or after the product.
inline constexpr IdiomNode kHardSwishLate[] = {
    {"Add", kInput, kConstant}, {"Clip", 0}, {"Mul", 1, kInput}, {"Div|Mul", 2, kConstant}};
inline constexpr IdiomNode kHardSwishEarly[] = {
    {"Add", kInput, kConstant}, {"Clip", 0}, {"Div|Mul", 1, kConstant}, {"Mul", 2, kInput}};
inline constexpr IdiomNode kMish[] = {{"Softplus", kInput}, {"Tanh", 0}, {"Mul", 1, kInput}};
// x / 2 * (1 + erf(x / sqrt 2)), with the factor 1/2 before or after the product.
inline constexpr IdiomNode kGelu[] = {{"Div|Mul", kInput, kConstant},
                                      {"Erf", 0},
                                      {"Add", 1, kConstant},
                                      {"Mul", 2, kInput},
                                      {"Mul", 3, kConstant}};
inline constexpr IdiomNode kGeluHalfFirst[] = {{"Div|Mul", kInput, kConstant},
                                               {"Erf", 0},
                                               {"Add", 1, kConstant},
                                               {"Mul", kInput, kConstant},
                                               {"Mul", 3, 2}};
inline constexpr IdiomNode kGeluFactorLast[] = {{"Div|Mul", kInput, kConstant},
                                                {"Erf", 0},
                                                {"Add", 1, kConstant},
                                                {"Mul", 2, kConstant},
                                                {"Mul", 3, kInput}};
// x / 2 * (1 + tanh(c (x + k x^3))).
inline constexpr IdiomNode kTanhGelu[] = {
    {"Pow", kInput, kConstant}, {"Mul", 0, kConstant}, {"Add", 1, kInput},
    {"Mul", 2, kConstant},      {"Tanh", 3},           {"Add", 4, kConstant},
    {"Mul", kInput, kConstant}, {"Mul", 6, 5}};
inline constexpr IdiomNode kTanhGeluLate[] = {
    {"Pow", kInput, kConstant}, {"Mul", 0, kConstant}, {"Add", 1, kInput},
    {"Mul", 2, kConstant},      {"Tanh", 3},           {"Add", 4, kConstant},
    {"Mul", 5, kInput},         {"Mul", 6, kConstant}};

// Runtimes that recognize an expanded form, as a bit mask (RuntimeRules::activations).
inline constexpr unsigned kByEager = 1;  // as PyTorch exports it: the first alternative
inline constexpr unsigned kByTorchscript = 2;
inline constexpr unsigned kByTensorRt = 4;
inline constexpr unsigned kByOnnxRuntime = 8;

// A row per expanded form. Rows that start with the same operator are tried in this order.
struct ActivationIdiom {
  std::string_view name;  // the original operator
  std::span<const IdiomNode> nodes;
  unsigned by;
};
inline constexpr ActivationIdiom kIdioms[] = {
    {"Gelu", kGelu, kByEager | kByTorchscript | kByTensorRt | kByOnnxRuntime},
    {"Gelu", kGeluHalfFirst, kByTorchscript | kByTensorRt | kByOnnxRuntime},
    {"Gelu", kGeluFactorLast, kByTorchscript | kByTensorRt | kByOnnxRuntime},
    {"Gelu", kTanhGelu, kByTensorRt},
    {"Gelu", kTanhGeluLate, kByTensorRt},
    {"FastGelu", kTanhGelu, kByOnnxRuntime},
    {"FastGelu", kTanhGeluLate, kByOnnxRuntime},
    {"HardSwish", kHardSwish, kByEager | kByTorchscript | kByTensorRt},
    {"HardSwish", kHardSwishLate, kByTorchscript | kByTensorRt},
    {"HardSwish", kHardSwishEarly, kByTorchscript | kByTensorRt},
    {"Mish", kMish, kByTorchscript | kByTensorRt},
    {"Silu", kSilu, kByEager | kByTorchscript | kByTensorRt},
    {"Silu", kQuickGelu, kByTensorRt},
    {"QuickGelu", kSilu, kByOnnxRuntime},
    {"QuickGelu", kQuickGelu, kByOnnxRuntime},
};

}  // namespace ridgewatt::workload::activations
