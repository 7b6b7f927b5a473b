// Long work tells Python where it stands, and ends when Python says so.
#include <chrono>

#include "python/binding/binding.h"

namespace ridgewatt::python {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(50);

}  // namespace

WatchedWork::Watch python_watch(const py::object& progress) {
  using Clock = std::chrono::steady_clock;
  return [called = progress.ptr(), last = Clock::now()](const WorkStep& step) mutable {
    const bool end = !step.label.empty() && step.done == step.total;
    if (!end && Clock::now() - last < kInterval) return;
    last = Clock::now();
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (called == Py_None || step.label.empty()) return;
    py::reinterpret_borrow<py::object>(called)(step.label, step.done, step.total);
  };
}

}  // namespace ridgewatt::python
