#include "python/binding/arguments.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <cmath>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::python {
namespace {

constexpr std::size_t kLongestShown = 60;

// Returns a short description of a value for messages, in one line.
std::string shown(py::handle value) {
  std::string text;
  try {
    text = py::repr(value).cast<std::string>();
  } catch (const std::exception&) {  // __repr__ fails or returns invalid UTF-8
    text = "<" + std::string(Py_TYPE(value.ptr())->tp_name) + ">";
  }
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;  // do not cut a character of several bytes
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "..";
}

[[noreturn]] void refuse_value(const std::string& name, py::handle value, const std::string& kind) {
  const bool mode = py::isinstance<PowerMode>(value);
  throw UsageError(fmt::format("{}: {} is not a {}", name, shown(value), kind), "",
                   mode ? "write it as '" + mode_text(value.cast<PowerMode>()) + "'" : "");
}

void check_range(const std::string& name, double value, const Quantity& range) {
  const bool under = range.open ? !(value > range.least) : value < range.least;
  if (!under && value <= range.most) return;
  throw UsageError(
      fmt::format("{}: must be {}, but is {}", name, range_text(range), format_exact(value)));
}

// Whether the value is a single number, which excludes bools, texts and arrays.
bool is_number(py::handle value) {
  if (PyBool_Check(value.ptr()) || PyComplex_Check(value.ptr())) return false;
  if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return true;
  if (py::isinstance<py::array>(value)) return false;
  return py::hasattr(value, "dtype") && py::hasattr(value, "__float__") &&
         !py::hasattr(value, "__len__") &&
         value.attr("dtype").attr("kind").cast<std::string>().find_first_of("iuf") == 0;
}

}  // namespace

double read_number(const std::string& name, py::handle value, const Quantity& range) {
  if (!is_number(value)) refuse_value(name, value, std::string(range.kind));
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Float(value.ptr()));
  if (!number) {
    PyErr_Clear();  // an integer that is too large for a double
    refuse_value(name, value, std::string(range.kind));
  }
  const double read = PyFloat_AS_DOUBLE(number.ptr());
  if (!std::isfinite(read)) refuse_value(name, value, std::string(range.kind));
  check_range(name, read, range);
  return read;
}

std::int64_t read_whole(const std::string& name, py::handle value, const Quantity& range) {
  const double read = read_number(name, value, range);
  if (read != std::floor(read) || std::abs(read) > 9007199254740992.0) {
    refuse_value(name, value, "whole number");
  }
  return static_cast<std::int64_t>(read);
}

std::string read_text(const std::string& name, py::handle value, bool path) {
  py::object text = py::reinterpret_borrow<py::object>(value);
  if (path && !PyUnicode_Check(text.ptr()) && py::hasattr(text, "__fspath__")) {
    text = py::module_::import("os").attr("fspath")(text);
  }
  if (!PyUnicode_Check(text.ptr())) refuse_value(name, value, path ? "path" : "text");
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();  // a lone surrogate
    refuse_value(name, value, "text");
  }
  const std::string read(bytes, static_cast<std::size_t>(size));
  if (read.empty()) throw UsageError(name + ": is empty");
  if (read.find('\0') != std::string::npos) refuse_value(name, value, path ? "path" : "text");
  return read;
}

std::vector<py::object> read_list(const std::string& name, py::handle value,
                                  const std::string& kind) {
  const bool list = PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) ||
                    PyRange_Check(value.ptr()) || py::isinstance<py::array>(value);
  if (!list || (py::isinstance<py::array>(value) && value.attr("ndim").cast<int>() != 1)) {
    refuse_value(name, value, kind);
  }
  std::vector<py::object> members;
  for (const auto& member : value) members.push_back(py::reinterpret_borrow<py::object>(member));
  if (members.empty()) throw UsageError(name + ": is empty");
  return members;
}

py::object Arguments::object(const char* name) {
  known_.insert(name);
  return given_.contains(name) ? py::object(given_[name]) : py::none();
}

std::optional<std::string> Arguments::maybe_text(const char* name) {
  const py::object value = object(name);
  return value.is_none() ? std::nullopt : std::optional(read_text(name, value));
}

std::string Arguments::text(const char* name, const std::string& otherwise) {
  return maybe_text(name).value_or(otherwise);
}

std::string Arguments::path(const char* name) {
  const py::object value = object(name);
  return value.is_none() ? "" : read_text(name, value, true);
}

std::vector<std::string> Arguments::texts(const char* name) {
  const py::object value = object(name);
  if (value.is_none()) return {};
  if (PyUnicode_Check(value.ptr())) return {read_text(name, value)};
  std::vector<std::string> read;
  for (const auto& member : read_list(name, value, "text or a list of texts")) {
    read.push_back(read_text(name, member));
  }
  return read;
}

std::vector<py::object> Arguments::objects(const char* name) {
  const py::object given = object(name);
  if (given.is_none()) return {};
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) return read_list(name, given);
  return {given};
}

std::optional<double> Arguments::quantity(const char* name, const Quantity& range) {
  const py::object value = object(name);
  return value.is_none() ? std::nullopt : std::optional(read_number(name, value, range));
}

std::optional<std::int64_t> Arguments::whole(const char* name, const Quantity& range) {
  const py::object value = object(name);
  return value.is_none() ? std::nullopt : std::optional(read_whole(name, value, range));
}

std::vector<int> Arguments::wholes(const char* name, const Quantity& range) {
  const std::vector<double> read = quantities(name, range.whole());
  return {read.begin(), read.end()};
}

std::vector<double> Arguments::quantities(const char* name, const Quantity& range) {
  const auto one = [&](const py::object& value) {
    return range.integral ? static_cast<double>(read_whole(name, value, range))
                          : read_number(name, value, range);
  };
  const py::object value = object(name);
  if (value.is_none()) return {};
  if (is_number(value)) return {one(value)};
  std::vector<double> read;
  const std::string kind = range.integral ? "whole number" : std::string(range.kind);
  for (const auto& member : read_list(name, value, kind + " or a list of them")) {
    read.push_back(one(member));
  }
  return read;
}

std::uint64_t Arguments::seed() {
  const auto read = whole("seed", units::count().within(0, 9007199254740992.0));
  return static_cast<std::uint64_t>(read.value_or(1));
}

bool Arguments::flag(const char* name) {
  const py::object value = object(name);
  if (value.is_none()) return false;
  if (!PyBool_Check(value.ptr())) refuse_value(name, value, "bool");
  return value.ptr() == Py_True;
}

std::map<std::string, std::int64_t> Arguments::dims() {
  const py::object value = object("dims");
  if (value.is_none()) return {};
  if (!PyDict_Check(value.ptr())) refuse_value("dims", value, "dict of extents by name");
  std::map<std::string, std::int64_t> read;
  for (const auto& [name, extent] : py::reinterpret_borrow<py::dict>(value)) {
    read[read_text("dims", name)] = read_whole("dims", extent, units::count().within(0, 1e15));
  }
  return read;
}

py::object Arguments::progress() {
  const py::object value = object("progress");
  if (!value.is_none() && PyCallable_Check(value.ptr()) == 0) {
    refuse_value("progress", value, "callable");
  }
  return value;
}

void Arguments::remark(const std::string& text, bool warns) {
  if (text.empty()) return;
  remarks_.push_back(text);
  if (warns) py::module_::import("ridgewatt.frames").attr("warn")(escape_terminal(text));
}

void Arguments::refuse(std::initializer_list<const char*> names, const std::string& when,
                       const std::string& advice) {
  for (const char* name : names) {
    const py::object value = object(name);
    if (value.is_none() || value.ptr() == Py_False) continue;
    throw UsageError(std::string(name) + " has no effect " + when, "", advice);
  }
}

void Arguments::done() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, value] : given_) {
    const auto name = key.cast<std::string>();
    if (known_.count(name) > 0) continue;
    throw UsageError("unknown argument", name,
                     hint_for(name, {known, answer::option_synonyms(known)}));
  }
}

}  // namespace ridgewatt::python
