// The cost rules to which the entries of operators refer. One MAC is two operations, and an
// elementary function (exp, log, sqrt, sin) is one. A composite operator is the sum of its parts
// unless docs/reference/operators.md states otherwise.
#pragma once

#include "ridgewatt/workload/cost_rule.h"

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

// Element-wise operators. A number is the operations per output element.
extern const CostRule kAdd;  // Add, Sub: the gradient is passed on
extern const CostRule kMul;
extern const CostRule kDiv;
extern const CostRule kPow;
extern const CostRule kMinMax;   // n inputs
extern const CostRule kSum;      // n inputs
extern const CostRule kCompare;  // comparisons, logic, bits, rounding, sign: no gradient
extern const CostRule kSelect;   // Where
extern const CostRule kRelu;
extern const CostRule kClip;
extern const CostRule kLinear;    // Neg: 1, gradient 1
extern const CostRule kFunction;  // Exp, Log, Sqrt, Sin ...: 1, gradient 2
extern const CostRule kLeakyRelu;
extern const CostRule kSigmoid;
extern const CostRule kHardSigmoid;
extern const CostRule kTanh;
extern const CostRule kHardSwish;
extern const CostRule kSilu;
extern const CostRule kSwiGlu;
extern const CostRule kElu;
extern const CostRule kSelu;
extern const CostRule kSoftplus;
extern const CostRule kSoftsign;
extern const CostRule kMish;
extern const CostRule kErf;
extern const CostRule kGelu;
extern const CostRule kFastGelu;
extern const CostRule kBiasGelu;
extern const CostRule kBiasSplitGelu;
extern const CostRule kDropout;
extern const CostRule kQuantize;
extern const CostRule kDequantize;
extern const CostRule kRotary;

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
// And similar operators of com.microsoft, which differ by the position of their bias.
extern const CostRule kFusedMatMul;
extern const CostRule kFusedGemm;
extern const CostRule kDynamicQuantizeMatMul;
extern const CostRule kMatMulNBits;
// Also its quantized and packed forms: k is the last extent of A.
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
