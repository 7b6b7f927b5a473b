#include "ridgewatt/cli/options/sweep_options.h"

#include <utility>

#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {

Sweep with_remark(const Context& context, TrustedSweep trusted) {
  if (const auto text = trusted.remark(); !text.empty()) remark(context, text);
  return std::move(trusted.sweep);
}

void remark_flags(const Context& context, const Sweep& sweep) {
  const std::string text = flags_remark(sweep);
  if (!text.empty()) remark(context, describe(sweep.origin()) + ": " + text);
}

Sweep read_trusted_sweep(const Context& context, const std::string& path, bool keep_outliers,
                         const std::optional<std::string>& workload) {
  return with_remark(context, ridgewatt::read_trusted_sweep(path, {keep_outliers, workload}));
}

Sweep leave_out_flagged(const Context& context, const Sweep& sweep, const std::string& path) {
  return with_remark(context, drop_flagged_rows(sweep, path));
}

void add_prediction(CLI::App& command, Context& context, const answer::ParameterTable& table,
                    void* question) {
  add_strict(command, context);
  add_parameters(command, table, question);
  command.get_option("--reference")->allow_extra_args(false);  // an argument may follow
}

Sweep read_samples(const Context& context, const std::string& path, bool keep_outliers,
                   const std::optional<std::string>& workload, const std::string& device) {
  return with_remark(context, answer::read_samples(path, device, {keep_outliers, workload}));
}

void print_predictions(const Context& context, const answer::PredictAnswer& found,
                       const std::string& path) {
  const report::Result result = report::predictions_result(found, context.seed, context.format);
  if (!path.empty()) {
    write_output(path, context.json() ? json_text(context, result.json) : result.rows().csv());
    for (const auto& line : result.remarks) remark(context, line);
    return;
  }
  print(context, result);
}

answer::PredictQuestion read_question(const Context& context, const answer::PredictRequest& asked) {
  std::vector<std::string> remarks;
  answer::PredictQuestion question = answer::predict_question(asked, remarks);
  question.seed = context.seed;
  question.quiet = context.quiet;
  if (question.workload) {
    const int batch = question.points.empty() ? 0 : question.points.front().batch;
    const workload::CostCaveats& caveats = question.workload->at(batch)->caveats;
    for (auto& line : caveats.lines()) remarks.push_back(std::move(line));
    for (const auto& line : remarks) remark(context, line);
    refuse_uncounted(context, caveats);
    return question;
  }
  for (const auto& line : remarks) remark(context, line);
  return question;
}

}  // namespace ridgewatt::cli
