// Arguments that several questions share: a model, a board, modes, a sweep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/binding/arguments.h"
#include "python/binding/record.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/tune/limits.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::python {

// Reads the arguments training, precision, runtime, optimizer and dims.
workload::DeployOptions deploy_options(Arguments& asked);
// Reads the argument `name`: a Model, or the name or path of a model, deployed with the options of
// deploy_options(). Null if the argument is None. Throws UsageError if a Model is given together
// with one of these options.
std::shared_ptr<const workload::DeployedWorkload> workload_of(Arguments& asked,
                                                              const char* name = "model");
// Throws UsageError if `workload`, which may be null, is of another kind than the rows that it is
// compared with. Rows of a file that states no kind take the kind of `workload`.
void require_kind_of(const workload::DeployedWorkload* workload, Sweep& rows);
// Reads `device`: a Board, or the name or file of a board. Empty if it is not given.
std::string device_of(Arguments& asked);
// Returns `device` or, if it is empty, the board of this machine. Throws UsageError if this machine
// is not a Jetson board.
std::string device_or_local(const std::string& device);
// Reads a text or a list of names and joins them with commas. Empty if it is not given.
std::string joined_texts(Arguments& asked, const char* name);
// Reads a Sweep, or the path of a file from which `workload` selects a sweep (choose_sweep()).
// Keeps all rows.
Sweep raw_sweep(const std::string& name, const py::object& given,
                const std::optional<std::string>& workload);
// Averages repeated points and, unless `keep_outliers` is set, removes the rows that the quality
// check flags. Adds remarks to `asked`, and warns if rows are removed.
Sweep trusted_sweep(Arguments& asked, Sweep raw, bool keep_outliers);
// As trusted_sweep(), for rows that were already checked.
Sweep with_remark(Arguments& asked, TrustedSweep trusted);
// Like trusted_sweep(), but also removes rows with a governor. Throws if the rows do not belong to
// the board `device`. Empty `device`: not checked.
Sweep trusted_samples(Arguments& asked, Sweep raw, bool keep_outliers, const std::string& device);
// Reads `references`, a list of sweeps or paths.
std::vector<Sweep> references_of(Arguments& asked, bool keep_outliers);

const Fields<RowOrigin>& origin_fields();

// The probability that each limit is met, by the kind of the limit.
py::dict dict_of(const std::vector<tune::LimitConfidence>& limits);
inline constexpr char kConfidenceText[] =
    "for estimated points: dict from the kind of each limit to the probability that the answer "
    "meets it";

}  // namespace ridgewatt::python
