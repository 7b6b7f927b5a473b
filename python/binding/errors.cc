// ridgewatt::Error and its kinds become those of ridgewatt/errors.py, with the same line.
#include "ridgewatt/base/error.h"

#include "python/binding/binding.h"

namespace ridgewatt::python {
namespace {

void raise(const char* kind, const Error& error) {
  const py::object type = py::module_::import("ridgewatt.errors").attr(kind);
  PyErr_SetString(type.ptr(), error.what());
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("InputError", error);
    } catch (const NotFoundError& error) {
      raise("NotFoundError", error);
    } catch (const PermissionError& error) {
      raise("PermissionError", error);
    } catch (const IoError& error) {
      raise("IoError", error);
    } catch (const NotSupportedError& error) {
      raise("NotSupportedError", error);
    } catch (const UsageError& error) {
      raise("UsageError", error);
    } catch (const NoSolutionError& error) {
      raise("NoSolutionError", error);
    } catch (const Error& error) {
      raise("Error", error);
    }
  });
}

}  // namespace ridgewatt::python
