#include "ridgewatt/cli/result_files.h"

#include <filesystem>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/io/output_file.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;

// A value is a file name, a file name with a sweep ("sweep.csv#resnet18"), or a list that contains
// one ("sweep.csv,model=zoo:resnet18").
void note_inputs(const std::string& value) {
  note_input(value);
  for (const auto& part : split(value, ',')) note_input(part.substr(0, part.rfind('#')));
}

// Returns the full path of a result; empty for a stream or device, to which several results may go.
std::string place_of(const std::string& result) {
  std::error_code failed;
  if (result.empty() || result == "-") return "";
  const fs::path real = fs::weakly_canonical(absolute_path(result), failed);
  if (failed) return "";
  return fs::exists(real, failed) && !fs::is_regular_file(real, failed) ? "" : real.string();
}

void check_result(const CLI::Option& option, const std::string& path,
                  std::set<std::string>& places) {
  refuse_input(path);
  if (!is_place(option)) check_output(path);
  const std::string place = place_of(path);
  if (place.empty() || places.insert(place).second) return;
  throw UsageError("two results of this command would be written to the same file", path,
                   "give each result its own file");
}

}  // namespace

std::string figure_path(const std::string& value) {
  const bool prefixed = value.starts_with("svg:") || value.starts_with("html:");
  return prefixed ? value.substr(value.find(':') + 1) : value;
}

void check_results(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (value_name(*option) != "FILE") continue;
    for (const auto& value : option->results()) note_inputs(value);
  }
  std::set<std::string> places;
  for (const CLI::Option* option : command.get_options()) {
    if (value_name(*option) != "OUTPUT") continue;
    for (const auto& value : option->results()) check_result(*option, figure_path(value), places);
  }
}

}  // namespace ridgewatt::cli
