// The Python module ridgewatt._core: the questions of answer/ as functions, their answers as
// objects. One file for each group of questions; module.cc calls them all.
#pragma once

#include <pybind11/pybind11.h>

namespace ridgewatt::python {

namespace py = pybind11;

void bind_errors(py::module_& module);

}  // namespace ridgewatt::python
