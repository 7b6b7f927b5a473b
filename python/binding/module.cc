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
  ridgewatt::python::bind_roofline(module);
  ridgewatt::python::bind_explain(module);
  ridgewatt::python::bind_plan(module);
  ridgewatt::python::bind_llm(module);
  ridgewatt::python::bind_language(module);
  ridgewatt::python::bind_measure(module);
  ridgewatt::python::bind_modes(module);
  ridgewatt::python::bind_live_tune(module);
  ridgewatt::python::bind_parameters(module);
  // The package offers the classes as they are, and the questions with their signatures
  // (questions.py).
  py::list offered;
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    const bool own = name.cast<std::string>().front() == '_';
    if (PyType_Check(value.ptr()) && !own) offered.append(name);
  }
  offered.append("boards");
  offered.append("zoo");
  module.attr("__all__") = offered;
}
