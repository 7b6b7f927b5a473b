// The Python module ridgewatt._core: the questions of answer/ as functions, their answers as
// objects. One file for each group of questions; module.cc calls them all.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "ridgewatt/base/progress.h"

namespace ridgewatt::python {

namespace py = pybind11;

// What long work calls: Ctrl+C ends it as KeyboardInterrupt, and `progress(label, done, total)` is
// called at most 20 times a second, and at the end of each part. What it raises ends the work.
WatchedWork::Watch python_watch(const py::object& progress);

// Long work, while other threads of the interpreter run. `work` touches no Python object.
template <class Work>
auto without_gil(Work&& work, const py::object& progress = py::none()) {
  const WatchedWork watched(python_watch(progress));
  const py::gil_scoped_release released;
  return std::forward<Work>(work)();
}

}  // namespace ridgewatt::python
