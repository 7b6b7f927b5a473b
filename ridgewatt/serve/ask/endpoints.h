// The commands that the server can run for clients, and the options allowed for each: every
// question with a table of parameters (answer/parameter.h), and a few others. Anything else cannot
// be requested. No allowed option names a file of this machine, writes a file, or controls the
// server's board.
//
//   const Endpoint* endpoint = find_endpoint("estimate");
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/answer/parameter.h"

namespace ridgewatt::serve {

// The kind of values that a parameter accepts.
enum class ValueKind {
  kFlag,    // 1 or true
  kNumber,  // a number with a unit, as on the command line
  kWord,    // a name, a list of names or a range, but not a file
  kNames,   // names that may contain a dot ("llama.cpp") and are not files
  kText,    // any text that the command does not take for a file
  kModel,   // zoo:NAME or upload:ID
  kBoard,   // a board listed by `device list`
  kUpload,  // upload:ID
  kStore,   // number of a --store option of the server
};

struct EndpointOption {
  std::string_view name;  // Name of the parameter. With "--" before it, the name of the option.
  ValueKind kind;
  // Name of the positional argument in the help. Empty: it is an option.
  std::string_view positional = {};
  // Whether the API requires it. True if the command would do something else without it.
  bool required = false;
  bool several = false;  // the parameter can be repeated
  // Row in the parameter table of the question. Null: none.
  const answer::Parameter* row = nullptr;
  std::string otherwise = {};  // default value in the row
};

struct Endpoint {
  std::string path;          // path after /api/v1/
  std::string_view command;  // "schedule plan"
  std::string_view summary;
  std::vector<EndpointOption> options = {};
  bool lasting = true;           // whether an answer stays the same while the server runs
  bool answers_csv = false;      // the command answers only in CSV, never in JSON
  std::string_view unless = {};  // if this parameter is given, no other parameter is required
};

std::span<const Endpoint> endpoints();
const Endpoint* find_endpoint(std::string_view path);

// Parameters of every endpoint: format, seed; for tables also top and sort; and strict, columns and
// figures if the command has --columns and --with-figures.
std::span<const EndpointOption> common_options();

}  // namespace ridgewatt::serve
