// Options whose values are the names of an enum (base/enum_names.h).
//
//   choice(*command, "--sharing", options.sharing, "How both share the
//   GPU")->capture_default_str(); add_training(*command, options.kind);
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::cli {

// Shows the names in the help and to completion; the option's own function reads them.
inline CLI::Option* list_names(CLI::Option* option, const std::vector<std::string>& names) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); },
                                      "{" + CLI::detail::join(names, ",") + "}"));
}

// "--kv-type" names a "kv type".
inline std::string named_by(const std::string& option) {
  std::string what = option.substr(std::min(option.size(), option.find_first_not_of('-')));
  std::replace(what.begin(), what.end(), '-', ' ');
  return what;
}

// Adds an option that takes a name of the enum; any other is a UsageError (base/enum_names.h).
template <typename E>
CLI::Option* choice(CLI::App& command, const std::string& name, E& target,
                    const std::string& description) {
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [&target, what = named_by(name)](const std::string& text) {
        target = parse_word<E>(text, what);
      },
      description);
  return option->default_function([&target] { return std::string(name_of(target)); });
}

// The same, with the names in the help.
template <typename E>
CLI::Option* listed_choice(CLI::App& command, const std::string& name, E& target,
                           const std::string& description) {
  return list_names(choice(command, name, target, description), names<E>());
}

// An option that takes one of some names that are no enum; `target`: a text, or an optional one.
template <typename Text>
CLI::Option* name_choice(CLI::App& command, const std::string& name, Text& target,
                         const NameSet& set, const std::string& description) {
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [&target, set, what = named_by(name)](const std::string& text) {
        target = require_name(what, text, set);
      },
      description);
  if constexpr (std::is_same_v<Text, std::string>) {
    option->default_function([&target] { return target; });
  }
  return list_names(option, set.names);
}

// An option of several, with the names in the help.
template <typename E>
CLI::Option* listed_choices(CLI::App& command, const std::string& name, std::vector<E>& target,
                            const std::string& description) {
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(
      name,
      [&target, what = named_by(name)](const std::vector<std::string>& texts) {
        target.clear();
        for (const auto& text : texts) target.push_back(parse_word<E>(text, what));
      },
      description);
  option->default_function([&target] {
    std::vector<std::string> texts;
    for (const E value : target) texts.emplace_back(name_of(value));
    return CLI::detail::to_string(texts);
  });
  return list_names(option, names<E>());
}

// Adds --training.
inline void add_training(CLI::App& command, WorkloadKind& kind,
                         const std::string& description = "A training step instead of inference") {
  command.add_flag_callback(
      "--training", [&kind] { kind = WorkloadKind::kTraining; }, description);
}

}  // namespace ridgewatt::cli
