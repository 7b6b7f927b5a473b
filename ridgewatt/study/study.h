// A study: a question with a designed experiment that answers it, described in a TOML file
// (docs/reference/study_file.md).
//
//   const Study study = load_study("batch");             // a shipped study, or a path
//   for (const StudyRun& run : plan_study(study, 1)) ..  // blocked and randomized
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::study {

struct StudyFactor {
  std::string name;  // a knob (cpu_cores, gpu_mhz, .., governor), or a {name} in the command
  std::vector<std::string> levels;  // in the order of the file
  // For a knob: number of levels, evenly spaced in its table of values. 0: use `levels`.
  // CommandBench::prepare() resolves it.
  int level_count = 0;
  std::map<std::string, std::string> texts;  // text that replaces a level in the command
  // Allowed levels. Empty: the keys of `texts` if every level has a text, otherwise any
  // word.
  std::vector<std::string> choices;
  // Range of numeric levels. Default for the factor `batch`: 1 to 2^20.
  std::optional<double> minimum, maximum;
  bool given = false;  // the user replaced the levels
  // False: results are averaged over the levels of this factor, and its own effect is not reported.
  bool asked = true;
  // True: if the board cannot set the factor, the study runs without it.
  bool optional = false;
  // Shell command per level. If the command fails, the level is left out.
  std::map<std::string, std::string> needs;
};

// True if `name` is a knob of a board, or "governor" or "gpu_governor".
bool is_board_factor(std::string_view name);

struct Study {
  std::string name;
  std::string title;
  std::string question;
  std::string workload;
  std::string kind = "inference";
  std::vector<StudyFactor> factors;
  int repeats = 5;           // number of blocks
  std::string command;       // Shell command. {factor} and {parameter} are replaced.
  std::string fake_command;  // Command on a fake board. Empty: `command`.
  std::string check;     // Shell command that fails if `command` cannot run here. Empty: no check.
  std::string fallback;  // Command to use if `check` fails. Empty: an error.
  std::string setup;     // shell command before the first run
  std::string before;    // shell command before each run, not measured
  std::vector<std::string> needs;      // required programs
  std::vector<std::string> responses;  // Responses to report. Empty: all.
  std::map<std::string, std::string> parameters;
  std::string text;  // text of the file
};

// Throws InputError with `source` and the key.
Study parse_study(std::string_view toml, const std::string& source);
// Loads a shipped study by its name, or a file (any text with a '/' or ending in .toml). Throws
// NotFoundError for an unknown name, and the exceptions of read_file() and parse_study().
Study load_study(const std::string& name_or_path);
std::vector<std::string> list_studies();

// A user's changes to a study: "NAME=VALUE" for parameters and "FACTOR=LEVEL,LEVEL" for factors
// (case and separators in names do not matter), and the number of blocks. 0: keep that of the
// study.
struct StudyChanges {
  std::vector<std::string> parameters, levels;
  int repeats = 0;
};
// Throws UsageError that names an invalid option, or a level that is empty, given twice, out of the
// range of the factor, or not one of its words. CommandBench::prepare() checks the levels of knobs
// and governors against the board.
void change_study(Study& study, const StudyChanges& changes);

using StudyCell = std::vector<std::string>;  // one level of each factor

struct StudyRun {
  StudyCell cell;
  std::string block;
};
// Returns every combination of levels (cell) once per block, in a random order per block. The same
// seed gives the same plan. Throws UsageError for more than 100,000 runs.
std::vector<StudyRun> plan_study(const Study& study, std::uint64_t seed);

// Returns `text` with each {name} replaced by the text of the factor's level or of the parameter.
// Throws UsageError for an unknown name.
std::string fill_command(const std::string& text, const Study& study, const StudyCell& cell);

// The results of a run: "time_s", "energy_j", "power_w", "minibatch_s", "minibatch_energy_j",
// "stall_s", "compute_s", "cpu_s", "peak_memory_bytes", "phase NAME (s)", "value NAME" (reported by
// the program). If the study requests them, also "cpu_load", "gpu_load", "memory_used_bytes",
// "cpu_clock_hz" and "gpu_clock_hz" of the whole machine. Unavailable results are absent.
using Responses = std::map<std::string, double>;

struct StudyResult {
  StudyCell cell;
  std::string block;
  Responses responses;
};

}  // namespace ridgewatt::study
