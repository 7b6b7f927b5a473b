#include "python/binding/binding.h"
#include "ridgewatt/base/version.h"

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
}
