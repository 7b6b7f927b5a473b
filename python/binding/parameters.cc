#include "python/binding/parameters.h"

#include "python/binding/questions.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::python {
namespace {

using answer::Given;
using answer::Input;
using answer::Parameter;
using workload::DeployedWorkload;

bool is_argument(const Parameter& row) {
  return row.only != answer::Surface::kCommandLine;
}

bool is_given(Arguments& asked, const Parameter& row) {
  if (!is_argument(row)) return false;
  const py::object value = asked.object(python_name(row).c_str());
  return !value.is_none() && value.ptr() != Py_False;
}

Given numbers_of(Arguments& asked, const Parameter& row, const std::string& name) {
  const Quantity range = row.quantity.in_si();
  if (row.access.repeated) return {.numbers = asked.quantities(name.c_str(), range)};
  if (range.integral) {
    return {.numbers = {static_cast<double>(*asked.whole(name.c_str(), range))}};
  }
  return {.numbers = {*asked.quantity(name.c_str(), range)}};
}

Given range_of(Arguments& asked, const Parameter& row, const std::string& name) {
  const auto ends = read_list(name, asked.object(name.c_str()));
  const Quantity range = row.quantity.in_si();
  if (ends.size() != 2) {
    throw UsageError(name + ": (least, most) in " + std::string(range.unit) + " is needed");
  }
  return {.numbers = {read_number(name, ends[0], range), read_number(name, ends[1], range)}};
}

Given pairs_of(Arguments& asked, const Parameter& row, const std::string& name) {
  const py::object value = asked.object(name.c_str());
  const Quantity range = row.quantity.in_si();
  if (!PyDict_Check(value.ptr())) {
    throw UsageError(name + ": a dict of numbers by name is needed");
  }
  Given given;
  for (const auto& [key, number] : py::reinterpret_borrow<py::dict>(value)) {
    const std::string text = read_text(name, key);
    given.pairs.emplace_back(text, range.integral
                                       ? static_cast<double>(read_whole(name, number, range))
                                       : read_number(name, number, range));
  }
  return given;
}

// The models that are given as files or zoo:NAME. The others are Models.
std::vector<std::string> model_files(Arguments& asked, const std::string& name) {
  std::vector<std::string> files;
  for (const py::object& one : asked.objects(name.c_str())) {
    if (!py::isinstance<DeployedWorkload>(one)) files.push_back(read_text(name, one, true));
  }
  return files;
}

Given values_of(Arguments& asked, const Parameter& row, const std::string& name) {
  switch (row.access.input) {
    case Input::kFlag:
      return {};
    case Input::kNumber:
      return numbers_of(asked, row, name);
    case Input::kPair:
      return pairs_of(asked, row, name);
    case Input::kRange:
      return range_of(asked, row, name);
    case Input::kBoard:
      return {.words = {device_of(asked)}};
    case Input::kModes:
    case Input::kNames:
      return {.words = {joined_texts(asked, name.c_str())}};
    case Input::kModel:
      if (row.access.repeated) return {.words = model_files(asked, name)};
      return {.words = {asked.path(name.c_str())}};
    case Input::kLanguageModel:
    case Input::kFile:
    case Input::kPoints:
    case Input::kSweep:
      return {.words = {asked.path(name.c_str())}};
    case Input::kWord:
    case Input::kText:
      return {.words = asked.texts(name.c_str())};
  }
  return {};
}

const char* kind_of(const Parameter& row) {
  switch (row.access.input) {
    case Input::kFlag:
      return "flag";
    case Input::kNumber:
      return row.quantity.integral ? "whole" : "number";
    case Input::kPair:
      return row.quantity.integral ? "extents" : "pairs";
    case Input::kBoard:
      return "board";
    case Input::kModes:
    case Input::kNames:
      return "names";
    case Input::kModel:
      return "model";
    case Input::kLanguageModel:
    case Input::kFile:
      return "file";
    case Input::kRange:
      return "range";
    case Input::kPoints:
      return "points";
    case Input::kSweep:
      return "sweep";
    case Input::kWord:
    case Input::kText:
      return "word";
  }
  return "";
}

// Returns the default as text in SI units.
std::string default_shown(const Parameter& row, const void* part) {
  const std::string text = default_of(row, part);
  if (text.empty() || row.access.input != Input::kNumber) return text;
  std::string shown;
  for (const std::string& one : split(text, ',')) {
    shown += (shown.empty() ? "" : ", ") + format_exact(quantity_value(one, row.quantity));
  }
  return shown;
}

py::dict described(const Parameter& row, const void* part) {
  py::dict entry;
  entry["name"] = python_name(row);
  entry["kind"] = kind_of(row);
  entry["repeated"] = row.access.repeated;
  entry["required"] = row.presence == answer::Presence::kRequired;
  entry["positional"] = row.leads || !row.positional.empty();
  entry["help"] = help_of(row);
  entry["unit"] = std::string(row.quantity.in_si().unit);
  entry["default"] = default_shown(row, part);
  entry["choices"] = list_of(choices_of(row));
  return entry;
}

py::list described(const answer::ParameterTable& table) {
  py::list rows;
  const auto question = table.make();
  for (const answer::Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (is_argument(row)) rows.append(described(row, part.of(question.get())));
    }
  }
  return rows;
}

void refuse_deployment(Arguments& asked, const answer::WorkloadQuestion& question) {
  for (const auto& rows : {answer::workload_rows(), answer::runtime_rows()}) {
    for (const Parameter& row : rows) {
      const bool compared = row.name == "runtime" && question.all_runtimes;
      if (row.access.input == Input::kModel || compared) continue;
      asked.refuse({python_name(row).c_str()}, "with a Model",
                   "it was given when the Model was made");
    }
  }
}

answer::GivenNames names_given(Arguments& asked, const answer::ParameterTable& table) {
  answer::GivenNames given;
  for (const answer::Part& part : table.parts) {
    for (const Parameter& row : part.rows) {
      if (is_given(asked, row)) given.insert(row.name);
    }
  }
  return given;
}

}  // namespace

void fill(Arguments& asked, std::span<const Parameter> rows, void* part) {
  for (const Parameter& row : rows) {
    const std::string name = python_name(row);
    if (row.access.input == Input::kFlag && is_argument(row)) asked.flag(name.c_str());
    if (!is_given(asked, row)) continue;
    if (row.access.input == Input::kSweep || row.access.input == Input::kPoints) continue;
    const bool model = row.access.input == Input::kModel;
    if (model && py::isinstance<DeployedWorkload>(asked.object(name.c_str()))) continue;
    row.access.set(part, row, values_of(asked, row, name));
  }
}

void fill(Arguments& asked, const answer::ParameterTable& table, void* question) {
  for (const answer::Part& part : table.parts) fill(asked, part.rows, part.of(question));
}

std::shared_ptr<const DeployedWorkload> workload_of(Arguments& asked,
                                                    answer::WorkloadQuestion& question) {
  const py::object given = asked.object("model");
  if (py::isinstance<DeployedWorkload>(given)) {
    refuse_deployment(asked, question);
    const auto workload = given.cast<std::shared_ptr<DeployedWorkload>>();
    question.kind = workload->options().kind;
    question.runtime = workload->options().runtime;
    return workload;
  }
  if (question.model.empty()) return nullptr;
  return without_gil([&] { return question.load(); });
}

void check(Arguments& asked, const answer::ParameterTable& table, const void* question,
           std::span<const answer::AskedForm> forms) {
  const auto idle =
      find_idle(table, question, answer::Surface::kPython, names_given(asked, table), forms);
  if (idle) throw UsageError(idle->what, "", idle->advice);
}

void bind_parameters(py::module_& module) {
  module.def("_parameters", [] {
    py::dict tables;
    for (answer::ParameterTableOf* const table : answer::kParameterTables) {
      tables[py::str(std::string(table().command))] = described(table());
    }
    const py::list search = described(answer::search_parameters());
    tables["tune program"] = described(answer::program_parameters()) + search;
    tables["tune in place"] = described(answer::in_place_parameters()) + search;
    tables["suggest"] = described(answer::suggest_parameters());
    return tables;
  });
}

}  // namespace ridgewatt::python
