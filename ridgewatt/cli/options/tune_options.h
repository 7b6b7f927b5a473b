// Sweeps that commands read, with a remark for what is left out.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::cli {

// What is left of a sweep; a remark on standard error says how many rows were dropped.
Sweep with_remark(const Context& context, TrustedSweep trusted);
// As in sweep/trusted_sweep.h, with that remark.
Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload = {});
// The same of a sweep that was read already from `path`.
Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path);

}  // namespace ridgewatt::cli
