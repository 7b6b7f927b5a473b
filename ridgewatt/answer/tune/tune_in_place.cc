#include "ridgewatt/answer/tune_in_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ridgewatt/answer/tune/tune_parts.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/tune/in_place_search.h"

namespace ridgewatt::answer {
namespace {

constexpr double kLookS = 1;  // how often the program is checked while a mode is held

// Stores measured windows as further repeats of the points in the store.
class StoredWindows {
 public:
  // `command` is empty if the program that runs is not known by its command.
  StoredWindows(const LiveBoard& board, std::vector<std::string> command,
                const std::vector<int>& batches)
      : board_(board), command_(std::move(command)) {
    measure::require_same_command(board.sysfs, board.store, board.profile.series, command_,
                                  batches);
    const auto number = board.store.find_series(board.profile.series);
    if (!number) return;
    for (const auto& record : board.store.points(*number)) {
      const Observation& seen = record.observation;
      int& next = repeats_[seen.point];
      next = std::max(next, record.repeat + 1);
      if (record.superseded || !seen.point.mode.governor.empty()) continue;
      known_[seen.point] = seen;  // the newest wins
    }
  }
  std::vector<Observation> known(const tune::SearchSpace& space) const {
    std::vector<Observation> known;
    for (const auto& [point, seen] : known_) {
      if (space.find(point)) known.push_back(seen);
    }
    return known;
  }
  void keep(const measure::InPlaceWindow& window) {
    store::PointRecord record = measure::record_of(window);
    measure::add_command(command_, record);
    int& next = repeats_[window.point];
    record.repeat = next++;
    board_.store.add_if_absent(board_.store.series(board_.profile.series), record);
  }

 private:
  const LiveBoard& board_;
  std::vector<std::string> command_;
  std::map<OperatingPoint, int> repeats_;
  std::map<OperatingPoint, Observation> known_;
};

// The command of the program, if it is started here; otherwise it is not known.
std::vector<std::string> command_of(const LiveBoard& board, const InPlaceQuestion& in_place,
                                    int batch) {
  std::vector<std::string> command = board.profile.measure.command;
  measure::fill_in(command, measure::kBatchPlace, batch);
  const bool started = !in_place.process && !in_place.open;
  const bool known = started && !measure::has_place(command, measure::kThreadsPlace);
  return known ? command : std::vector<std::string>();
}

// A program that the caller opened, or one opened here. In the second case `live` knows its exit
// status.
struct OpenProgram {
  std::unique_ptr<measure::TunedProgram> program;
  measure::LiveProgram* live = nullptr;
  int status() const { return live != nullptr ? live->status() : 0; }
};

OpenProgram open_program(LiveBoard& board, const InPlaceQuestion& in_place, int batch) {
  if (in_place.open) return {in_place.open()};
  auto live =
      in_place.process
          ? std::make_unique<measure::LiveProgram>(board.sysfs, board.control, *in_place.process)
          : std::make_unique<measure::LiveProgram>(board.sysfs, board.control,
                                                   board.profile.measure.command, batch);
  measure::LiveProgram* const pointer = live.get();
  return {std::move(live), pointer};
}

TuneAnswer answer_of(const TuneQuestion& question, const LiveBoard& board,
                     const tune::SearchSpace& space, const tune::InPlaceResult& result,
                     const measure::InPlaceRun& run) {
  TuneAnswer found = search_answer(question, space, result.summary);
  const store::Series& series = board.profile.series;
  found.source.workload = series.workload + " " + series.kind;
  found.source.device = series.board;
  found.source.provenance = series.provenance;
  found.source.origin = {series.workload, series.kind, series.board, found.source.provenance};
  found.trace.board_time_s = run.time_s();  // the board did nothing else
  found.trace.board_energy_j = run.energy_j;
  return found;
}

// Holds the answer's mode until the program ends or a signal arrives.
void hold(const TuneAnswer& answer, LiveBoard& board, const OpenProgram& program,
          measure::InPlaceProfiler& profiler, InPlaceAnswer& found) {
  try {
    if (answer.outcome.best) {
      profiler.hold(answer.outcome.best->point);
    } else {
      board.control.restore();
    }
    while (profiler.watch(kLookS)) {
    }
    found.status = program.status();
  } catch (const measure::InterruptedError& error) {
    found.signal = error.signal();
  }
}

}  // namespace

InPlaceAnswer tune_in_place(const TuneQuestion& asked, LiveBoard& board,
                            const InPlaceQuestion& in_place,
                            const std::function<void(const TuneAnswer&)>& found) {
  TuneQuestion question = asked;
  const std::string idle_power = count_idle(question, board.profile.series.board);
  measure::InPlaceOptions options = in_place.options;
  options.power_limit_w = question.goal.limits.power_w;
  options.check();
  const std::vector<int> batches =
      question.batches.empty() ? std::vector<int>{0} : question.batches;
  const tune::SearchSpace space(board.control.space(), batches);
  StoredWindows stored(board, command_of(board, in_place, batches.front()), batches);
  tune::InPlaceSearchOptions search;
  search.strategy = strategy_options(question);
  search.strategy.budget.minibatches = options.least_minibatches;
  search.strategy.known = stored.known(space);
  search.strategy.prior = std::make_shared<const tune::SurrogatePrior>(space);
  for (const auto& name : preset_modes(board.control, board.control.space())) {
    search.strategy.presets.push_back(name.mode);
  }
  const OperatingPoint start = space[tune::in_place_start(space, question.goal)];
  board.control.apply(start.mode);  // starts its guardian process before any thread
  const OpenProgram program = open_program(board, in_place, start.batch);
  measure::InPlaceProfiler profiler(*program.program, options, board.profile.series.provenance,
                                    [&](const auto& window) { stored.keep(window); });
  ReportingProfiler telling(profiler, board);
  tune::InPlaceSearch in_place_search(space, question.goal, telling, std::move(search));
  profiler.begin(start.mode);
  const tune::InPlaceResult result = in_place_search.run();
  if (result.summary.steps.empty()) {
    board.control.restore();
    throw Error("no measurement window was completed",
                result.program_ended ? "the program ended too early" : result.summary.stop);
  }
  InPlaceAnswer answer;
  answer.run = profiler.run();
  answer.answer = answer_of(question, board, space, result, answer.run);
  answer.answer.source.idle_power = idle_power;
  answer.answer.trace.stored = stored.known(space);
  answer.windows = answer.run.windows.size();
  answer.search_s = answer.run.time_s();
  answer.search_minibatches = answer.run.minibatches;
  answer.left_modes = result.over_limit;
  answer.renewed = result.renewed;
  answer.program_ended = result.program_ended;
  answer.status = program.status();
  if (found) found(answer.answer);
  if (in_place.end_program && program.live != nullptr) {
    program.live->end();
  } else if (!result.program_ended) {
    hold(answer.answer, board, program, profiler, answer);
    answer.run = profiler.run();
    answer.held_s = answer.run.time_s() - answer.search_s;
    answer.held_minibatches = answer.run.minibatches - answer.search_minibatches;
  }
  board.control.restore();
  return answer;
}

}  // namespace ridgewatt::answer
