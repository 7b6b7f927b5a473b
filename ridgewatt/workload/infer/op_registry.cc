#include "ridgewatt/workload/infer/op_registry.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::workload {
namespace {

bool before(const OpEntry* a, const OpEntry* b) {
  return std::tie(a->domain, a->name) < std::tie(b->domain, b->name);
}

const std::vector<const OpEntry*>& sorted_ops() {
  static const std::vector<const OpEntry*> sorted = [] {
    std::vector<const OpEntry*> all;
    for (const auto family :
         {elementwise_ops(), conv_ops(),     pool_ops(),   matmul_ops(),   movement_ops(),
          reshape_ops(),     index_ops(),    reduce_ops(), norm_ops(),     recurrent_ops(),
          attention_ops(),   control_ops(),  quant_ops(),  sequence_ops(), generator_ops(),
          signal_ops(),      vision_ops(),   string_ops(), ml_ops(),       training_ops(),
          generation_ops(),  microsoft_ops()}) {
      for (const OpEntry& entry : family) all.push_back(&entry);
    }
    std::sort(all.begin(), all.end(), before);
    return all;
  }();
  return sorted;
}

}  // namespace

const OpEntry* find_op(std::string_view domain, std::string_view name) {
  const auto& ops = sorted_ops();
  OpEntry key;
  key.domain = domain;
  key.name = name;
  const auto found = std::lower_bound(ops.begin(), ops.end(), &key, before);
  return found != ops.end() && (*found)->domain == domain && (*found)->name == name ? *found
                                                                                    : nullptr;
}

std::span<const OpEntry* const> all_ops() {
  return sorted_ops();
}

bool OpContext::has_input(std::size_t index) const {
  return index < node_->inputs.size() && node_->inputs[index] != kNoTensor;
}
bool OpContext::has_output(std::size_t index) const {
  return index < node_->outputs.size() && node_->outputs[index] != kNoTensor;
}

const Tensor& OpContext::input(std::size_t index) const {
  if (!has_input(index)) fail("the required input " + std::to_string(index) + " is missing");
  return model_->tensors[static_cast<std::size_t>(node_->inputs[index])];
}

const Tensor& OpContext::output(std::size_t index) const {
  if (!has_output(index)) fail("the required output " + std::to_string(index) + " is missing");
  return model_->tensors[static_cast<std::size_t>(node_->outputs[index])];
}

void OpContext::fail(std::string_view message) const {
  throw InputError("node '" + escape_terminal(node_->name) + "' (" + escape_terminal(node_->op) +
                   "): " + std::string(message));
}

}  // namespace ridgewatt::workload
