// Expanded operators that several runtimes recognize.
#pragma once

#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload::idioms {

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
