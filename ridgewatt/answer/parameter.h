// Tables of the parameters of each question, one row per parameter. Command-line options, HTTP
// parameters with their OpenAPI description, and keyword arguments of the Python package are
// derived from these rows.
//
//   const ParameterTable& table = estimate_parameters();
//   for (const Part& part : table.parts)
//     for (const Parameter& row : part.rows) row.access.set(part.of(&question), row, {{30}});
//
// The rows of each question are in the folder answer/parameters.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/answer/words.h"
#include "ridgewatt/base/quantity.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::answer {

struct Parameter;

// The values of one parameter as parsed from the command line, HTTP or Python.
struct Given {
  std::vector<double> numbers = {};  // in SI units
  std::vector<std::string> words = {};
  std::vector<std::pair<std::string, double>> pairs = {};  // name and value in SI units
};

enum class Input {
  kFlag,
  kNumber,         // a number of the row's quantity
  kWord,           // one of the row's choices, if it has choices
  kText,           // any text that is not the name of a file
  kPair,           // NAME=VALUE with a value of the row's quantity; in Python a dict
  kRange,          // LEAST:MOST with values of the row's quantity; in Python a pair
  kNames,          // names separated by commas; in Python also a list
  kModel,          // ONNX file or zoo:NAME; in Python also a Model
  kLanguageModel,  // file, folder or zoo:NAME
  kBoard,          // name of a board or board file; in Python also a Board
  kModes,          // see select_modes(); in Python also a list of names
  kFile,           // a file that is read
  kPoints,         // a file of modes or points; in Python also a list of modes
  kSweep,          // a CSV file; in Python also a Sweep
};

enum class Surface { kCommandLine, kPython };

// Functions that read and write the member of a row; created by access<&Question::member>
// (answer/parameters/access.h).
struct Access {
  Input input = Input::kWord;
  bool repeated = false;  // whether the member is a list
  void (*set)(void* part, const Parameter&, const Given&) = nullptr;
  // Empty string: the member is not set.
  std::string (*get)(const void* part, const Parameter&) = nullptr;
  std::vector<std::string> (*choices)() = nullptr;  // names of the enum's values
  bool open = false;  // whether values outside the choices are accepted, such as a list or a file
};

// Another parameter, without which this parameter has no effect.
struct Needs {
  std::string_view name = {};
  std::string_view or_name = {};  // an alternative to `name`
  std::string_view how = {};      // text inserted after "no effect", such as " of its own"
  std::string_view which = {};    // text before the name, such as "an engine's "
  std::string_view value = {};    // value that the other parameter must have; empty: any
  bool (*met)(const void* question) = nullptr;  // null: met if the parameter is given
  std::string_view advice = {};
};

// A form of a question, such as "with a sweep". A parameter without effect in this form has the
// form in its `idle_in`.
struct Form {
  unsigned bit = 0;              // 1 << its number among the forms of the question
  std::string_view when = {};    // "with --sweep"
  std::string_view python = {};  // "with a sweep"; empty: as `when`
  std::string_view advice = {};
  constexpr bool operator==(const Form& other) const { return bit == other.bit; }
};
// A set of forms: `kSweep | kSamples`.
struct Forms {
  unsigned bits = 0;
  constexpr Forms() = default;
  constexpr Forms(const Form& form) : bits(form.bit) {}
  constexpr bool has(const Form& form) const { return (bits & form.bit) != 0; }
};
constexpr Forms operator|(Forms a, const Forms& b) {
  a.bits |= b.bits;
  return a;
}

enum class Presence {
  kOptional,
  kRequired,
  kLocal,  // optional, with this machine as default; required from remote users
};

struct Parameter {
  std::string_view name;  // "max-power" for --max-power, ?max-power= and max_power_w=
  std::string_view help;  // without the unit, the choices and the default
  Access access;
  Quantity quantity = {};
  // For kPair: returns the quantity of the value with this name; null: `quantity`. The quantity
  // determines the default unit of a number.
  Quantity (*quantity_named)(std::string_view name) = nullptr;
  Presence presence = Presence::kOptional;
  // Name of the positional argument on the command line ("MODEL"); empty: an option.
  std::string_view positional = {};
  bool leads = false;     // whether it is the first, positional argument in Python
  bool of_model = false;  // has no effect without a model
  Needs needs = {};
  std::string_view python = {};   // name in Python, if it differs from python_name()'s rule
  std::string_view example = {};  // for kPair and kRange: "sequence=128", "17:50"
  // The only interface that has the parameter. Absent: all. HTTP counts as kCommandLine.
  std::optional<Surface> only = {};
  Forms idle_in = {};  // forms of the question in which it has no effect
  // What completion proposes; empty: the default of its type of input. See proposed_words().
  WordSources words = {};
};

// Rows, and a function that returns the member of the question to which they belong.
struct Part {
  std::span<const Parameter> rows;
  void* (*of)(void* question);
  Forms idle_in = {};  // forms in which none of the rows has an effect
};

struct ParameterTable {
  std::string_view command;  // "schedule plan"; a single word is also the Python function
  std::vector<Part> parts;
  std::shared_ptr<void> (*make)();    // creates a question with default values
  std::string_view description = {};  // in the help and in the OpenAPI document
  std::string_view example = {};  // lines of the help, the first of which runs in an empty folder
  // HTTP path after /api/v1/; empty: the command with slashes, "schedule/plan".
  std::string_view path = {};
  std::string_view unless = {};  // over HTTP: the parameter that makes all others optional
};

// Parses a name and a number of the row's quantity ("sequence=128") into the name and the value in
// SI units. Throws UsageError, which states the syntax.
std::pair<std::string, double> parse_pair(const Parameter& row, const std::string& text);
// Parses two numbers of the row's quantity ("17:50"), or one number that is both ends, into SI
// units. Throws UsageError, which states the syntax.
std::pair<double, double> parse_range(const Parameter& row, const std::string& text);
// Returns whether a parameter of this type names a file to read.
bool reads_file(Input input);
// Returns the name of the Python keyword argument: `row.python`, or else the name with the SI unit
// ("max_power_w").
std::string python_name(const Parameter& row);
// Returns the values to which a parameter is limited; empty: any value.
std::vector<std::string> choices_of(const Parameter& row);
// Returns the default in `part` as text: a number in its default unit, or a list joined by commas.
// Empty: no default that can be stated.
std::string default_of(const Parameter& row, const void* part);
// Returns the help text, with the syntax of the value.
std::string help_of(const Parameter& row);
// Returns what completion proposes in addition to the choices: the sources of the row, or those of
// its input.
WordSources proposed_words(const Parameter& row);

// A form of a question, described in the words of one interface.
struct AskedForm {
  AskedForm(const Form& form, Surface surface);
  Form form;
  std::string when, advice;
};
// What the user gave for a question: names of rows.
using GivenNames = std::set<std::string_view>;
// A parameter that was given but has no effect, and how to correct this.
struct Idle {
  std::string what;  // "--epochs has no effect without --dataset-size"
  std::string advice;
};
// Returns the first given parameter that needs a missing parameter or, without one, the first given
// parameter that has no effect in one of the forms. Absent if there is neither.
std::optional<Idle> find_idle(const ParameterTable& table, const void* question, Surface surface,
                              const GivenNames& given, std::span<const AskedForm> forms = {});
// Returns the name of a parameter in messages: "--max-power" or "max_power_w".
std::string spelled(const Parameter& row, Surface surface);

// Rows that several questions share. Each array belongs to one member of a question: HeatQuestion
// (answer/held.h), WorkloadQuestion (answer/workload_question.h) or twin::RunOptions.
std::span<const Parameter> heat_rows();
std::span<const Parameter> workload_rows();  // how a model is deployed, except its runtime
std::span<const Parameter> runtime_rows();
std::span<const Parameter> loader_rows();

// For ScheduleRequest (answer/serve.h): the programs that share a board, their requirements, and
// the inputs of the twin if models replace sweeps.
std::span<const Parameter> program_rows();
std::span<const Parameter> demand_rows();
std::span<const Parameter> scheduled_model_rows();  // for ScheduledModels
std::span<const Parameter> idle_power_rows();
std::span<const Parameter> busy_share_rows();

// How a point is measured (measure::ProfileOptions), which controls are set during it
// (platform::JetsonModeControl::Options), and the measurement windows of a continuously running
// program (measure::InPlaceOptions).
std::span<const Parameter> measuring_rows();
std::span<const Parameter> control_rows();
std::span<const Parameter> window_rows();
std::span<const Parameter> job_rows();  // goals of a job, a period or a day (JobQuestion)

// The tables of all commands. They are declared and listed only here.
using ParameterTableOf = const ParameterTable&();
ParameterTableOf analyze_parameters, estimate_parameters, explain_parameters, roofline_parameters,
    tune_parameters, pareto_parameters, predict_parameters, fits_parameters, llm_parameters,
    tune_llm_parameters, layers_parameters, thermal_hold_parameters, plan_parameters,
    simulate_parameters, device_parameters, zoo_parameters;
inline constexpr ParameterTableOf* kParameterTables[] = {
    analyze_parameters, estimate_parameters, explain_parameters, roofline_parameters,
    tune_parameters,    pareto_parameters,   predict_parameters, fits_parameters,
    llm_parameters,     tune_llm_parameters, layers_parameters,  thermal_hold_parameters,
    plan_parameters,    simulate_parameters, device_parameters,  zoo_parameters};
// Rows of tune_parameters() for goal and search. They also apply to programs on a real or fake
// board.
const ParameterTable& search_parameters();
// Which modes to profile next; only in Python.
const ParameterTable& suggest_parameters();

// A word that users try in place of an option: "fps" for "arrival-rate".
struct OptionWord {
  std::string_view word;
  std::string_view option;
  std::string_view value = "";
};
// All words. A word may have several rows for different options. The first row whose option exists
// in the command applies.
std::span<const OptionWord> option_words();
// Returns the words that users try in place of `options`, with the option that each means. Options
// and words have the form of the command line ("--max-power") or of Python ("max_power_w").
//   hint_for("--fps", {options, option_synonyms(options)});   // "did you mean --arrival-rate?"
//   hint_for("--fp16", {options, option_synonyms(options)});  // "did you mean --precision fp16?"
std::vector<Synonym> option_synonyms(const std::vector<std::string>& options);

}  // namespace ridgewatt::answer
