// The best mode and batch for a program, which is profiled on the board at hand.
#include <algorithm>

#include "python/binding/questions.h"
#include "python/binding/tuning.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::python {
namespace {

using platform::JetsonModeControl;

constexpr Range kWait = {"duration", "s", 0, 3600};

// All that a live search is asked with, checked before anything is opened.
struct LiveQuestion {
  explicit LiveQuestion(Arguments& asked)
      : question(tune_question(asked)),
        device(asked.text("device", "local")),
        sysroot(asked.path("sysroot")),
        store(asked.has("store") ? asked.path("store") : "tune.db"),
        governors(asked.texts("governors")) {
    control.state_folder = asked.path("state_folder");
    control.max_celsius = asked.quantity("max_celsius", {"temperature", "°C", -50, 200}, 100);
    control.full_fan = asked.flag("full_fan");
    control.no_idle_states = asked.flag("no_idle_states");
    auto& measuring = profile.measure;
    measuring.command = asked.texts("command");
    measuring.settle.at_most_s = asked.quantity("settle_s", kWait, measuring.settle.at_most_s);
    measuring.settle.window_s =
        asked.quantity("settle_window_s", {"duration", "s", 0.01, 60}, measuring.settle.window_s);
    measuring.window.minibatches =
        asked.whole("window", {"whole number", "", 1, 1e6}, measuring.window.minibatches);
    measuring.window.warm_up = asked.whole("warm_up", kCounts, measuring.window.warm_up);
    measuring.idle_s = asked.quantity("idle_s", kWait, measuring.idle_s);
    measuring.rate_hz = asked.quantity("rate_hz", {"rate", "Hz", 1, 1000}, measuring.rate_hz);
    profile.quiet = true;
    profile.series.workload = asked.text("workload");
    profile.series.kind =
        name_of(asked.flag("training") ? WorkloadKind::kTraining : WorkloadKind::kInference);
    check();
  }
  void check() const {
    const auto& command = profile.measure.command;
    if (command.empty()) {
      throw UsageError("nothing to profile", "", "give the program, \"python3 train.py\"");
    }
    const bool placed = std::any_of(command.begin(), command.end(), [](const auto& word) {
      return word.find("{batch}") != std::string::npos;
    });
    if (question.batches.size() > 1 && !placed) {
      throw UsageError("the command never receives the batch size", "batch",
                       "write {batch} where its command names the batch");
    }
  }

  answer::TuneQuestion question;
  std::string device, sysroot, store;
  std::vector<std::string> governors;
  JetsonModeControl::Options control = {};
  measure::ProfileOptions profile = {};
};

answer::TuneAnswer search(LiveQuestion& asked) {
  const auto device = platform::open_local_device(asked.device, asked.sysroot);
  JetsonModeControl control(*device.sysfs, asked.control);
  measure::name_series(device, asked.profile);
  store::Store store = store::Store::made_at_first_write(asked.store);
  answer::BoardAtHand board{*device.sysfs, control, store, asked.profile, asked.governors};
  answer::TuneAnswer found = answer::tune_on_board(asked.question, board);
  found.remark = "points are kept in " + asked.store;
  return found;
}

py::object tune_on_board(const py::kwargs& given) {
  Arguments asked(given);
  asked.refuse({"verify"}, "with a program", "the command line has --verify");
  LiveQuestion question(asked);
  const py::object progress = asked.progress();
  asked.done();
  return tuned_answer(without_gil([&] { return search(question); }, progress));
}

}  // namespace

void bind_live_tune(py::module_& module) {
  module.def("_tune_on_board", &tune_on_board);
  bind_in_place(module);
}

}  // namespace ridgewatt::python
