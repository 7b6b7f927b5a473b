// Expanded operators that several runtimes recognize.
#pragma once

#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload::idioms {

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

inline constexpr IdiomNode kLayerNorm[] = {
    {"ReduceMean", kInput}, {"Sub", kInput, 0},          {"Pow|Mul", 1, kTensor},
    {"ReduceMean", 2},      {"Add", 3, kConstant},       {"Sqrt", 4},
    {"Div", 1, 5},          {"Mul", 6, kConstant, true}, {"Add", 7, kConstant, true}};
inline constexpr IdiomNode kRmsNorm[] = {{"Pow", kInput, kConstant}, {"ReduceMean", 0},
                                         {"Add", 1, kConstant},      {"Sqrt", 2},
                                         {"Div", kInput, 3},         {"Mul", 4, kConstant, true}};
inline constexpr IdiomNode kRmsNormReciprocal[] = {
    {"Pow|Mul", kInput, kTensor},   {"ReduceMean", 0},  {"Add", 1, kConstant},      {"Sqrt", 2},
    {"Reciprocal|Div", 3, kTensor}, {"Mul", 4, kInput}, {"Mul", 5, kConstant, true}};

// softmax(q k / c + mask) v.
inline constexpr IdiomNode kAttention[] = {{"MatMul", kTensor, kTensor},
                                           {"Mul|Div", 0, kConstant, true},
                                           {"Add", 1, kTensor, true},
                                           {"Softmax", 2},
                                           {"MatMul", 3, kTensor}};

}  // namespace ridgewatt::workload::idioms
