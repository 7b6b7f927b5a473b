#include "ridgewatt/schedule/live_mode.h"

#include <algorithm>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/plan.h"

namespace ridgewatt::schedule {
namespace {

std::vector<Minibatch> batches_within(const std::map<int, Observation>& rows, double max_power_w,
                                      const std::string& source) {
  std::vector<Minibatch> batches;
  for (const auto& [batch, row] : rows) {
    if (batch == 0)
      throw InputError("the sweep of an inference needs a batch column", source,
                       "add the column batch");
    if (row.power_w <= max_power_w) batches.push_back({batch, row.time_s, row.power_w});
  }
  return batches;
}

// A round of all training programs in this mode. Empty if the power of one of them is too high.
std::optional<Round> round_of(const std::vector<RowsByMode>& training, const PowerMode& mode,
                              double max_power_w) {
  Round round;
  for (const auto& rows : training) {
    const auto& [batch, row] = *rows.at(mode).rbegin();
    if (row.power_w > max_power_w) return std::nullopt;
    round.add({batch, row.time_s, row.power_w}, row.energy_j(), 0);
  }
  if (round.minibatches.empty()) return std::nullopt;
  return round;
}

}  // namespace

const Minibatch& LiveMode::padded(std::size_t program, std::size_t count) const {
  const auto& known = batches[program];
  for (const auto& batch : known) {
    if (static_cast<std::size_t>(batch.batch) >= count) return batch;
  }
  return known.back();
}

std::vector<LiveMode> live_modes(std::span<const Sweep> inference, std::span<const Sweep> training,
                                 double max_power_w) {
  if (inference.empty()) throw UsageError("a live schedule needs at least one inference program");
  std::vector<RowsByMode> served, trained;
  for (const auto& sweep : inference) served.push_back(rows_by_mode(sweep));
  for (const auto& sweep : training) trained.push_back(rows_by_mode(sweep));
  std::vector<LiveMode> modes;
  bool shared = false;
  for (const auto& entry : served.front()) {
    const PowerMode& mode = entry.first;
    const auto has = [&](const RowsByMode& rows) { return rows.contains(mode); };
    if (!std::all_of(served.begin(), served.end(), has)) continue;
    if (!std::all_of(trained.begin(), trained.end(), has)) continue;
    shared = true;
    LiveMode& added = modes.emplace_back();
    added.mode = mode;
    for (std::size_t i = 0; i < served.size(); ++i) {
      added.batches.push_back(batches_within(served[i].at(mode), max_power_w, inference[i].source));
    }
    added.training = round_of(trained, mode, max_power_w);
    const auto none = [](const auto& batches) { return batches.empty(); };
    if (std::any_of(added.batches.begin(), added.batches.end(), none)) modes.pop_back();
  }
  if (!shared) {
    throw InputError("the sweeps have no power mode in common", inference.front().source,
                     "profile the programs in the same modes");
  }
  if (modes.empty())
    throw NoSolutionError("no power mode is within the power budget (--max-power)", "",
                          "raise --max-power, or give modes with lower clocks");
  return modes;
}

}  // namespace ridgewatt::schedule
