// Converts ridgewatt::Error and its subclasses to the classes of ridgewatt/errors.py. The message
// stays the same.
#include "ridgewatt/base/error.h"

#include <string>

#include "python/binding/binding.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::python {
namespace {

void raise(const char* kind, const Error& error) {
  const py::object type = py::module_::import("ridgewatt.errors").attr(kind);
  // Text that a message quotes may contain line breaks or invalid UTF-8.
  const std::string text = escape_terminal(error.what());
  const py::object line = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  PyErr_SetObject(type.ptr(), line.ptr());
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
