#include "ridgewatt/workload/infer/rebatch.h"

namespace ridgewatt::workload {

void rebatch_target(const InferContext& context, const Shape& from, std::ptrdiff_t open,
                    Shape& to) {
  const std::int64_t exported = context.exported_batch();
  const std::int64_t batch = context.batch();
  if (exported == batch || to.empty() || from.empty()) return;
  if (open >= 0) {
    if (open != 0 && to[0] == exported && from[0] == batch) to[0] = batch;
    return;
  }
  const auto elements = checked_element_count(from, "");
  const auto target = checked_element_count(to, "");
  if (!elements || !target || *elements == *target) return;
  for (std::int64_t& extent : to) {
    if (extent < 1 || extent % exported != 0) continue;
    const std::int64_t scaled = multiply_extents(extent / exported, batch);
    if (*target / extent * scaled != *elements) continue;
    extent = scaled;
    return;
  }
}

}  // namespace ridgewatt::workload
