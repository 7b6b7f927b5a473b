#include "ridgewatt/cli/options/vocabulary.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::cli {

CLI::Option* input_file(CLI::Option* option) {
  return option->type_name("FILE");
}

CLI::Option* output_file(CLI::Option* option) {
  return option->type_name("OUTPUT");
}

CLI::Option* list_names(CLI::Option* option, const std::vector<std::string>& names) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); },
                                      "{" + CLI::detail::join(names, ",") + "}"));
}

std::string named_by(const std::string& option) {
  std::string what = option.substr(std::min(option.size(), option.find_first_not_of('-')));
  std::replace(what.begin(), what.end(), '-', ' ');
  return what;
}

CLI::Option* quantity(CLI::Option* option, const Quantity& quantity) {
  option->type_name(quantity.unit.empty() ? (quantity.integral ? "N" : "X")
                                          : std::string(quantity.unit));
  return option->transform(CLI::Validator(
      [quantity](std::string& text) {
        try {
          text = read_quantity(text, quantity);
          return std::string();
        } catch (const UsageError& error) {
          return std::string(error.what());
        }
      },
      "", "quantity"));
}

}  // namespace ridgewatt::cli
