#include "ridgewatt/answer/federated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

constexpr double kStraggling = 1.01;  // stragglers: within 1 % of the fastest round's time
constexpr double kInterval = 0.9;

// A board and its options, one per mode.
struct Participant {
  FederatedBoard asked;
  std::vector<RoundOption> options;
  std::size_t highest = 0;
  std::size_t shipped = 0;                       // the mode that the board ships with
  std::shared_ptr<const twin::TwinModel> model;  // null if the options are from a sweep
  RowOrigin origin;
  std::string remark;  // rows of its sweep that were left out
};

PowerMode shipped_mode(const Board& board) {
  const Bsp bsp = board.find_bsp();
  for (const auto& preset : bsp.presets) {
    if (preset.id == bsp.default_preset) return preset.mode;
  }
  return knob_space(board).top();
}

std::size_t index_of(const std::vector<RoundOption>& options, const KnobSpace& space,
                     const PowerMode& wanted) {
  const PowerMode mode = space.nearest(wanted);
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const RoundOption& option) { return option.mode == mode; });
  return static_cast<std::size_t>(found - options.begin());
}

// Time and energy of a board in a round, from the cost of one minibatch.
RoundOption option_of(const FederatedQuestion& question, const FederatedBoard& asked,
                      const PowerMode& mode, double period_s, double energy_j, double idle_w) {
  const twin::JobCost epoch = twin::job_cost(period_s, energy_j, question.batch, asked.samples);
  return {mode, question.epochs * epoch.time_s + asked.upload_s,
          question.epochs * epoch.energy_j + asked.upload_j + idle_w * asked.upload_s, idle_w};
}

bool is_known_board(const std::string& name) {
  const auto known = list_boards();
  return contains(known, name);
}

// The training rows of a file that contains training and inference.
Sweep training_sweep(const FederatedBoard& asked, const Board& board) {
  const std::string training(name_of(WorkloadKind::kTraining));
  std::vector<Sweep> sweeps = read_sweeps(asked.sweep);
  if (sweeps.size() > 1) {
    std::erase_if(sweeps, [&](const Sweep& one) { return one.kind != training; });
  }
  if (sweeps.empty() || sweeps.front().kind != training) {
    throw InputError("the sweep is not of a training workload, which federate needs", asked.sweep,
                     "give a sweep of training");
  }
  Sweep sweep = choose_sweep(std::move(sweeps), std::nullopt, asked.sweep);
  const std::string of = sweep.board.substr(0, sweep.board.find('@'));
  if (of != board.name && is_known_board(of) && is_known_board(board.name)) {
    throw InputError("the sweep was not measured on board " + board.name, asked.sweep, of);
  }
  return sweep;
}

double idle_power_of(const FederatedBoard& asked, const twin::Twin& twin, const PowerMode& mode) {
  if (asked.idle_power_w) return *asked.idle_power_w;
  require_power(twin, asked.name, "give its idle power: idle=WATTS in its --device");
  return twin::idle_power_w(twin, mode);
}

void take_sweep(const FederatedQuestion& question, const Board& board, const twin::Twin& twin,
                Participant& part) {
  const Sweep all = training_sweep(part.asked, board);
  Sweep sweep;
  if (question.keep_outliers) {
    sweep = average_repeats(all);
  } else {
    const TrustedSweep trusted = drop_flagged_rows(all, part.asked.sweep);
    part.remark = trusted.remark();
    sweep = trusted.sweep;
  }
  for (const auto& row : sweep.observations) {
    if (row.point.batch != 0 && row.point.batch != question.batch) continue;
    const PowerMode& mode = row.point.mode;
    part.options.push_back(option_of(question, part.asked, mode, row.time_s, row.energy_j(),
                                     idle_power_of(part.asked, twin, mode)));
  }
  if (part.options.empty()) {
    throw InputError(fmt::format("the sweep has no rows with batch {}", question.batch),
                     sweep.source, "change --batch");
  }
  part.origin = sweep.origin_of(sweep.provenance);
}

void take_twin(const FederatedQuestion& question,
               const std::shared_ptr<const workload::DeployedWorkload>& workload,
               const Board& board, const twin::Twin& twin, Participant& part) {
  if (workload == nullptr) {
    throw UsageError("this board has neither a sweep nor a model", part.asked.name,
                     "give MODEL, or sweep=FILE for this board");
  }
  part.model = std::make_shared<const twin::TwinModel>(
      twin, workload, twin::RunOptions{question.workers, {}}, question.batch);
  if (!part.model->fits_memory(question.batch)) {
    throw NotSupportedError("a minibatch does not fit into the memory of the board",
                            fmt::format("{} ({})", part.asked.name, board.name),
                            "use a smaller batch");
  }
  const twin::Estimator& estimator = part.model->estimator(question.batch);
  const KnobSpace space = knob_space(board);
  for (const auto& mode : space.modes()) {
    const twin::MinibatchCost cost = estimator(mode);
    part.options.push_back(option_of(question, part.asked, mode, cost.period_s, cost.energy_j(),
                                     idle_power_of(part.asked, twin, mode)));
  }
  part.origin = {workload->name(),
                 std::string(name_of(WorkloadKind::kTraining)),
                 board.name,
                 Provenance::kModelled,
                 part.model->twin().runtime,
                 part.model->twin().status};
}

Participant participant(const FederatedQuestion& question, const FederatedBoard& asked,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  const Board board = load_board(asked.device);
  const twin::Twin twin = twin::load_twin(board);
  Participant part;
  part.asked = asked;
  if (asked.sweep.empty()) {
    take_twin(question, workload, board, twin, part);
  } else {
    take_sweep(question, board, twin, part);
  }
  std::vector<PowerMode> modes;
  for (const auto& option : part.options) modes.push_back(option.mode);
  const KnobSpace space(modes);
  part.highest = index_of(part.options, space, knob_space(board).top());
  part.shipped = index_of(part.options, space, shipped_mode(board));
  return part;
}

double fastest_s(const std::vector<RoundOption>& options) {
  return std::min_element(options.begin(), options.end(),
                          [](const auto& a, const auto& b) { return a.time_s < b.time_s; })
      ->time_s;
}

FederatedPart part_of(const FederatedQuestion& question, const Participant& from,
                      const RoundOption& option, double round_s) {
  FederatedPart part;
  part.board = from.asked;
  part.option = option;
  part.wait_s = round_s - option.time_s;
  part.energy_j = option.energy_j + option.idle_power_w * part.wait_s;
  part.fastest_s = fastest_s(from.options);
  part.origin = from.origin;
  part.time_lo_s = part.time_hi_s = option.time_s;
  part.energy_lo_j = part.energy_hi_j = option.energy_j;
  if (from.model == nullptr) return part;
  part.ground = from.model->provenance();
  part.fit = from.model->twin().fit;
  const twin::EstimateError error = from.model->error({option.mode, question.batch});
  const double trained_s = option.time_s - from.asked.upload_s;
  const double uploaded_j = from.asked.upload_j + option.idle_power_w * from.asked.upload_s;
  const double trained_j = option.energy_j - uploaded_j;
  const twin::LogError &time = error[twin::kTime], &energy = error[twin::kEnergy];
  part.time_lo_s = time.lo(trained_s, kInterval) + from.asked.upload_s;
  part.time_hi_s = time.hi(trained_s, kInterval) + from.asked.upload_s;
  part.energy_lo_j = energy.lo(trained_j, kInterval) + uploaded_j;
  part.energy_hi_j = energy.hi(trained_j, kInterval) + uploaded_j;
  return part;
}

void check_question(const FederatedQuestion& question) {
  if (question.boards.empty()) throw UsageError("federated training needs at least one board", "");
  std::set<std::string> names;
  for (const auto& board : question.boards) {
    if (!names.insert(board.name).second) {
      throw UsageError("two boards have the same name", board.name, "give each board its own name");
    }
  }
  if (question.batch < 1 || !(question.epochs > 0) || !std::isfinite(question.epochs)) {
    throw UsageError("the batch must be at least 1, and the epochs above 0", "");
  }
}

std::string names_of(const std::vector<Participant>& parts, const std::vector<bool>& wanted) {
  std::string names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (wanted[i]) names += (names.empty() ? "" : ", ") + parts[i].asked.name;
  }
  return names;
}

}  // namespace

FederatedAnswer federated_round(const FederatedQuestion& question,
                                const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  check_question(question);
  std::vector<Participant> parts;
  for (const auto& board : question.boards) {
    parts.push_back(participant(question, board, workload));
  }
  std::vector<std::vector<RoundOption>> options;
  std::vector<std::size_t> highest;
  std::vector<std::size_t> shipped;
  FederatedAnswer found;
  for (const auto& part : parts) {
    options.push_back(part.options);
    highest.push_back(part.highest);
    shipped.push_back(part.shipped);
    if (!part.remark.empty()) found.remarks.push_back(part.remark);
    if (part.model) found.caveats = part.model->estimator(question.batch).cost().caveats;
  }
  found.front = round_front(options);
  found.fastest = found.front.front();
  found.least_energy = found.front.back();
  found.all_highest = round_of(options, highest);
  found.all_default = round_of(options, shipped);

  std::vector<bool> straggles;
  double others_s = 0;
  for (const auto& board : options) {
    const double time_s = fastest_s(board);
    straggles.push_back(time_s * kStraggling >= found.fastest.time_s);
    if (!straggles.back()) others_s = std::max(others_s, time_s);
  }
  if (others_s > 0) found.without_stragglers_s = others_s;
  if (question.deadline_s) {
    for (const auto& round : found.front) {
      if (round.time_s <= *question.deadline_s) found.in_time = round;
    }
    if (!found.in_time) {
      throw NoSolutionError(sentence("no choice of modes ends a round within {:.4g} s; the fastest "
                                     "takes {:.4g} s; slowest boards",
                                     *question.deadline_s, found.fastest.time_s),
                            names_of(parts, straggles),
                            "give these boards fewer samples, or the round more time");
    }
  }
  const Round& chosen = found.chosen();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    found.parts.push_back(
        part_of(question, parts[i], options[i][chosen.choices[i]], chosen.time_s));
    found.parts.back().straggler = straggles[i];
  }
  return found;
}

}  // namespace ridgewatt::answer
