#include "ridgewatt/cli/options/vocabulary.h"

#include "ridgewatt/base/error.h"

namespace ridgewatt::cli {

CLI::Option* input_file(CLI::Option* option) {
  return option->type_name("FILE");
}

CLI::Option* output_file(CLI::Option* option) {
  return option->type_name("OUTPUT");
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
