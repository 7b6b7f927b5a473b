// Sums over the layers of a model: by operator, and by the block in the name of a layer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// The part of a node's name that all nodes of its block share: everything before the name of the
// operator, up to the first component with a number, such as "layer.3". Empty if there is no such
// component.
//   /layer1/layer1.0/conv1/Conv -> /layer1/layer1.0/
//   encoder.layer.0/MatMul_2    -> encoder.layer.0/
//   /avgpool/GlobalAveragePool  -> /avgpool/
//   Conv_0                      -> (empty)
std::string block_of(const std::string& node);

// Groups the rows of `layers` by key_of(name of the layer, operator). Each group has the number of
// rows and the sum of each column in `summed`; empty cells count as 0, but the sums of a column
// without numbers are empty. The first two columns of `layers` must be the name of the layer and
// the operator. `by` is the order of the result (Table::sort).
Table sum_layers(const Table& layers, const Column& key,
                 const std::function<std::string(const std::string&, const std::string&)>& key_of,
                 const std::vector<std::string>& summed, const std::string& by);

struct LayerSums {
  Table by_operator;
  Table by_block;  // without rows if no name contains a block
};

Table sums_by_operator(const Table& layers, const std::vector<std::string>& summed,
                       const std::string& by);
Table sums_by_block(const Table& layers, const std::vector<std::string>& summed,
                    const std::string& by);

}  // namespace ridgewatt::report
