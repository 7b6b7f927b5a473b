// Sums over the layers of a model: by operator, and by the block that a layer's name puts it in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// The part of a node's name that it has in common with its block: what stands before the operator's
// own name, up to the first part that counts, as "layer.3" does. Empty when a name has no such
// part.
//   /layer1/layer1.0/conv1/Conv -> /layer1/layer1.0/
//   encoder.layer.0/MatMul_2    -> encoder.layer.0/
//   /avgpool/GlobalAveragePool  -> /avgpool/
//   Conv_0                      -> (empty)
std::string block_of(const std::string& node);

// Rows of `layers` with the same `key_of(name of the layer, operator)`, summed: how many there are,
// and the sum of each of the columns named in `summed` (empty cells count nothing). `layers` holds
// the layer's name in its first column and the operator in its second. In the order `by`
// (Table::sort).
Table sum_layers(const Table& layers, const Column& key,
                 const std::function<std::string(const std::string&, const std::string&)>& key_of,
                 const std::vector<std::string>& summed, const std::string& by);

struct LayerSums {
  Table by_operator;
  Table by_block;  // without rows where no name tells a block
};

Table sums_by_operator(const Table& layers, const std::vector<std::string>& summed,
                       const std::string& by);
Table sums_by_block(const Table& layers, const std::vector<std::string>& summed,
                    const std::string& by);

}  // namespace ridgewatt::report
