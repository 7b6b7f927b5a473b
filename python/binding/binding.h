// The Python module ridgewatt._core: the questions of answer/ as functions, their answers as
// objects. One file for each group of questions; module.cc calls them all.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "ridgewatt/base/progress.h"

namespace ridgewatt::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_models(py::module_& module);      // Model, PowerMode, Board, analyze
void bind_tune(py::module_& module);        // tune
void bind_sweeps(py::module_& module);      // Sweep, Store
void bind_predict(py::module_& module);     // predict, suggest, pareto
void bind_estimate(py::module_& module);    // estimate
void bind_roofline(py::module_& module);    // roofline
void bind_explain(py::module_& module);     // explain
void bind_plan(py::module_& module);        // plan
void bind_measure(py::module_& module);     // Measurement, .., _Run
void bind_modes(py::module_& module);       // ModeState, _Device, _HeldMode
void bind_llm(py::module_& module);         // llm.fits, llm.zoo
void bind_language(py::module_& module);    // llm.estimate, llm.tune
void bind_live_tune(py::module_& module);   // _tune_on_board
void bind_parameters(py::module_& module);  // _parameters

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
