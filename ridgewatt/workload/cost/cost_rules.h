// The cost rules to which the entries of operators refer. One MAC is two operations, and an
// elementary function (exp, log, sqrt, sin) is one. A composite operator is the sum of its parts
// unless docs/reference/operators.md states otherwise.
#pragma once

#include "ridgewatt/workload/cost/cost_terms.h"

namespace ridgewatt::workload::cost {

// Views and copies: no operation.
extern const CostRule kView;
extern const CostRule kCopy;      // Transpose, Concat, Pad, Tile ...
extern const CostRule kCopyPart;  // Gather, Slice: read what they write
extern const CostRule kCast;      // a copy that fuses like element-wise work
extern const CostRule kScatter;
extern const CostRule kGenerate;  // random numbers, ranges, windows: 1 per output
extern const CostRule kMetadata;  // Shape, Size, sequences, optionals: work on the host
extern const CostRule kControl;   // If, Loop, Scan: their bodies are counted instead

// Element-wise operators: operations per output element, and the backward pass.
inline constexpr CostRule kAdd = per_element<1>(gradient_per_input(0));  // Add, Sub
inline constexpr CostRule kMul = per_element<1>(gradient_per_input(1, Saved::kOtherInputs));
inline constexpr CostRule kDiv = per_element<1>(gradient_per_input(2, Saved::kInputs));
inline constexpr CostRule kPow = per_element<1>(gradient_per_input(3, Saved::kInputs));
extern const CostRule kMinMax;                          // n inputs
extern const CostRule kSum;                             // n inputs
inline constexpr CostRule kCompare = per_element<1>();  // also logic, bits, rounding, sign
inline constexpr CostRule kSelect = per_element<1>(gradient_per_input(1, Saved::kInputs));  // Where
inline constexpr CostRule kRelu = per_element<1>(gradient_per_input(1, Saved::kOutput));
inline constexpr CostRule kClip = per_element<2>(gradient_per_input(2, Saved::kInputs));
inline constexpr CostRule kLinear = per_element<1>(gradient_per_input(1));  // Neg
// Exp, Log, Sqrt, Sin ...
inline constexpr CostRule kFunction = per_element<1>(gradient_per_input(2, Saved::kInputs));
inline constexpr CostRule kLeakyRelu = per_element<2>(gradient_per_input(2, Saved::kInputs));
inline constexpr CostRule kSigmoid = per_element<4>(gradient_per_input(3, Saved::kOutput));
inline constexpr CostRule kHardSigmoid = per_element<4>(gradient_per_input(3, Saved::kInputs));
inline constexpr CostRule kTanh = per_element<5>(gradient_per_input(3, Saved::kOutput));
inline constexpr CostRule kHardSwish = per_element<5>(gradient_per_input(5, Saved::kInputs));
inline constexpr CostRule kSilu = per_element<5>(gradient_per_input(9, Saved::kInputs));
inline constexpr CostRule kSwiGlu = per_element<6>(gradient_per_input(6, Saved::kInputs));
inline constexpr CostRule kElu = per_element<3>(gradient_per_input(3, Saved::kOutput));
inline constexpr CostRule kSelu = per_element<4>(gradient_per_input(4, Saved::kOutput));
inline constexpr CostRule kSoftplus = per_element<3>(gradient_per_input(5, Saved::kInputs));
inline constexpr CostRule kSoftsign = per_element<3>(gradient_per_input(5, Saved::kInputs));
inline constexpr CostRule kMish = per_element<9>(gradient_per_input(14, Saved::kInputs));
inline constexpr CostRule kErf = per_element<8>(gradient_per_input(4, Saved::kInputs));
inline constexpr CostRule kGelu = per_element<14>(gradient_per_input(18, Saved::kInputs));
inline constexpr CostRule kFastGelu = per_element<13>(gradient_per_input(18, Saved::kInputs));
inline constexpr CostRule kBiasGelu = per_element<15>(gradient_per_input(19, Saved::kInputs));
extern const CostRule kBiasSplitGelu;
extern const CostRule kDropout;
inline constexpr CostRule kQuantize = per_element<3>(gradient_per_input(0));
inline constexpr CostRule kDequantize = per_element<2>(gradient_per_input(1));
inline constexpr CostRule kRotary = per_element<3>(gradient_per_input(3));

// Rows, windows and reductions.
extern const CostRule kSoftmax;
extern const CostRule kHardmax;
extern const CostRule kBatchNorm;
extern const CostRule kLayerNorm;
extern const CostRule kMsGroupNorm;  // including its activation, addend and bias
extern const CostRule kMsRotary;     // applied to a part of each head
// InstanceNormalization and GroupNormalization: over the image.
extern const CostRule kInstanceNorm;
extern const CostRule kRmsNorm;
extern const CostRule kSkipLayerNorm;
extern const CostRule kSkipRmsNorm;
extern const CostRule kEmbedLayerNorm;  // sum of three embeddings, normalized
extern const CostRule kLpNorm;
extern const CostRule kMeanVarianceNorm;
extern const CostRule kLrn;
extern const CostRule kMaxPool;
extern const CostRule kAveragePool;
extern const CostRule kLpPool;
extern const CostRule kGlobalPool;
extern const CostRule kReduce;
// Reductions that square or take absolute values before the sum, or a logarithm after it.
extern const CostRule kReduceSquare;
extern const CostRule kArgReduce;
extern const CostRule kScanSum;  // CumSum, CumProd
extern const CostRule kSort;     // TopK, Unique
extern const CostRule kLoss;

// Contractions.
extern const CostRule kConv;
extern const CostRule kConvTranspose;
extern const CostRule kQLinearConv;
extern const CostRule kDeformConv;
extern const CostRule kFusedConv;
extern const CostRule kGemm;
extern const CostRule kMatMul;
// For FusedMatMul and similar operators of com.microsoft, which differ by the position of the bias.
extern const CostRule kFusedMatMul;
extern const CostRule kFusedGemm;
extern const CostRule kDynamicQuantizeMatMul;
extern const CostRule kMatMulNBits;
// For MatMulIntegerToFloat and its quantized and packed forms. k is the last extent of A.
extern const CostRule kMatMulIntegerToFloat;
extern const CostRule kEinsum;
extern const CostRule kLstm;
extern const CostRule kGru;
extern const CostRule kRnn;
extern const CostRule kAttention;  // ai.onnx
extern const CostRule kLinearAttention;
extern const CostRule kMsAttention;  // Attention of com.microsoft, including its projections
extern const CostRule kMultiHeadAttention;
extern const CostRule kGroupQueryAttention;
extern const CostRule kDet;

// Signals and images.
extern const CostRule kResize;
extern const CostRule kGridSample;
extern const CostRule kAffineGrid;
extern const CostRule kRoiAlign;
extern const CostRule kRoiPool;
extern const CostRule kFourier;  // DFT, STFT
extern const CostRule kMelWeights;
extern const CostRule kNonMaxSuppression;
extern const CostRule kTrees;
extern const CostRule kLinearModel;
extern const CostRule kOptimizer;  // Adagrad, Adam, Momentum as operators

}  // namespace ridgewatt::workload::cost
