// Common parts of the detectors of the YOLO family: the classes, the pyramid of poolings and the
// decoder of boxes.
//
//   g.output(decode_boxes_and_classes(g, {{p3, 8}, {p4, 16}, {p5, 32}}), "output0", {...});
//
// The side of the image is a symbol ("image") that must be a multiple of the coarsest stride. The
// cells of a level are computed from the shape of its map, as in an export with dynamic extents.
// This costs nothing, because a runtime computes them before the first run.
#pragma once

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

// Adds the decoded boxes and scores as the output, and returns the bytes of the ONNX file.
std::string finish_detector(GraphBuilder& g, const std::vector<DetectionLevel>& levels);

}  // namespace ridgewatt::workload::zoo_builders
