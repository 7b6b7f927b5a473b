// The meaning of a user's words in questions about language models.
#include "ridgewatt/answer/language.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::answer {
namespace {

constexpr std::string_view kEvery = "all";

// In the order of the text, each once.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (const auto& part : split(text, ',')) {
    const auto name = trim(part);
    if (!contains(names, name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::vector<Board> boards_named(const std::string& device) {
  std::vector<std::string> names = device == kEvery ? list_boards() : names_in(device);
  if (names.empty() || device.find('/') != std::string::npos) names = {device};  // no list
  std::vector<Board> boards;
  for (const auto& name : names) boards.push_back(load_board(name));
  return boards;
}

std::vector<std::string> quantizations_named(const llm::LanguageModel& model,
                                             const std::string& text) {
  if (text != kEvery) return names_in(text);
  std::vector<std::string> names;
  if (!model.tensors.empty()) names.emplace_back("stored");
  if (!model.weights_known) return names;
  for (const llm::Recipe& recipe : llm::recipes()) names.push_back(recipe.name);
  return names;
}

std::vector<std::string> runtimes_named(const std::string& text) {
  if (text != kEvery) return names_in(text);
  std::vector<std::string> names;
  for (const auto& engine : llm::engines()) names.push_back(engine.name);
  return names;
}

LanguageAnswer ask_language(const LanguageRequest& asked) {
  const llm::LanguageModel model = llm::read_language_model(asked.model);
  LanguageQuestion question = asked.question;
  question.runtimes = runtimes_named(asked.runtime);
  question.quantizations = quantizations_named(model, asked.quantization);
  return ask_language(question, model, boards_named(asked.device));
}

}  // namespace ridgewatt::answer
