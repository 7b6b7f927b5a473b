#include "python/binding/binding.h"
#include "ridgewatt/base/version.h"

namespace py = pybind11;

namespace ridgewatt::python {

// Each function is defined in the file of its classes. A class is bound before functions that
// return it.
using Bind = void(py::module_& module);
Bind bind_errors, bind_models, bind_sweeps, bind_estimate, bind_tune, bind_predict, bind_roofline,
    bind_explain, bind_plan, bind_llm, bind_language, bind_measure, bind_modes, bind_live_tune,
    bind_parameters;
constexpr Bind* kBinds[] = {bind_errors, bind_models,    bind_sweeps,    bind_estimate,
                            bind_tune,   bind_predict,   bind_roofline,  bind_explain,
                            bind_plan,   bind_llm,       bind_language,  bind_measure,
                            bind_modes,  bind_live_tune, bind_parameters};

}  // namespace ridgewatt::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of ridgewatt. Use the package ridgewatt instead.";
  module.attr("__version__") = std::string(ridgewatt::version());
  for (ridgewatt::python::Bind* const bind : ridgewatt::python::kBinds) bind(module);
  // The package exports these classes and functions directly. questions.py exports the functions
  // that answer questions, with their signatures.
  py::list offered;
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    const bool own = name.cast<std::string>().front() == '_';
    if (PyType_Check(value.ptr()) && !own) offered.append(name);
  }
  offered.append("boards");
  offered.append("zoo");
  module.attr("__all__") = offered;
}
