// Finds the best mode and batch for a program by profiling it on a real board.
#include <algorithm>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "python/binding/tuning.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::python {
namespace {

// All arguments of a live search, checked before anything is opened.
struct LiveQuestion {
  explicit LiveQuestion(Arguments& asked)
      : question(tune_question(asked, answer::TuneForms::kBoard)),
        program(program_question(asked, answer::program_parameters())) {
    check();
  }
  void check() const {
    const auto& command = program.profile.measure.command;
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
  answer::ProgramQuestion program;
};

answer::TuneAnswer search(LiveQuestion& asked) {
  answer::ProgramQuestion& program = asked.program;
  const auto device = platform::open_local_device(program.device, program.sysroot);
  platform::JetsonModeControl control(*device.sysfs, program.control);
  measure::name_series(device, program.profile);
  store::Store store = store::Store::made_at_first_write(program.store);
  answer::LiveBoard board{*device.sysfs, control, store, program.profile, program.governors};
  answer::TuneAnswer found = answer::tune_on_board(asked.question, board);
  found.source.remark = "points are kept in " + program.store;
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

answer::ProgramQuestion program_question(Arguments& asked, const answer::ParameterTable& table) {
  answer::ProgramQuestion program;
  fill(asked, table, &program);
  program.profile.quiet = true;
  program.profile.series.workload = program.workload;
  program.profile.series.kind =
      name_of(program.training ? WorkloadKind::kTraining : WorkloadKind::kInference);
  return program;
}

void bind_live_tune(py::module_& module) {
  module.def("_tune_on_board", &tune_on_board);
  bind_in_place(module);
}

}  // namespace ridgewatt::python
