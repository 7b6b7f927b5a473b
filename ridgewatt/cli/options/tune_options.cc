#include "ridgewatt/cli/options/tune_options.h"

#include <utility>

namespace ridgewatt::cli {

Sweep with_remark(const Context& context, TrustedSweep trusted) {
  if (trusted.dropped > 0) remark(context, trusted.remark());
  return std::move(trusted.sweep);
}

Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload) {
  return with_remark(context, ridgewatt::read_trusted_sweep(path, {keep_outliers, workload}));
}

Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path) {
  return with_remark(context, drop_flagged_rows(sweep, path));
}

}  // namespace ridgewatt::cli
