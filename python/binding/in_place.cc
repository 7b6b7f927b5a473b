// Tuning the program at hand while it runs: what ridgewatt/live.py makes comfortable. The search
// runs on a thread of its own, which never takes the interpreter's lock.
#include <unistd.h>

#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "python/binding/arguments.h"
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
    asked.refuse(
        {"verify", "minibatches", "min_gain", "settle_s", "settle_window_s", "idle_s", "governors"},
        "in place", "the program is not started for every point");
    question_ = tune_question(asked);
    if (question_.batches.size() > 1) {
      throw UsageError("a running program has one batch", "batch", "name that one, or none");
    }
    device_name_ = asked.text("device", "local");
    sysroot_ = asked.path("sysroot");
    store_ = asked.has("store") ? asked.path("store") : "tune.db";
    control_.state_folder = asked.path("state_folder");
    control_.max_celsius = asked.quantity("max_celsius", {"temperature", "°C", -50, 200}, 100);
    control_.full_fan = asked.flag("full_fan");
    control_.no_idle_states = asked.flag("no_idle_states");
    auto& options = in_place_.options;
    options.warm_up = asked.whole("warm_up", kCounts, options.warm_up);
    options.most_minibatches =
        asked.whole("window", {"whole number", "", 8, 1e6}, options.most_minibatches);
    options.precision =
        asked.quantity("window_precision", {"share", "", 0.001, 0.5}, options.precision);
    options.longest_s =
        asked.quantity("longest_window_s", {"duration", "s", 0.05, 3600}, options.longest_s);
    options.guard_s = asked.quantity("guard_s", {"duration", "s", 0.01, 60}, options.guard_s);
    options.drift.reference_every =
        asked.whole("reference_every", {"whole number", "", 0, 1e6}, options.drift.reference_every);
    profile_.measure.command = {"this process"};
    profile_.quiet = true;
    profile_.series.workload = asked.text("workload");
    profile_.series.kind =
        name_of(asked.flag("training") ? WorkloadKind::kTraining : WorkloadKind::kInference);
    asked.done();
  }
  ~InPlace() {
    if (!thread_) return;
    if (!ours()) {  // a copy in a child: nothing runs there
      static_cast<void>(thread_.release());
      return;
    }
    marks_.end();
    thread_->join();
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

  bool ours() const { return owner_ == ::getpid(); }

  // Until the first mode is set; what went wrong before that is thrown here.
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

  // The answer, once the search has ended.
  std::optional<answer::TuneAnswer> found() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return found_;
  }
  // Brings the first mode back; throws what ended the search.
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
      const auto device = platform::open_local_device(device_name_, sysroot_);
      platform::JetsonModeControl control(*device.sysfs, control_);
      measure::name_series(device, profile_);
      store::Store store = store::Store::made_at_first_write(store_);
      answer::BoardAtHand board{*device.sysfs, control, store, profile_, {}};
      in_place_.open = [&] {
        auto program = std::make_unique<measure::CallerProgram>(*device.sysfs, control, marks_);
        begun = true;
        begun_.set_value();
        return program;
      };
      answer::InPlaceAnswer answer =
          answer::tune_in_place(question_, board, in_place_, [&](const answer::TuneAnswer& found) {
            const std::lock_guard<std::mutex> lock(mutex_);
            found_ = found;
          });
      answer.answer.remark = "windows are kept in " + store_;
      ended_ = std::move(answer);
    } catch (...) {
      failure_ = std::current_exception();
      if (!begun) begun_.set_exception(failure_);
    }
  }

  answer::TuneQuestion question_;
  std::string device_name_, sysroot_, store_;
  platform::JetsonModeControl::Options control_;
  measure::ProfileOptions profile_;
  answer::InPlaceQuestion in_place_;
  measure::CallerMarks marks_;
  pid_t owner_ = ::getpid();
  std::promise<void> begun_;
  std::unique_ptr<std::thread> thread_;
  std::mutex mutex_;  // of found_; the rest belongs to the thread until it is joined
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
        return py::make_tuple(tuned_answer(answer->answer),
                              to_python(report::in_place_to_json(*answer)));
      });
}

}  // namespace ridgewatt::python
