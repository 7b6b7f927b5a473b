#include "python/binding/binding.h"
#include "ridgewatt/base/version.h"

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of ridgewatt; use it through the package.";
  module.attr("__version__") = std::string(ridgewatt::version());
  ridgewatt::python::bind_errors(module);
  ridgewatt::python::bind_models(module);
  ridgewatt::python::bind_sweeps(module);
  ridgewatt::python::bind_estimate(module);
  ridgewatt::python::bind_tune(module);
  ridgewatt::python::bind_predict(module);
  ridgewatt::python::bind_plan(module);
  // The package offers the classes as they are, and the questions with their signatures
  // (questions.py).
  py::list offered;
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (PyType_Check(value.ptr())) offered.append(name);
  }
  offered.append("boards");
  offered.append("zoo");
  module.attr("__all__") = offered;
}
