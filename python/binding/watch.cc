// Reports the progress of long work to Python, and ends the work if Python raises an exception.
#include <chrono>

#include "python/binding/binding.h"

namespace ridgewatt::python {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

}  // namespace

WatchedWork::Watch python_watch(const py::object& progress) {
  using Clock = std::chrono::steady_clock;
  // `reported` is separate from `asked`, so that a check for signals does not delay a report.
  return [called = progress.ptr(), asked = Clock::now(),
          reported = Clock::time_point()](const WorkStep& step) mutable {
    const auto now = Clock::now();
    const bool tells = called != Py_None && !step.label.empty() &&
                       (step.done == step.total || now - reported >= kBetweenLooks);
    if (!tells && now - asked < kBetweenLooks) return;
    asked = now;
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!tells) return;
    reported = now;
    py::reinterpret_borrow<py::object>(called)(step.label, step.done, step.total);
  };
}

}  // namespace ridgewatt::python
