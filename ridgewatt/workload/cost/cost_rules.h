// The cost rules that the operators' entries name: one MAC is two operations; an
// elementary function (exp, log, sqrt, sin) is one; what is made of several is their sum where
// docs/reference/operators.md does not say otherwise.
#pragma once

#include "ridgewatt/workload/cost_rule.h"

namespace ridgewatt::cost {

// Views and copies: no operation.
extern const workload::CostRule kView;
extern const workload::CostRule kCopy;      // Transpose, Concat, Pad, Tile ...
extern const workload::CostRule kCopyPart;  // Gather, Slice: read what they write
extern const workload::CostRule kCast;      // copies that fuse like element-wise work
extern const workload::CostRule kScatter;
extern const workload::CostRule kGenerate;  // random numbers, ranges, windows: 1 an output
extern const workload::CostRule kMetadata;  // Shape, Size, sequences, optionals: the host's work
extern const workload::CostRule kControl;   // If, Loop, Scan: their bodies are counted

// Element-wise; the number is the operations per output element.
extern const workload::CostRule kAdd;  // Add, Sub: the gradient passes
extern const workload::CostRule kMul;
extern const workload::CostRule kDiv;
extern const workload::CostRule kPow;
extern const workload::CostRule kMinMax;   // of n inputs
extern const workload::CostRule kSum;      // of n inputs
extern const workload::CostRule kCompare;  // comparisons, logic, bits, rounding, sign: no gradient
extern const workload::CostRule kSelect;   // Where
extern const workload::CostRule kRelu;
extern const workload::CostRule kClip;
extern const workload::CostRule kLinear;    // Neg: 1, gradient 1
extern const workload::CostRule kFunction;  // Exp, Log, Sqrt, Sin ...: 1, gradient 2
extern const workload::CostRule kLeakyRelu;
extern const workload::CostRule kSigmoid;
extern const workload::CostRule kHardSigmoid;
extern const workload::CostRule kTanh;
extern const workload::CostRule kHardSwish;
extern const workload::CostRule kSilu;
extern const workload::CostRule kSwiGlu;
extern const workload::CostRule kElu;
extern const workload::CostRule kSelu;
extern const workload::CostRule kSoftplus;
extern const workload::CostRule kSoftsign;
extern const workload::CostRule kMish;
extern const workload::CostRule kErf;
extern const workload::CostRule kGelu;
extern const workload::CostRule kFastGelu;
extern const workload::CostRule kBiasGelu;
extern const workload::CostRule kBiasSplitGelu;
extern const workload::CostRule kDropout;
extern const workload::CostRule kQuantize;
extern const workload::CostRule kDequantize;
extern const workload::CostRule kRotary;

// Rows, windows, reductions.
extern const workload::CostRule kSoftmax;
extern const workload::CostRule kHardmax;
extern const workload::CostRule kBatchNorm;
extern const workload::CostRule kLayerNorm;
extern const workload::CostRule kMsGroupNorm;   // with its activation, addend and bias
extern const workload::CostRule kMsRotary;      // of a part of each head
extern const workload::CostRule kInstanceNorm;  // Instance and Group: over the image
extern const workload::CostRule kRmsNorm;
extern const workload::CostRule kSkipLayerNorm;
extern const workload::CostRule kSkipRmsNorm;
extern const workload::CostRule kEmbedLayerNorm;  // sum of three embeddings, normalized
extern const workload::CostRule kLpNorm;
extern const workload::CostRule kMeanVarianceNorm;
extern const workload::CostRule kLrn;
extern const workload::CostRule kMaxPool;
extern const workload::CostRule kAveragePool;
extern const workload::CostRule kLpPool;
extern const workload::CostRule kGlobalPool;
extern const workload::CostRule kReduce;
extern const workload::CostRule
    kReduceSquare;  // a square or absolute value before, or a log after the sum
extern const workload::CostRule kArgReduce;
extern const workload::CostRule kScanSum;  // CumSum, CumProd
extern const workload::CostRule kSort;     // TopK, Unique
extern const workload::CostRule kLoss;

// Contractions.
extern const workload::CostRule kConv;
extern const workload::CostRule kConvTranspose;
extern const workload::CostRule kQLinearConv;
extern const workload::CostRule kDeformConv;
extern const workload::CostRule kFusedConv;
extern const workload::CostRule kGemm;
extern const workload::CostRule kMatMul;
extern const workload::CostRule
    kFusedMatMul;  // and the others of com.microsoft, by where their bias is
extern const workload::CostRule kFusedGemm;
extern const workload::CostRule kDynamicQuantizeMatMul;
extern const workload::CostRule kMatMulNBits;
extern const workload::CostRule
    kMatMulIntegerToFloat;  // and its quantized and packed forms: k is the last extent of A
extern const workload::CostRule kEinsum;
extern const workload::CostRule kLstm;
extern const workload::CostRule kGru;
extern const workload::CostRule kRnn;
extern const workload::CostRule kAttention;  // ai.onnx
extern const workload::CostRule kLinearAttention;
extern const workload::CostRule kMsAttention;  // com.microsoft Attention: projects, too
extern const workload::CostRule kMultiHeadAttention;
extern const workload::CostRule kGroupQueryAttention;
extern const workload::CostRule kDet;

// Signals and images.
extern const workload::CostRule kResize;
extern const workload::CostRule kGridSample;
extern const workload::CostRule kAffineGrid;
extern const workload::CostRule kRoiAlign;
extern const workload::CostRule kRoiPool;
extern const workload::CostRule kFourier;  // DFT, STFT
extern const workload::CostRule kMelWeights;
extern const workload::CostRule kNonMaxSuppression;
extern const workload::CostRule kTrees;
extern const workload::CostRule kLinearModel;
extern const workload::CostRule kOptimizer;  // Adagrad, Adam, Momentum as operators

}  // namespace ridgewatt::cost
