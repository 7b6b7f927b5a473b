#include "ridgewatt/answer/tune_request.h"

#include <utility>

#include "ridgewatt/answer/predict.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::answer {
namespace {

using Workload = std::shared_ptr<const workload::DeployedWorkload>;

// The model, with the kind of the rows that it is compared with. Null without a model or a board.
Workload model_beside(const TuneRequest& request, const Sweep& rows) {
  if (request.workload.model.empty() || request.device.empty()) return nullptr;
  require_batches(rows);
  WorkloadQuestion workload = request.workload;
  workload.kind = workload_kind_of(rows.kind);
  return workload.load();
}

}  // namespace

std::optional<workload::CostCaveats> TuneReply::caveats() const {
  if (!ranking) return answer.source.caveats;
  return ranking->answers.empty() ? std::nullopt : ranking->answers.front().source.caveats;
}

TuneReply answer_on_twin(const TuneRequest& request, const Workload& workload) {
  const TuneQuestion question = request.asked();
  if (request.device == "all") return {.ranking = rank_boards(question, workload)};
  if (request.workload.all_runtimes) {
    std::vector<workload::Precision> precisions;
    if (request.workload.precision) precisions = {*request.workload.precision};
    return {.ranking = rank_runtimes(question, workload, request.device, precisions)};
  }
  TuneReply reply;
  reply.answer = question.verify > 0 ? verify_by_hand(question, workload, request.device, {})
                                     : tune_on_twin(question, workload, request.device);
  find_alternatives(question, workload, reply.answer);
  add_holds(reply.answer, request.heat);
  return reply;
}

TuneAnswer answer_from_rows(const TuneRequest& request, const ProfiledRows& rows, RowsOf of) {
  const TuneQuestion question = request.asked();
  TuneAnswer found = of == RowsOf::kSweep ? tune_on_sweep(question, rows)
                     : question.verify > 0
                         ? verify_by_hand(question, rows.workload, rows.device, rows.rows)
                         : tune_from_samples(question, rows);
  if (!rows.device.empty()) found.source.device = rows.device;
  add_holds(found, request.heat);
  return found;
}

TuneReply answer_request(const TuneRequest& request,
                         const std::function<void(const std::string&)>& say) {
  const bool of_sweep = !request.sweep.empty();
  if (!of_sweep && request.samples.empty()) {
    return answer_on_twin(request, request.workload.load());
  }
  const auto kept = [&](TrustedSweep trusted) {
    if (const auto text = trusted.remark(); !text.empty()) say(text);
    return std::move(trusted.sweep);
  };
  const TrustOptions trust{request.keep_outliers, request.sweep_name};
  ProfiledRows rows;
  rows.rows = kept(of_sweep ? read_trusted_sweep(request.sweep, trust)
                            : read_samples(request.samples, request.device, trust));
  for (const auto& path : request.references) {
    rows.references.push_back(kept(read_trusted_sweep(path, {request.keep_outliers})));
  }
  rows.device = request.device;
  rows.workload = model_beside(request, rows.rows);
  rows.known = known_observations(request.observations);
  TuneReply reply{answer_from_rows(request, rows, of_sweep ? RowsOf::kSweep : RowsOf::kSamples)};
  if (request.observations.empty()) return reply;
  Sweep seen = rows.rows.without_rows();
  seen.observations = std::move(rows.known);
  for (const auto& step : reply.answer.trace.profiled) seen.observations.push_back(step.seen);
  write_output(request.observations, write_sweep_csv({seen}));
  return reply;
}

}  // namespace ridgewatt::answer
