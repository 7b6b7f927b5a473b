// The Python module ridgewatt._core: the questions of ridgewatt/answer as functions, and their
// answers as objects. Each group of questions has a file; module.cc calls the functions below.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "ridgewatt/base/progress.h"

namespace ridgewatt::python {

namespace py = pybind11;

// Returns a function for long work to call. It calls `progress(label, done, total)` at most 20
// times per second and at the end of each part. The work ends with KeyboardInterrupt after Ctrl+C,
// and with any exception of `progress`. `progress` may be None.
WatchedWork::Watch python_watch(const py::object& progress);

// Runs `work` without the GIL, so that other Python threads continue. `work` must not use Python
// objects.
template <class Work>
auto without_gil(Work&& work, const py::object& progress = py::none()) {
  const WatchedWork watched(python_watch(progress));
  const py::gil_scoped_release released;
  return std::forward<Work>(work)();
}

}  // namespace ridgewatt::python
