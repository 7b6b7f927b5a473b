#include "ridgewatt/base/contains.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/measure/profile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ridgewatt::measure {
namespace {

// Programs that start another program, and their options that take a value.
struct Starter {
  std::string_view name;                            // "python" also matches python3 and python3.11
  std::array<std::string_view, 4> with_value = {};  // "-n" of "nice -n 5"
  std::size_t values = 0;                           // words before the program: 1 for "timeout 60"
};
constexpr std::array kStarters = std::to_array<Starter>({
    {"python", {"-W", "-X"}},
    {"bash"},
    {"sh"},
    {"env", {"-u", "-C"}},
    {"nice", {"-n"}},
    {"sudo", {"-u", "-g"}},
    {"timeout", {"-s", "-k"}, 1},
    {"taskset", {}, 1},
    {"chrt", {}, 1},
    {"nohup"},
    {"stdbuf", {"-i", "-o", "-e"}},
    {"time"},
});

const Starter* starter_of(std::string_view word) {
  const std::string name = file_name(word);
  const auto found = std::find_if(kStarters.begin(), kStarters.end(), [&](const Starter& starter) {
    if (!name.starts_with(starter.name)) return false;
    return name.find_first_not_of("0123456789.", starter.name.size()) == std::string::npos;
  });
  return found == kStarters.end() ? nullptr : &*found;
}

bool sets_variable(std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.find('/') > equals;
}

// Index of the program that the starter at `at` starts. The end of the command if there is none.
std::size_t program_of(const Starter& starter, const std::vector<std::string>& command,
                       std::size_t at) {
  std::size_t values = starter.values;
  for (++at; at < command.size(); ++at) {
    const std::string& word = command[at];
    const bool takes_value = contains(starter.with_value, word);
    if (takes_value && !word.empty()) {
      ++at;
    } else if (word == "-c") {
      return command.size();  // program text, not a file
    } else if (!word.starts_with('-') && !(starter.name == "env" && sets_variable(word))) {
      if (values == 0) return at;
      --values;
    }
  }
  return at;
}

// The model of a `ridgewatt fake-run` command, without "zoo:". Empty for any other program.
std::string fake_model(const std::vector<std::string>& command, std::size_t at) {
  if (file_name(command[at]) != "ridgewatt" || at + 2 >= command.size()) return "";
  const std::string& model = command[at + 2];
  if (command[at + 1] != "fake-run" || model.starts_with('-')) return "";
  return model.starts_with("zoo:") ? model.substr(4) : model;
}

}  // namespace

std::string workload_name(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  std::size_t at = 0;
  while (const Starter* starter = starter_of(command[at])) {
    const std::size_t next = program_of(*starter, command, at);
    if (next >= command.size()) return command.front();
    at = next;
  }
  const std::string model = fake_model(command, at);
  if (!model.empty()) return model;
  return at == 0 ? command.front() : file_name(command[at]);
}

}  // namespace ridgewatt::measure
