#include "ridgewatt/answer/explain.h"

#include <sys/wait.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/measure/program_watch.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_holder.h"

namespace ridgewatt::answer {
namespace {

using Say = std::function<void(const std::string&)>;

// Stores what was seen of the program and, if no power is known yet, its mean power.
void take_watch(const measure::SeenProgram& found, std::optional<measure::SeenRun>& seen,
                std::optional<double>& power_w) {
  seen = found.seen;
  if (!power_w && found.measurement.total) power_w = found.measurement.total->mean_w;
}

// The time of a minibatch from the program's marks. It replaces the marked time in `seen`, so that
// both numbers are equal.
double marked_s(const measure::SeenProgram& found, std::optional<measure::SeenRun>& seen) {
  if (found.measurement.minibatches.empty()) {
    throw NotFoundError("the program marked no minibatches, so its time is not known", "",
                        "give --measured, or mark minibatches (docs/guide/measure.md)");
  }
  seen->marked_s = found.measurement.summary.time_s;
  return *seen->marked_s;
}

void make_change(const std::string& line) {
  constexpr int kErrors = 2;  // send its output to standard error, not into the result
  ChildProcess change({.words = {"/bin/sh", "-c", line}, .output = kErrors});
  const int status = change.wait();
  measure::require_success(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), {line});
}

// Sets the intended mode if that removes the most probable cause; `holder` restores the old mode
// later. Returns false if another cause is more probable.
bool set_mode(ExplainQuestion& question, platform::ModeHolder& holder, const Say& say) {
  ExplainQuestion before = question;
  before.removed.reset();
  const ExplainAnswer found = explain(before);
  const SlowCause cause = question.removed.value_or(found.rows.front().cause);
  if (!is_of_mode(cause)) {
    say("no mode is set, because no mode removes the cause " + std::string(name_of(cause)));
    question.removed.reset();
    return false;
  }
  question.removed = cause;
  const platform::HeldMode held = holder.set(mode_text(found.mode));
  say("power mode during the second run: " + describe(held.applied));
  return true;
}

}  // namespace

void watch_program(ExplainQuestion& question, const WatchedProgram& program, std::uint64_t seed,
                   const Say& say) {
  constexpr double kUsualS = 20;
  const auto device = platform::open_local_device(
      platform::is_local_device(question.device) ? question.device : "local", "", seed);
  if (device.fake) {
    question.device =
        platform::local_board(*device.sysfs).value_or(platform::board_of_device(question.device));
  }
  std::optional<platform::ModeHolder> holder;
  if (program.apply) holder.emplace(*device.sysfs);  // before any thread starts
  platform::PowerMeter meter(*device.sysfs);
  const auto run_program = [&] {
    if (program.process) {
      return measure::watch_process(*device.sysfs, *program.process,
                                    program.for_s.value_or(kUsualS), meter);
    }
    measure::MeasureOptions options;
    options.command = program.command;
    auto found = measure::measure_and_watch(*device.sysfs, options, program.for_s, meter);
    for (const auto& line : measure::skipped_marks_remarks(found.measurement.malformed_marks)) {
      say(line);
    }
    measure::require_success(found.measurement.status, program.command);
    return found;
  };
  const measure::SeenProgram found = run_program();
  take_watch(found, question.seen, question.power_w);
  const bool stated = question.measured_s || question.samples_per_s || question.of_language();
  if (!stated) question.measured_s = marked_s(found, question.seen);
  if (!program.changes()) return;
  if (!program.then.empty()) make_change(program.then);
  if (program.apply && !set_mode(question, *holder, say)) return;
  const measure::SeenProgram since = run_program();
  take_watch(since, question.after_seen, question.after_power_w);
  question.after_s = marked_s(since, question.after_seen);
}

}  // namespace ridgewatt::answer
