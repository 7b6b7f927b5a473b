#include "python/binding/record.h"

#include <cmath>

namespace ridgewatt::python {
namespace {

py::object text_to_python(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

py::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      py::dict made;
      for (const auto& [key, value] : json.items()) made[text_to_python(key)] = to_python(value);
      return made;
    }
    case Json::value_t::array: {
      py::list made;
      for (const auto& value : json) made.append(to_python(value));
      return made;
    }
    case Json::value_t::string:
      return text_to_python(json.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float: {
      const double value = json.get<double>();
      if (std::isfinite(value)) return py::float_(value);
      return py::none();
    }
    default:
      return py::none();
  }
}

py::object value_to_python(double value) {
  return py::float_(value);
}
py::object value_to_python(const std::optional<double>& value) {
  if (!value) return py::none();
  return py::float_(*value);
}
py::object value_to_python(int value) {
  return py::int_(value);
}
py::object value_to_python(std::int64_t value) {
  return py::int_(value);
}
py::object value_to_python(bool value) {
  return py::bool_(value);
}
py::object value_to_python(const std::string& value) {
  return text_to_python(value);
}
py::object value_to_python(const std::vector<std::string>& value) {
  py::list made;
  for (const auto& text : value) made.append(text_to_python(text));
  return made;
}
py::object value_to_python(const PowerMode& value) {
  return py::cast(value);
}

py::object value_to_python(const Json& value) {
  return to_python(value);
}
py::object value_to_python(const report::Cell& value) {
  return to_python(
      report::json_of({}, report::FieldValue(std::in_place_type<report::Cell>, value)));
}

std::size_t checked_index(py::ssize_t index, std::size_t size) {
  const auto count = static_cast<py::ssize_t>(size);
  if (index < -count || index >= count)
    throw py::index_error("the index of the row is out of range");
  return static_cast<std::size_t>(index < 0 ? index + count : index);
}

void add_notebook_methods(py::object made) {
  const py::module_ frames = py::module_::import("ridgewatt.frames");
  for (const char* name : {"to_frame", "_repr_html_", "plot"}) {
    made.attr(name) = frames.attr(name);
  }
}

}  // namespace ridgewatt::python
