#include "ridgewatt/cli/help/reference.h"

#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

const char* kind_of(const CLI::Option& option) {
  if (is_flag(option)) return "flag";
  if (takes_quantity(option)) return "number";
  if (value_name(option) == "FILE") return "input";
  return value_name(option) == "OUTPUT" ? "output" : "text";
}

report::OptionReference option_reference(const CLI::Option& option) {
  return {.names = option.get_positional() ? std::vector{option.get_name(true, false)}
                                           : split(option.get_name(false, true), ','),
          .kind = kind_of(option),
          .value = value_name(option),
          .positional = option.get_positional(),
          .required = option.get_required(),
          .repeats = option.get_expected_max() > 1,
          .description = option.get_description(),
          .otherwise = option.get_default_str(),
          .choices = choices_of(option),
          .group = option.get_group()};
}

std::string example_of(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const auto start = footer.find("Example:\n");
  return start == std::string::npos ? "" : footer.substr(start + 9);
}

}  // namespace

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return split(type.substr(open + 1, close - open - 1), ',');
}

bool takes_quantity(const CLI::Option& option) {
  return find_validator(option, "quantity") != nullptr;
}

report::CommandReference reference_of(const CLI::App& app) {
  report::CommandReference reference{.name = full_name(app),
                                     .group = app.get_group(),
                                     .description = app.get_description(),
                                     .example = example_of(app)};
  for (const CLI::Option* option : app.get_options()) {
    reference.options.push_back(option_reference(*option));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) reference.commands.push_back(reference_of(*command));
  }
  return reference;
}

}  // namespace ridgewatt::cli
