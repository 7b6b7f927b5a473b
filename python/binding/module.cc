#include "python/binding/binding.h"
#include "ridgewatt/base/version.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of ridgewatt; use it through the package.";
  module.attr("__version__") = std::string(ridgewatt::version());
  ridgewatt::python::bind_errors(module);
}
