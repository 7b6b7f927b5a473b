#include "ridgewatt/cli/options/option_rules.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::cli {

bool option_given(const CLI::App& command, std::string_view name) {
  const CLI::Option* option = command.get_option_no_throw(std::string(name));
  return option != nullptr && option->count() > 0;
}

void refuse_without_effect(const CLI::App& command, std::initializer_list<const char*> options,
                           std::string_view when, std::string_view advice) {
  for (const char* name : options) {
    if (!option_given(command, name)) continue;
    throw UsageError(fmt::format("{} has no effect {}", name, when), command.get_name(), advice);
  }
}

void refuse_group(const CLI::App& command, const std::string& group, std::string_view when,
                  std::string_view advice) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() != group) continue;
    refuse_without_effect(command, {option->get_name().c_str()}, when, advice);
  }
}

}  // namespace ridgewatt::cli
