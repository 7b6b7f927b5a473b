// What a user may say with a question: one row per parameter, from which the options of the command
// line, the HTTP interface with its OpenAPI description, and the keyword arguments of the Python
// package follow.
//
//   const ParameterTable& table = estimate_parameters();
//   for (const Part& part : table.parts)
//     for (const Parameter& row : part.rows) row.access.set(part.of(&question), row, {{30}});
//
// The rows of a question are next to what answers it, in answer/parameters.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/quantity.h"

namespace ridgewatt::answer {

struct Parameter;

// The values of one parameter, as the command line, HTTP or Python read them.
struct Given {
  std::vector<double> numbers = {};  // in SI
  std::vector<std::string> words = {};
  std::vector<std::pair<std::string, double>> pairs = {};  // in SI
};

enum class Input {
  kFlag,
  kNumber,         // of the row's quantity
  kWord,           // one of the choices, where the row has them
  kText,           // any text, which names no file
  kPair,           // NAME=VALUE, of the quantity; in Python a dict
  kRange,          // LEAST:MOST of the quantity; in Python a pair
  kNames,          // split at commas; in Python also a list
  kModel,          // an ONNX file or zoo:NAME; in Python also a Model
  kLanguageModel,  // a file, a folder or zoo:NAME
  kBoard,          // the name of a board, or its file; in Python also a Board
  kModes,          // what select_modes() takes; in Python also a list of names
  kFile,           // a file that is read
  kPoints,         // the same; in Python also a list of modes
  kSweep,          // the same; in Python also a Sweep
};

enum class Surface { kCommandLine, kPython };

// How a row reaches its member: made by access<&Question::member> (answer/parameters/access.h).
struct Access {
  Input input = Input::kWord;
  bool repeated = false;  // the member is a list
  void (*set)(void* part, const Parameter&, const Given&) = nullptr;
  std::string (*get)(const void* part, const Parameter&) = nullptr;  // empty: nothing is set
  std::vector<std::string> (*choices)() = nullptr;                   // of an enum
  bool open = false;  // also accepts values outside the choices, such as a list or a file
};

// Another parameter without which this one has no effect.
struct Needs {
  std::string_view name = {};
  std::string_view or_name = {};                // or this one
  std::string_view how = {};                    // text inserted after "no effect": " of its own"
  std::string_view which = {};                  // "an engine's ", before the name
  std::string_view value = {};                  // that it must have
  bool (*met)(const void* question) = nullptr;  // null: met if the parameter is given
  std::string_view advice = {};
};

enum class Presence {
  kOptional,
  kRequired,
  kLocal,  // without it this machine; a remote user must name one
};

struct Parameter {
  std::string_view name;  // "max-power": --max-power, ?max-power=, max_power_w=
  std::string_view help;  // without the unit, the choices and the default
  Access access;
  Quantity quantity = {};
  Presence presence = Presence::kOptional;
  std::string_view positional = {};  // "MODEL": the argument of the command line
  bool leads = false;                // in Python the first argument, which needs no name
  bool of_model = false;             // has no effect where no model is given
  Needs needs = {};
  std::string_view python = {};      // where it is not the name with the SI unit
  std::string_view example = {};     // of a pair or a range: "sequence=128", "17:50"
  std::optional<Surface> only = {};  // HTTP follows kCommandLine
};

// Rows, and the member of the question that they set.
struct Part {
  std::span<const Parameter> rows;
  void* (*of)(void* question);
};

struct ParameterTable {
  std::string_view command;  // "estimate"; the Python function has its name, too
  std::span<const Part> parts;
  std::shared_ptr<void> (*make)();  // a question with the defaults
};

// "sequence=128", a name and a number of the row's quantity. UsageError that says how it is
// written.
std::pair<std::string, double> parse_pair(const Parameter& row, const std::string& text);
// "17:50", two numbers of the row's quantity, in SI. UsageError that says how they are written.
std::pair<double, double> parse_range(const Parameter& row, const std::string& text);
// Whether a row of this input names a file that is read.
bool reads_file(Input input);
// The name of the keyword argument: "max_power_w".
std::string python_name(const Parameter& row);
// The values that a parameter is limited to; empty: any.
std::vector<std::string> choices_of(const Parameter& row);
// The default as text: a number in its default unit; a list joined by commas. Empty: no default
// that can be stated.
std::string default_of(const Parameter& row, const void* part);
// The help with the syntax of what it takes.
std::string help_of(const Parameter& row);

// A parameter that was given although it has no effect, and what to do about it.
struct Idle {
  std::string what;  // "--epochs has no effect without --dataset-size"
  std::string advice;
};
using IsGiven = std::function<bool(const Parameter&)>;
std::optional<Idle> find_idle(const ParameterTable& table, const void* question, Surface surface,
                              const IsGiven& given);
// The name of a parameter in messages: "--max-power", "max_power_w".
std::string spelled(const Parameter& row, Surface surface);

// Rows that several questions have, each array about one part of a question: HeatQuestion
// (answer/held.h), WorkloadQuestion (answer/workload_question.h), twin::RunOptions.
std::span<const Parameter> heat_rows();
std::span<const Parameter> workload_rows();  // how a model is deployed, the runtime aside
std::span<const Parameter> runtime_rows();
std::span<const Parameter> loader_rows();

// Which programs share a board (ScheduleRequest in answer/serve.h), their requirements, and the
// twin's inputs when no sweeps are given.
std::span<const Parameter> program_rows();
std::span<const Parameter> demand_rows();
std::span<const Parameter> scheduled_model_rows();  // of ScheduledModels
std::span<const Parameter> idle_power_rows();
std::span<const Parameter> busy_share_rows();

// How a point is measured (measure::ProfileOptions), what is held while it runs
// (platform::JetsonModeControl::Options), and the windows of a program that goes on running
// (measure::InPlaceOptions).
std::span<const Parameter> measuring_rows();
std::span<const Parameter> control_rows();
std::span<const Parameter> window_rows();

const ParameterTable& analyze_parameters();
const ParameterTable& estimate_parameters();
const ParameterTable& roofline_parameters();
const ParameterTable& fits_parameters();
const ParameterTable& llm_parameters();
const ParameterTable& tune_llm_parameters();
const ParameterTable& tune_parameters();
const ParameterTable& predict_parameters();
const ParameterTable& pareto_parameters();
const ParameterTable& explain_parameters();
const ParameterTable& layers_parameters();
const ParameterTable& thermal_hold_parameters();
const ParameterTable& plan_parameters();
const ParameterTable& simulate_parameters();
const ParameterTable& zoo_parameters();
const ParameterTable& device_parameters();
// The rows of tune_parameters() for goal and search, for programs on a real or fake board.
const ParameterTable& search_parameters();
// Only in Python: which modes to profile next.
const ParameterTable& suggest_parameters();
// All tables of commands.
std::span<const ParameterTable* const> question_tables();
// The table of a command; null if it has none.
const ParameterTable* find_table(std::string_view command);

}  // namespace ridgewatt::answer
