// Which questions the server asks the program, and with which of its options: what is not in this
// table cannot be asked. No option names a file of this machine, writes one, or talks to the
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

// What a parameter may say.
enum class ValueKind {
  kFlag,    // 1 or true
  kNumber,  // with a unit, as the command line reads it
  kWord,    // a name, a list of names, a range; of no file
  kNames,   // names that may have a dot ("llama.cpp"), and are no files
  kText,    // anything that the command takes for no file
  kModel,   // zoo:NAME or upload:ID
  kBoard,   // a board of `device list`
  kUpload,  // upload:ID
  kStore,   // number of a --store of the server
};

struct EndpointOption {
  std::string_view name;  // of the parameter; "--" before it makes the option
  ValueKind kind;
  std::string_view positional = {};        // its name in the help; empty: is an option
  bool required = false;                   // by the API, where the command would do something else
  bool several = false;                    // the parameter may be repeated
  const answer::Parameter* row = nullptr;  // of the question's table, where it has one
  std::string otherwise = {};              // the default of the row
};

struct Endpoint {
  std::string_view path;     // behind /api/v1/
  std::string_view command;  // "schedule plan"
  std::string_view summary;
  std::vector<EndpointOption> options = {};
  bool lasting = true;       // the same question has the same answer, as long as the server runs
  bool answers_csv = false;  // and never JSON
  std::string_view unless = {};  // with this parameter nothing is required
};

std::span<const Endpoint> endpoints();
const Endpoint* find_endpoint(std::string_view path);

// Parameters that every endpoint has: format, seed, and of tables top and sort; strict, columns and
// figures where the command has --columns and --with-figures.
std::span<const EndpointOption> common_options();

}  // namespace ridgewatt::serve
