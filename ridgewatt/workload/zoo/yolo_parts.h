// Common parts of the detectors of the YOLO family: the classes, the pyramid of poolings and the
// decoder of boxes.
//
//   g.output(decode_boxes_and_classes(g, {{p3, 8}, {p4, 16}, {p5, 32}}), "output0", {...});
//
// The side of the image is a symbol ("image") that must be a multiple of the coarsest stride. The
// cells of a level are computed from the shape of its map, as in an export with dynamic extents.
// This costs nothing, because a runtime computes them before the first run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::workload::zoo_builders {

inline constexpr int kCocoClasses = 80;
inline constexpr int kBoxBins = 16;  // a side of a box is a distribution over this many distances
inline constexpr int kBoxChannels = 4 * kBoxBins;

// Adds the input [batch, 3, image, image] of a detector whose coarsest cells are 32 pixels wide.
GraphBuilder::Value square_images(GraphBuilder& g, int default_side);

// A convolution with batch normalization and SiLU.
GraphBuilder::Value conv_silu(GraphBuilder& g, const GraphBuilder::Value& x, std::int64_t channels,
                              std::int64_t kernel = 1, std::int64_t stride = 1,
                              std::int64_t groups = 1);

// The same as exported after the normalizations are folded into the convolutions.
GraphBuilder::Value folded_conv(GraphBuilder& g, const GraphBuilder::Value& x,
                                std::int64_t channels, std::int64_t kernel = 1,
                                std::int64_t groups = 1);
GraphBuilder::Value folded_silu(GraphBuilder& g, const GraphBuilder::Value& x,
                                std::int64_t channels, std::int64_t kernel = 1,
                                std::int64_t groups = 1);
GraphBuilder::Value folded_halve(GraphBuilder& g, const GraphBuilder::Value& x,
                                 std::int64_t channels);

// Derives the layout of a detector from that of its largest size.
struct LayoutScale {
  double depth;               // of the repeats
  double width;               // of the channels
  std::int64_t max_channels;  // before they are scaled

  std::int64_t channels(std::int64_t of_layout) const;  // a multiple of 8
  int repeats(int of_layout) const;                     // at least one
};

// Spatial pyramid pooling, fast version: x and three 5x5 poolings in a row, which cover 5, 9 and 13
// pixels.
GraphBuilder::Value pooling_pyramid(GraphBuilder& g, const GraphBuilder::Value& x);

// Channels of the two branches (boxes, classes) of a level.
struct HeadWidths {
  std::int64_t boxes;
  std::int64_t classes;
};

// The map of one level, [batch, kBoxChannels + kCocoClasses, height, width]. A cell covers `stride`
// pixels.
struct DetectionLevel {
  GraphBuilder::Value map;
  int stride;
};

// Returns boxes in pixels and scores of the classes, [batch, 4 + kCocoClasses, cells of all
// levels].
GraphBuilder::Value decode_boxes_and_classes(GraphBuilder& g,
                                             const std::vector<DetectionLevel>& levels);

// Returns the maps of three levels: a branch of full convolutions for the boxes, and a branch of
// depthwise-separable convolutions for the classes.
std::vector<DetectionLevel> separable_levels(GraphBuilder& g, const GraphBuilder::Value& fine,
                                             const GraphBuilder::Value& middle,
                                             const GraphBuilder::Value& coarse);

// Adds the decoded boxes and scores as the output, and returns the bytes of the ONNX file.
std::string finish_detector(GraphBuilder& g, const std::vector<DetectionLevel>& levels);

// The heads of YOLOv5 and YOLOv7: 1x1 convolutions of the strides 8, 16 and 32 give each cell three
// boxes, relative to anchors in pixels. Returns the file with the decoded boxes, objectness and
// scores as the output, [batch, boxes of all levels, 5 + kCocoClasses].
using Anchors = std::array<std::array<float, 6>, 3>;
std::string finish_with_anchors(GraphBuilder& g, const std::array<GraphBuilder::Value, 3>& features,
                                const Anchors& anchors);

// Attention between the cells of a map in `repeats` blocks, through which half of the channels go.
GraphBuilder::Value attention_stage(GraphBuilder& g, const GraphBuilder::Value& x, int repeats);

}  // namespace ridgewatt::workload::zoo_builders
