#include "ridgewatt/cli/options/vocabulary.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::cli {
namespace {

constexpr char kWords[] = "words", kList[] = "list of words", kPlace[] = "place";

}  // namespace

CLI::Option* input_file(CLI::Option* option) {
  return option->type_name("FILE");
}

CLI::Option* output_file(CLI::Option* option) {
  return option->type_name("OUTPUT");
}

CLI::Option* output_place(CLI::Option* option) {
  const CLI::Validator mark([](std::string&) { return std::string(); }, "", kPlace);
  return output_file(option)->check(mark);
}

bool is_place(const CLI::Option& option) {
  return find_validator(option, kPlace) != nullptr;
}

CLI::Option* list_names(CLI::Option* option, const std::vector<std::string>& names) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); },
                                      "{" + CLI::detail::join(names, ",") + "}"));
}

// CLI11 can attach a function to an option only as a validator. This one is inactive; proposed_by()
// calls it, and it returns a line with name, tab and description for each name.
CLI::Option* proposes(CLI::Option* option, const answer::WordSources& words) {
  if (words.empty()) return option;
  CLI::Validator lines(
      [words](const std::string& device) {
        std::string text;
        for (const auto& [word, description] : answer::words_of(words, device)) {
          text += word + '\t' + description + '\n';
        }
        return text;
      },
      "", words.list ? kList : kWords);
  return option->check(lines.active(false));
}

const CLI::Validator* find_validator(const CLI::Option& option, const std::string& name) {
  try {
    return const_cast<CLI::Option&>(option).get_validator(name);
  } catch (const CLI::OptionNotFound&) {  // CLI11 has no function that tests this
    return nullptr;
  }
}

bool takes_list(const CLI::Option& option) {
  return option.get_delimiter() == ',' || find_validator(option, kList) != nullptr;
}

std::vector<answer::Word> proposed_by(const CLI::Option& option, const std::string& device) {
  std::vector<answer::Word> words;
  for (const char* name : {kWords, kList}) {
    const CLI::Validator* found = find_validator(option, name);
    if (found == nullptr) continue;
    for (const auto& line : split(CLI::Validator(*found).active()(device), '\n')) {
      const auto tab = line.find('\t');
      if (tab != std::string::npos) words.push_back({line.substr(0, tab), line.substr(tab + 1)});
    }
  }
  return words;
}

std::string named_by(std::string_view option) {
  std::string what(option.substr(std::min(option.size(), option.find_first_not_of('-'))));
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
          if (quantity.scale() != 1) text = format_exact(quantity.to_si(*parse_double(text)));
          return std::string();
        } catch (const UsageError& error) {
          return std::string(error.what());
        }
      },
      "", "quantity"));
}

}  // namespace ridgewatt::cli
