// Options whose values are the names of an enum (base/enum_names.h).
//
//   choice(*command, "--sharing", options.sharing, "How both share the
//   GPU")->capture_default_str(); add_training(*command, options.kind);
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::cli {

// Adds an option that takes a name of the enum; any other is a UsageError that lists them.
template <typename E>
CLI::Option* choice(CLI::App& command, const std::string& name, E& target,
                    const std::string& description) {
  std::string what = name.substr(std::min(name.size(), name.find_first_not_of('-')));
  std::replace(what.begin(), what.end(), '-', ' ');
  CLI::Option* option = command.add_option_function<std::string>(
      name, [&target, what](const std::string& text) { target = parse<E>(text, what); },
      description);
  return option->default_function([&target] { return std::string(name_of(target)); });
}

// The same, with the names in the help.
template <typename E>
CLI::Option* listed_choice(CLI::App& command, const std::string& name, E& target,
                           const std::string& description) {
  return choice(command, name, target, description)->check(CLI::IsMember(names<E>()));
}

// An option of several, with the names in the help.
template <typename E>
CLI::Option* listed_choices(CLI::App& command, const std::string& name, std::vector<E>& target,
                            const std::string& description) {
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(
      name,
      [&target](const std::vector<std::string>& texts) {
        target.clear();
        for (const auto& text : texts) target.push_back(parse<E>(text, "value"));
      },
      description);
  option->default_function([&target] {
    std::vector<std::string> texts;
    for (const E value : target) texts.emplace_back(name_of(value));
    return CLI::detail::to_string(texts);
  });
  return option->check(CLI::IsMember(names<E>()));
}

// Adds --training.
inline void add_training(CLI::App& command, WorkloadKind& kind,
                         const std::string& description = "A training step instead of inference") {
  command.add_flag_callback(
      "--training", [&kind] { kind = WorkloadKind::kTraining; }, description);
}

}  // namespace ridgewatt::cli
