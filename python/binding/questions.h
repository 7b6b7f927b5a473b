// What several questions are asked with: a model, a board, modes, a sweep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/binding/arguments.h"
#include "python/binding/record.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::python {

// What the arguments training, precision, runtime, optimizer and dims say.
workload::DeployOptions deploy_options(Arguments& asked);
// `model`: a Model, or the name or path of one, deployed as the arguments say; null where it is
// None. UsageError where a Model is given and they are too.
std::shared_ptr<const workload::DeployedWorkload> workload_of(Arguments& asked,
                                                              const char* name = "model");
// A board's name or file, or a Board; empty where it is not given.
std::string device_of(Arguments& asked);
// The board that this machine is; UsageError where it is none that is known.
std::string device_or_local(const std::string& device);
// One text, or a list of names, joined by commas; empty where it is not given.
std::string joined_texts(Arguments& asked, const char* name);
// A Sweep, or the path of one of which `workload` names the part, as the file has it.
Sweep raw_sweep(const std::string& name, const py::object& given,
                const std::optional<std::string>& workload);
// Without the rows that the quality check flags, repeats averaged.
Sweep trusted_sweep(Sweep raw, bool keep_outliers);
// The same, without rows under a governor, and of the board that is named.
Sweep trusted_samples(Sweep raw, bool keep_outliers, const std::string& device);
// `references`: a list of sweeps or paths.
std::vector<Sweep> references_of(Arguments& asked, bool keep_outliers);

const Fields<RowOrigin>& origin_fields();

}  // namespace ridgewatt::python
