// Tunes the current program while it runs; ridgewatt/live.py is its interface. The search runs in a
// separate thread, which never takes the global interpreter lock.
#include <unistd.h>

#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "python/binding/parameters.h"
#include "python/binding/record.h"
#include "python/binding/tuning.h"
#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::python {
namespace {

class InPlace {
 public:
  explicit InPlace(const py::kwargs& given) {
    Arguments asked(given);
    question_ = tune_question(asked, answer::TuneForms::kInPlace);
    if (question_.batches.size() > 1) {
      throw UsageError("a running program has one batch", "batch", "give that batch or none");
    }
    program_ = program_question(asked, answer::in_place_parameters());
    program_.profile.measure.command = {"this process"};
    asked.done();
  }
  ~InPlace() {
    if (!thread_) return;
    if (!ours()) {  // the thread does not exist in a forked process
      static_cast<void>(thread_.release());
      return;
    }
    marks_.end();
    thread_->join();
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

  bool ours() const { return owner_ == ::getpid(); }

  // Returns when the first mode of the search is set. Throws an earlier error of the search.
  void begin() {
    std::future<void> begun = begun_.get_future();
    thread_ = std::make_unique<std::thread>([this] { run(); });
    try {
      begun.get();
    } catch (...) {
      thread_->join();
      thread_.reset();
      throw;
    }
  }
  void mark() { marks_.mark(measure::TimedMark::Kind::kMinibatch); }
  void fetched() { marks_.mark(measure::TimedMark::Kind::kFetched); }

  // Returns the answer of the search, or nothing while the search runs.
  std::optional<answer::TuneAnswer> found() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return found_;
  }
  // Restores the original mode. Throws the error that ended the search, if any.
  const answer::InPlaceAnswer& end() {
    marks_.end();
    if (thread_) thread_->join();
    thread_.reset();
    if (failure_) std::rethrow_exception(failure_);
    return *ended_;
  }

 private:
  void run() {
    bool begun = false;
    try {
      const auto device = platform::open_local_device(program_.device, program_.sysroot);
      platform::JetsonModeControl control(*device.sysfs, program_.control);
      measure::name_series(device, program_.profile);
      store::Store store = store::Store::made_at_first_write(program_.store);
      answer::LiveBoard board{*device.sysfs, control, store, program_.profile, {}};
      program_.in_place.open = [&] {
        auto program = std::make_unique<measure::CallerProgram>(*device.sysfs, control, marks_);
        begun = true;
        begun_.set_value();
        return program;
      };
      answer::InPlaceAnswer answer = answer::tune_in_place(
          question_, board, program_.in_place, [&](const answer::TuneAnswer& found) {
            const std::lock_guard<std::mutex> lock(mutex_);
            found_ = found;
          });
      answer.answer.source.remark = "windows are kept in " + program_.store;
      ended_ = std::move(answer);
    } catch (...) {
      failure_ = std::current_exception();
      if (!begun) begun_.set_exception(failure_);
    }
  }

  answer::TuneQuestion question_;
  answer::ProgramQuestion program_;
  measure::CallerMarks marks_;
  pid_t owner_ = ::getpid();
  std::promise<void> begun_;
  std::unique_ptr<std::thread> thread_;
  std::mutex mutex_;  // protects found_; only the thread uses the other members until it is joined
  std::optional<answer::TuneAnswer> found_;
  std::optional<answer::InPlaceAnswer> ended_;
  std::exception_ptr failure_;
};

}  // namespace

void bind_in_place(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  py::class_<InPlace, std::shared_ptr<InPlace>>(module, "_InPlace")
      .def(py::init([](const py::kwargs& given) { return std::make_shared<InPlace>(given); }))
      .def_property_readonly("ours", &InPlace::ours)
      .def("begin", &InPlace::begin, Free())
      .def("mark", &InPlace::mark)
      .def("fetched", &InPlace::fetched)
      .def("found",
           [](InPlace& tuning) -> py::object {
             auto found = tuning.found();
             return found ? tuned_answer(std::move(*found)) : py::none();
           })
      .def("end", [](InPlace& tuning) {
        const answer::InPlaceAnswer* answer = nullptr;
        {
          const py::gil_scoped_release released;
          answer = &tuning.end();
        }
        return py::make_tuple(tuned_answer(answer->answer, report::in_place_remarks(*answer)),
                              to_python(report::in_place_to_json(*answer)));
      });
}

}  // namespace ridgewatt::python
