// The results of `calibrate` for each kind of fit.
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::report {

namespace {

// The model of each workload of the sweeps.
Table fitted_model_table(const std::vector<answer::FittedModel>& models) {
  Table table({{"workload"}, {"model"}, {"runtime"}, {"precision"}});
  for (const auto& one : models) {
    table.add_row({one.workload, one.model, std::string(name_of(one.runtime)),
                   std::string(name_of(one.precision))});
  }
  return table;
}

}  // namespace

Result runtime_fit_result(const answer::RuntimeCalibration& found, const std::string& device) {
  Result result{runtime_parameter_table(found.twins)};
  result.json = json_object({{"device", device},
                             {"parameters", result.table.to_json()},
                             {"left_out", runtime_left_out_table(found.left_out).to_json()}});
  return result;
}

Result board_fit_result(const answer::BoardCalibration& found, const std::string& device) {
  const Table figures = evidence_table(found.fit);
  Table parameters = board_parameter_table(found.fit.twin, found.prior);
  Result result{found.has_figures ? figures : parameters};
  result.json = json_object({{"device", device},
                             {"converged", found.fit.search.converged},
                             {"models", fitted_model_table(found.models).to_json()},
                             {"figures", figures.to_json()},
                             {"parameters", parameters.to_json()}});
  if (!found.fit.workloads.empty()) {
    const std::string errors = twin::mean_error_text(found.fit.twin, found.fit.workloads);
    result.json["summary"] = errors;
    result.before.push_back({errors + "\n\n"});
  }
  if (found.has_figures) {
    result.add("Parameters and their uncertainty after the fit to the evidence:", parameters);
  }
  result.add("Models of the sweeps:", fitted_model_table(found.models));
  result.data = std::move(parameters);
  return result;
}

Result calibrate_result(const answer::SweepCalibration& found, const std::string& device,
                        bool parameters) {
  const twin::CalibrateSummary& summary = found.summary;
  Result result{fit_table(summary, true)};
  result.data = parameter_table(summary.twin);
  const Table outliers = outlier_table(summary);
  result.json = json_object({{"device", device},
                             {"summary", summary.brief_report()},
                             {"converged", summary.search.converged},
                             {"fit", result.table.to_json()},
                             {"parameters", result.data->to_json()},
                             {"models", fitted_model_table(found.models).to_json()},
                             {"outliers", outliers.to_json()},
                             {"notices", summary.notices}});
  result.before.push_back({summary.brief_report() + "\n\n"});
  result.add("Models of the sweeps:", fitted_model_table(found.models));
  if (parameters) result.after.push_back({"\n", result.data});
  result.after.push_back({"\nRows that the twin explains worst:\n\n", outliers});
  return result;
}

}  // namespace ridgewatt::report
