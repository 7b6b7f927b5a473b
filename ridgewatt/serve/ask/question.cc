#include "ridgewatt/serve/ask/question.h"

#include <algorithm>
#include <charconv>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"

namespace ridgewatt::serve {
namespace {

constexpr std::size_t kValueLimitBytes = 2000;  // chosen: enough for the names of a hundred presets
constexpr int kFirstDescriptor = 3;
constexpr std::string_view kSort = "sort";  // -COLUMN means in descending order

[[noreturn]] void refuse_value(std::string_view name, const std::string& why) {
  throw HttpError(400, std::string(name) + ": " + why);
}

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of(std::string_view text, std::string_view marks) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
  });
}

// A word with a folder or a file extension could name a file, so it is rejected.
bool may_name_file(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/' || text[i] == '\\') return true;
    const bool number = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (text[i] == '.' && !number) return true;
  }
  return false;
}

void check_board(std::string_view name, const std::string& value) {
  if (value == kLocalBoard ? !has_local_board() : fake_name(value).has_value()) {
    refuse_value(name,
                 "questions about this machine are not answered: name a board of /api/v1/devices");
  }
  const bool named = is_of(value, "-_@.") && !may_name_file(value);  // for example "agx-orin@jp5.1"
  if (!named) refuse_value(name, "is not the name of a board");
  // Checked here because the hint of the command is for a program that reads files.
  const std::string board = value.substr(0, value.find('@'));
  if (value == "all" || value == kLocalBoard || find_meant(board, board_names())) return;
  refuse_value(
      name, "there is no board '" + board + "': " +
                did_you_mean(board, board_names(), "choose one of " + joined_names(list_boards())));
}

void check_word(const EndpointOption& option, const std::string& value) {
  if (option.kind == ValueKind::kWord && may_name_file(value))
    refuse_value(option.name, "the server does not read files of its machine");
  if (!is_of(value, "-_.,=@+: *%"))
    refuse_value(option.name, "contains a character that no name has");
}

class Builder {
 public:
  Builder(const Endpoint& endpoint, const QuestionPlaces& places) : places_(places) {
    question_.endpoint = &endpoint;
  }

  void check(const EndpointOption& option, const std::string& value) const {
    if (value.size() > kValueLimitBytes) refuse_value(option.name, "the value is too long");
    if (value.empty()) refuse_value(option.name, "the value is empty: omit the parameter");
    if (value.front() == '-' && option.name != kSort)
      refuse_value(option.name, "a value does not begin with '-'");
  }

  // Returns the word of the command line for a value; empty for a flag that is off.
  std::string word(const EndpointOption& option, const std::string& value) {
    check(option, value);
    switch (option.kind) {
      case ValueKind::kFlag:
        if (value != "1" && value != "true" && value != "0" && value != "false") {
          refuse_value(option.name, "is 1 or 0");
        }
        return value == "1" || value == "true" ? "1" : "";
      case ValueKind::kNumber:
        if (!is_of(value, ".+-/%, ") || value.size() > 400)
          refuse_value(option.name, "is not a number");
        return value;
      case ValueKind::kBoard:
        check_board(option.name, value);
        return value;
      case ValueKind::kModel:
        return value.starts_with("upload:") ? upload(option, value) : zoo(option, value);
      case ValueKind::kUpload:
        return upload(option, value);
      case ValueKind::kStore:
        return store(option, value);
      case ValueKind::kWord:
      case ValueKind::kNames:
        check_word(option, value);
        return value;
      case ValueKind::kText:
        return value;
    }
    return {};
  }

  void add_word(const std::string& text) {
    const bool of_upload = text.starts_with("/dev/fd/");
    question_.words.push_back(text);
    question_.typed.push_back(
        of_upload ? "upload:" + question_.uploads[std::stoul(text.substr(8)) - kFirstDescriptor]->id
                  : text);
  }

  Question& question() { return question_; }

 private:
  static std::string zoo(const EndpointOption& option, const std::string& value) {
    if (!value.starts_with("zoo:")) refuse_value(option.name, "is zoo:NAME or upload:ID");
    if (!is_of(std::string_view(value).substr(4), "-_."))
      refuse_value(option.name, "is not in the zoo");
    return value;
  }

  std::string upload(const EndpointOption& option, const std::string& value) {
    if (!value.starts_with("upload:")) {
      refuse_value(option.name, "is upload:ID of a file sent to /api/v1/uploads");
    }
    const std::string id = value.substr(7);
    for (std::size_t i = 0; i < question_.uploads.size(); ++i) {
      if (question_.uploads[i]->id == id) return "/dev/fd/" + std::to_string(kFirstDescriptor + i);
    }
    auto found = places_.upload ? places_.upload(id) : nullptr;
    if (!found)
      throw HttpError(404, value + " does not exist or has expired: upload the file again");
    question_.uploads.push_back(std::move(found));
    return "/dev/fd/" + std::to_string(kFirstDescriptor + question_.uploads.size() - 1);
  }

  std::string store(const EndpointOption& option, const std::string& value) const {
    if (places_.stores.empty()) {
      refuse_value(option.name, "does not exist: the server was started without --store");
    }
    std::size_t number = 0;
    const auto* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number >= places_.stores.size()) {
      refuse_value(option.name, "is a number below " + std::to_string(places_.stores.size()) +
                                    ", the number of --store that the server was started with");
    }
    return places_.stores[number];
  }

  const QuestionPlaces& places_;
  Question question_;
};

std::vector<std::string> values_of(const Parameters& parameters, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters) {
    if (key == name) values.push_back(value);
  }
  return values;
}

void add_option(Builder& builder, const EndpointOption& option, std::string_view name,
                const std::vector<std::string>& values) {
  if (values.size() > 1 && !option.several) refuse_value(option.name, "is given more than once");
  std::vector<std::string> words;
  for (const auto& value : values) {
    const auto word = builder.word(option, value);
    if (!word.empty()) words.push_back(word);
  }
  if (option.name == kSort && !words.empty() && words.front().front() == '-') {
    return builder.add_word("--sort=" + words.front());
  }
  // Repeat the option before each value, since some commands accept only one value per option.
  for (const std::string& word : words) {
    if (option.positional.empty()) builder.add_word("--" + std::string(name));
    if (option.kind != ValueKind::kFlag) builder.add_word(word);
  }
}

void check_names(const Endpoint& endpoint, const Parameters& parameters) {
  std::vector<std::string> known;
  for (const auto& option : endpoint.options) known.emplace_back(option.name);
  for (const auto& option : common_options()) known.emplace_back(option.name);
  for (const auto& [name, value] : parameters) {
    if (contains(known, name)) continue;
    std::string hint = did_you_mean(name, {known, answer::option_synonyms(known)});
    std::erase(hint, '\'');  // no quotes in a URL: precision=fp16
    throw HttpError(400, name + ": /api/v1/" + std::string(endpoint.path) +
                             " has no such parameter" + (hint.empty() ? "" : ": " + hint));
  }
}

// Adds the parameters that every endpoint has.
void add_common(Builder& builder, const Endpoint& endpoint, const Parameters& parameters,
                const QuestionPlaces& places) {
  for (const auto& option : common_options()) {
    const auto values = values_of(parameters, option.name);
    if (option.name == "format" || values.empty()) continue;
    const auto name = option.name == "figures" ? std::string_view("with-figures") : option.name;
    if (places.has_option && !places.has_option(endpoint.command, name)) {
      refuse_value(option.name, "/api/v1/" + std::string(endpoint.path) + " has no such parameter");
    }
    add_option(builder, option, name, values);
  }
  const auto formats = values_of(parameters, "format");
  if (formats.size() > 1) refuse_value("format", "is given more than once");
  const std::string format = formats.empty() ? "json" : formats.front();
  if (format != "json" && format != "csv") refuse_value("format", "is json or csv");
  builder.question().csv = format == "csv" || endpoint.answers_csv;
  if (endpoint.answers_csv) return;
  builder.add_word("--format");
  builder.add_word(format);
}

std::string quoted(const std::string& word) {
  if (is_of(word, "-_.,=@+:/%")) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string Question::shown() const {
  std::string text = "ridgewatt";
  for (const auto& word : typed) {
    const auto upload = std::find_if(uploads.begin(), uploads.end(),
                                     [&](const auto& one) { return word == "upload:" + one->id; });
    text += " " + quoted(upload == uploads.end() ? word : (*upload)->word());
  }
  return text;
}

Question make_question(const Endpoint& endpoint, const Parameters& parameters,
                       const QuestionPlaces& places) {
  check_names(endpoint, parameters);
  Builder builder(endpoint, places);
  std::string_view command = endpoint.command;
  while (!command.empty()) {
    const auto blank = std::min(command.find(' '), command.size());
    builder.add_word(std::string(command.substr(0, blank)));
    command.remove_prefix(std::min(blank + 1, command.size()));
  }
  for (const bool positional : {true, false}) {
    for (const auto& option : endpoint.options) {
      if (option.positional.empty() == positional) continue;
      auto values = values_of(parameters, option.name);
      if (values.empty() && option.kind == ValueKind::kStore) values.emplace_back("0");
      if (values.empty() && option.required && values_of(parameters, endpoint.unless).empty())
        refuse_value(option.name, "is required");
      add_option(builder, option, option.name, values);
    }
  }
  add_common(builder, endpoint, parameters, places);
  return std::move(builder.question());
}

}  // namespace ridgewatt::serve
