#include "ridgewatt/evaluate/board_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/twin/board_evidence.h"
#include "ridgewatt/twin/board_fit.h"
#include "ridgewatt/twin/error_calibration.h"
#include "ridgewatt/twin/twin_score.h"

namespace ridgewatt::evaluate {
namespace {

using twin::CalibrationRun;
using BoardRuns = std::vector<CalibrationRun>;

constexpr int kGroupPoints = 5;

// A row of a group. The rows of a group differ only in the GPU clock and are sorted by it.
struct GroupRow {
  double gpu_clock_hz = 0;
  double measured_j = 0;
  double modelled_j = 0;
};
using Group = std::vector<GroupRow>;

std::vector<Group> groups_of(const twin::Twin& twin, const BoardRuns& runs) {
  // Minimum number of clocks, so that a minimum can be inside the range.
  constexpr std::size_t kFewest = 5;
  std::vector<Group> groups;
  for (const auto& run : runs) {
    const twin::Estimator estimator(twin, run.cost, run.options);
    std::map<PowerMode, Group> by_mode;
    for (std::size_t row = 0; row < run.observations.size(); ++row) {
      if (run.is_flagged(row)) continue;
      const Observation& seen = run.observations[row];
      const twin::TimePower at = estimator(seen.point.mode).like(seen);
      PowerMode rest = seen.point.mode;
      rest.gpu_clock_hz = 0;
      by_mode[rest].push_back(
          {seen.point.mode.gpu_clock_hz, seen.time_s * seen.power_w, at.time_s * at.power_w});
    }
    for (auto& [mode, group] : by_mode) {
      if (group.size() < kFewest) continue;
      std::sort(group.begin(), group.end(),
                [](const auto& a, const auto& b) { return a.gpu_clock_hz < b.gpu_clock_hz; });
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

std::size_t least_of(const Group& group, double GroupRow::*energy, std::size_t from,
                     std::size_t to) {
  std::size_t best = from;
  for (std::size_t i = from; i < to; ++i) {
    if (group[i].*energy < group[best].*energy) best = i;
  }
  return best;
}

// The published GPU clock of least energy of a board: the mean of two clocks with equal published
// energies.
std::optional<double> published_clock_hz(const std::string& board) {
  for (const auto& row : twin::published_evidence(board)) {
    if (row.form != twin::EvidenceForm::kRatio || row.value != 1) continue;
    return (row.at.mode.gpu_clock_hz + row.against->mode.gpu_clock_hz) / 2;
  }
  return std::nullopt;
}

std::optional<std::size_t> nearest_clock(const Group& group, std::optional<double> clock_hz) {
  if (!clock_hz) return std::nullopt;
  std::size_t best = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (std::abs(group[i].gpu_clock_hz - *clock_hz) <
        std::abs(group[best].gpu_clock_hz - *clock_hz)) {
      best = i;
    }
  }
  return best;
}

bool one_step_apart(std::size_t a, std::size_t b) {
  return std::max(a, b) - std::min(a, b) <= 1;
}

// With `measure`, the answer is the lowest of five measured energies around the modelled minimum.
void add_groups(const std::vector<Group>& groups, std::optional<double> published_hz, bool measure,
                BoardScore& score) {
  for (const auto& group : groups) {
    std::size_t answer = least_of(group, &GroupRow::modelled_j, 0, group.size());
    if (measure) {
      const std::size_t from = std::min(answer >= kGroupPoints / 2 ? answer - kGroupPoints / 2 : 0,
                                        group.size() - kGroupPoints);
      answer = least_of(group, &GroupRow::measured_j, from, from + kGroupPoints);
    }
    const std::size_t measured = least_of(group, &GroupRow::measured_j, 0, group.size());
    const auto published = nearest_clock(group, published_hz);
    const bool by_measured = one_step_apart(answer, measured);
    const bool by_published = published && one_step_apart(answer, *published);
    score.groups += 1;
    score.near_measured += by_measured ? 1 : 0;
    score.near_published += by_published ? 1 : 0;
    score.near_either += by_measured || by_published ? 1 : 0;
    score.excess += group[answer].measured_j / group[measured].measured_j - 1;
  }
  if (score.groups > 0) score.excess /= score.groups;
}

// Errors and interval coverage on `judged`, which has a single workload; groups from `all`.
BoardScore score_twin_on(const twin::Twin& twin, const BoardRuns& judged, const BoardRuns& all) {
  BoardScore score;
  score.board = twin.board;
  score.workload = all.front().workload;
  const twin::FitScore errors = twin::score_rows(twin, judged);
  score.time_error = errors.trusted_time;
  score.power_error = errors.trusted_power;
  const twin::CoverageRow covered = twin::coverage_as_it_is(twin, judged).front();
  score.rows = static_cast<double>(covered.rows);
  score.time_covered = covered.held[twin::kTime].share;
  score.power_covered = covered.held[twin::kPower].share;
  add_groups(groups_of(twin, all), published_clock_hz(twin.board), false, score);
  return score;
}

// Some randomly drawn rows of `runs`, and the remaining rows.
struct Divided {
  BoardRuns given, judged;
};
Divided divide(const BoardRuns& runs, int points, std::uint64_t seed) {
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t row = 0; row < runs[run].observations.size(); ++row) {
      if (!runs[run].is_flagged(row)) rows.emplace_back(run, row);
    }
  }
  Random(seed).shuffle(rows);
  Divided result{runs, runs};
  for (auto* part : {&result.given, &result.judged}) {
    for (auto& run : *part) run.observations.clear(), run.flagged.clear();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [run, row] = rows[i];
    BoardRuns& part = i < static_cast<std::size_t>(points) ? result.given : result.judged;
    part[run].observations.push_back(runs[run].observations[row]);
  }
  std::erase_if(result.given, [](const auto& run) { return run.observations.empty(); });
  return result;
}

void add_share(const BoardScore& one, double share, BoardScore& mean) {
  for (double BoardScore::*value :
       {&BoardScore::rows, &BoardScore::time_error, &BoardScore::power_error,
        &BoardScore::time_covered, &BoardScore::power_covered, &BoardScore::groups,
        &BoardScore::near_measured, &BoardScore::near_published, &BoardScore::near_either,
        &BoardScore::excess}) {
    mean.*value += share * one.*value;
  }
}

BoardScore score_with_points(const twin::Twin& shipped, const BoardRuns& runs, int points,
                             const BoardScoreOptions& options) {
  BoardScore mean;
  mean.board = shipped.board;
  mean.workload = runs.front().workload;
  mean.given = fmt::format("and {} points", points);
  const Random random(options.seed);
  for (int draw = 0; draw < options.draws; ++draw) {
    const Divided parts =
        divide(runs, points, Random(random.fork(static_cast<std::size_t>(draw))).next());
    const twin::BoardFit fit = twin::fit_board(shipped, {}, parts.given);
    add_share(score_twin_on(fit.twin, parts.judged, runs), 1.0 / options.draws, mean);
  }
  return mean;
}

BoardScore score_groups(const twin::Twin& shipped, const BoardRuns& runs) {
  BoardScore score;
  score.board = shipped.board;
  score.workload = runs.front().workload;
  score.given = fmt::format("and {} points of each group", kGroupPoints);
  add_groups(groups_of(shipped, runs), published_clock_hz(shipped.board), true, score);
  return score;
}

void score_workload(const twin::Twin& shipped, const BoardRuns& runs,
                    const BoardScoreOptions& options, std::vector<BoardScore>& scores) {
  for (const int points : options.points) {
    if (points == 0) {
      scores.push_back(score_twin_on(shipped, runs, runs));
      scores.back().given = "published figures";
    } else {
      scores.push_back(score_with_points(shipped, runs, points, options));
    }
  }
  if (scores.back().groups > 0) scores.push_back(score_groups(shipped, runs));
}

}  // namespace

void BoardScoreOptions::check() const {
  require_option(draws >= 1 && draws <= 1000, "BoardScoreOptions::draws", draws, "1 to 1000");
  require_option(!points.empty(), "BoardScoreOptions::points", "", "at least one number");
  for (const int count : points) {
    require_option(count >= 0, "BoardScoreOptions::points", count, "0 or more");
  }
}

std::vector<BoardScore> score_boards(const std::vector<twin::SweepSpec>& sweeps,
                                     const BoardScoreOptions& options) {
  options.check();
  std::vector<BoardScore> scores;
  for (const auto& spec : sweeps) {
    if (spec.device.empty()) {
      throw UsageError("the sweep needs the name of its board", spec.path,
                       "for example --sweep " + spec.path + ",device=nano");
    }
    const twin::Twin shipped = twin::load_twin(load_board(spec.device));
    BoardRuns all = twin::load_calibration_runs(spec);
    twin::require_trusted_rows(all);
    std::map<std::string, BoardRuns> by_workload;
    for (auto& run : all) {
      run.board.clear();
      by_workload[run.workload].push_back(std::move(run));
    }
    for (const auto& [workload, runs] : by_workload) {
      score_workload(shipped, runs, options, scores);
    }
  }
  return scores;
}

}  // namespace ridgewatt::evaluate
