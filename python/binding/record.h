// Creates a Python class from a list of its fields. The attributes, repr(), the columns of
// to_frame() and the reference are derived from this list.
//
//   const Fields<Step> kStep = {{"time_s", [](const Step& s) { return s.time_s; }, "time (s)"}};
//   record<Step>(module, "Step", "A profiled point.", kStep);
//
// An answer is a sequence of rows: answer_class() also adds len(), indexing, to_frame(), to_dict(),
// _repr_html_() and plot().
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "python/binding/binding.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::python {

template <class T>
struct Field {
  std::string name;
  report::Getter<T> get;
  std::string doc;  // with shape and unit
};
template <class T>
using Fields = std::vector<Field<T>>;

// Converts the fields that a report declares into attributes. Values are in SI units. The docstring
// is the meaning of the JSON key.
template <class T>
Fields<T> attributes(const report::Fields<T>& declared) {
  Fields<T> fields;
  for (const report::Field<T>& field : declared) {
    if ((field.shown & report::kInPython) == 0) continue;
    const std::string name =
        field.python.empty() ? report::si_name(field.column.name) : std::string(field.python);
    fields.push_back(
        {name, field.get, std::string(field.column.meaning) + std::string(report::si_unit(name))});
  }
  return fields;
}

// Converts a JSON value to Python. A number that is not finite becomes None, as in JSON text.
py::object to_python(const Json& json);
// Converts the value of a field. Text may contain invalid UTF-8.
py::object value_to_python(double value);
py::object value_to_python(const std::optional<double>& value);
py::object value_to_python(int value);
py::object value_to_python(std::int64_t value);
py::object value_to_python(bool value);
py::object value_to_python(const std::string& value);
inline py::object value_to_python(std::string_view value) {
  return value_to_python(std::string(value));
}
py::object value_to_python(const std::vector<std::string>& value);
inline py::object value_to_python(const std::vector<std::string_view>& value) {
  return value_to_python(std::vector<std::string>(value.begin(), value.end()));
}
py::object value_to_python(const PowerMode& value);
py::object value_to_python(const Json& value);
py::object value_to_python(const report::Cell& value);

template <class T>
py::list list_of(const std::vector<T>& values) {
  py::list list;
  for (const T& value : values) list.append(value);
  return list;
}

const Fields<PowerMode>& power_mode_fields();

// Adds the columns of the rows by name, as NumPy arrays of float64, int64, bool, or of objects for
// text. A power mode becomes one column per knob: "mode" gives gpu_clock_hz, "prefill_mode" gives
// prefill_gpu_clock_hz. Knobs that no row sets are left out.
template <class T>
void add_columns(const Fields<T>& fields, const std::vector<T>& rows, py::dict& columns);

template <class Value, class T>
py::object column_of(Value (*get)(const T&), const std::vector<T>& rows) {
  const auto fill = [&]<class As>(As otherwise) -> py::object {
    py::array_t<As> column(static_cast<py::ssize_t>(rows.size()));
    As* out = column.mutable_data();
    for (const T& row : rows) {
      if constexpr (std::is_same_v<Value, std::optional<double>>) {
        *out++ = get(row).value_or(otherwise);
      } else if constexpr (std::is_arithmetic_v<Value>) {
        *out++ = static_cast<As>(get(row));
      }
    }
    return column;
  };
  if constexpr (std::is_same_v<Value, bool>) {
    return fill(false);
  } else if constexpr (std::is_integral_v<Value>) {
    return fill(std::int64_t{0});
  } else if constexpr (std::is_arithmetic_v<Value> ||
                       std::is_same_v<Value, std::optional<double>>) {
    return fill(std::numeric_limits<double>::quiet_NaN());
  } else {
    py::list column;
    for (const T& row : rows) column.append(value_to_python(get(row)));
    return py::module_::import("ridgewatt.frames").attr("objects")(column);
  }
}

template <class T>
void add_columns(const Fields<T>& fields, const std::vector<T>& rows, py::dict& columns) {
  for (const Field<T>& field : fields) {
    std::visit(
        [&]<class Value>(Value (*get)(const T&)) {
          if constexpr (!std::is_same_v<Value, PowerMode>) {
            columns[py::str(field.name)] = column_of(get, rows);
          } else {
            std::vector<PowerMode> modes;
            modes.reserve(rows.size());
            for (const T& row : rows) modes.push_back(get(row));
            py::dict knobs;
            add_columns(power_mode_fields(), modes, knobs);
            const std::string prefix = field.name.substr(0, field.name.rfind("mode"));
            for (const auto& [knob, values] : knobs) {
              if (!py::bool_(values.attr("any")())) continue;
              columns[py::str(prefix + knob.template cast<std::string>())] = values;
            }
          }
        },
        field.get);
  }
}

// Name of a field's type in Python, for stubs and the reference.
template <class Value>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<Value, double>) return "float";
  if constexpr (std::is_same_v<Value, std::optional<double>>) return "float | None";
  if constexpr (std::is_same_v<Value, bool>) return "bool";
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) return "int";
  if constexpr (std::is_convertible_v<Value, std::string_view>) return "str";
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) return "list[str]";
  if constexpr (std::is_same_v<Value, std::vector<std::string_view>>) return "list[str]";
  if constexpr (std::is_same_v<Value, PowerMode>) return "PowerMode";
  if constexpr (std::is_same_v<Value, Json>) return "object";
  if constexpr (std::is_same_v<Value, report::Cell>) return "str | int | float | None";
}

// Returns the text of repr(): "Step(time_s=0.01, power_w=20.0)".
template <class T>
std::string repr_of(const char* name, const Fields<T>& fields, const T& self) {
  std::string text = name;
  for (const Field<T>& field : fields) {
    const py::object value =
        std::visit([&](auto get) { return value_to_python(get(self)); }, field.get);
    text += (&field == &fields.front() ? "(" : ", ") + field.name + "=" +
            py::repr(value).cast<std::string>();
  }
  return text + ")";
}

template <class T>
using Class = py::class_<T, std::shared_ptr<T>>;
// Type of `self` in every method. It makes pybind11 reject an object that was created without
// __init__ (X.__new__(X)). For a plain reference, pybind11 would pass uninitialized memory.
template <class T>
using Self = const std::shared_ptr<T>&;
template <class T>
std::shared_ptr<T> held(const py::object& object) {
  return object.cast<std::shared_ptr<T>>();
}

// Binds a class with these fields. `fields` must outlive the module.
template <class T>
Class<T> record(py::module_& module, const char* name, const char* doc, const Fields<T>& fields) {
  Class<T> made(module, name, doc);
  py::dict types;
  for (const Field<T>& field : fields) {
    std::visit(
        [&]<class Value>(Value (*get)(const T&)) {
          types[py::str(field.name)] = type_name<Value>();
          made.def_property_readonly(
              field.name.c_str(), [get](Self<T> self) { return value_to_python(get(*self)); },
              field.doc.c_str());
        },
        field.get);
  }
  made.attr("_fields") = types;
  // The object cannot change, so its copy is the object itself.
  made.def("__copy__", [](const py::object& self) { return self; });
  made.def(
      "__deepcopy__", [](const py::object& self, const py::dict&) { return self; },
      py::arg("memo"));
  made.def("__repr__", [name, &fields](Self<T> self) { return repr_of(name, fields, *self); });
  return made;
}

// Converts a Python index, which may be negative, to an index into a sequence of `size` elements.
// Throws IndexError.
std::size_t checked_index(py::ssize_t index, std::size_t size);
// Adds the methods that are written in Python: to_frame(), _repr_html_() and plot(). They use
// __len__ and `_columns`, which must exist.
void add_notebook_methods(py::object made);

// The fields of an answer, and its remarks as the last one.
template <class Answer>
Fields<Answer> with_remarks(Fields<Answer> fields) {
  fields.push_back({"remarks", [](const Answer& answer) { return answer.remarks(); },
                    "what limits the figures: rows that were left out, assumptions, and why "
                    "intervals are wide, one sentence each. They name options of the command "
                    "line"});
  return fields;
}

// Binds an answer. `Answer` must have `rows`, a vector of Row, `Json json() const`, and
// `std::vector<std::string> remarks() const`. If a command prints the same JSON, `command_name()`
// is its name.
template <class Answer, class Row>
Class<Answer> answer_class(py::module_& module, const char* name, const char* doc,
                           const Fields<Answer>& answer_fields, const Fields<Row>& row_fields) {
  static const Fields<Answer> fields = with_remarks(answer_fields);
  Class<Answer> made = record<Answer>(module, name, doc, fields);
  made.def("__len__", [](Self<Answer> self) { return self->rows.size(); });
  made.def(
      "__getitem__",
      [](Self<Answer> self, py::ssize_t index) -> Row {
        return self->rows[checked_index(index, self->rows.size())];
      },
      py::arg("index"));
  made.def("__getitem__", [](const py::object& self, const py::slice& part) {
    py::list rows;
    const auto size = static_cast<std::size_t>(py::len(self));
    std::size_t start = 0, stop = 0, step = 0, length = 0;
    if (!part.compute(size, &start, &stop, &step, &length)) throw py::error_already_set();
    for (std::size_t i = 0; i < length; ++i, start += step) rows.append(self[py::int_(start)]);
    return rows;
  });
  made.def("_columns", [&row_fields](Self<Answer> self) {
    py::dict columns;
    add_columns(row_fields, self->rows, columns);
    return columns;
  });
  if constexpr (requires(const Answer& answer) { answer.command_name(); }) {
    made.def(
        "to_dict",
        [](Self<Answer> self) {
          return to_python(report::with_schema(self->command_name(), self->json()));
        },
        "Returns the answer as a dict: the JSON object that the command line prints.");
  } else {
    made.def(
        "to_dict", [](Self<Answer> self) { return to_python(self->json()); },
        "Returns the description and the rows as a dict.");
  }
  add_notebook_methods(made);
  return made;
}

}  // namespace ridgewatt::python
