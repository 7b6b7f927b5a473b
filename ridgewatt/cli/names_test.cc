// Tests every closed set of names, from its own table: case and separators do not matter, a name
// with a wrong letter gets a suggestion, and the suggestion works if it is pasted back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>
#include <set>

#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/cli/every_command_support.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/plan_search.h"
#include "ridgewatt/schedule/simulate.h"
#include "ridgewatt/study/study.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::cli {
namespace {

struct ClosedSet {
  std::string what;
  std::vector<std::string> names;
  std::function<void(const std::string&)> read;  // throws on an unknown name
};

template <typename E>
ClosedSet of_enum(const std::string& what) {
  return {what, names<E>(), [what](const std::string& text) { parse_word<E>(text, what); }};
}

std::vector<std::string> texts(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

std::vector<ClosedSet> sets_of_enums() {
  return {of_enum<Runtime>("runtime"),
          of_enum<workload::Precision>("precision"),
          of_enum<WorkloadKind>("kind"),
          of_enum<workload::Optimizer>("optimizer"),
          of_enum<workload::TrafficModel>("traffic"),
          of_enum<workload::Convention>("convention"),
          of_enum<OutputFormat>("format"),
          of_enum<llm::KvType>("kv type"),
          of_enum<answer::LanguageGoal>("goal"),
          of_enum<answer::FrontCost>("cost"),
          of_enum<schedule::Sharing>("sharing"),
          of_enum<schedule::ArrivalProcess>("arrivals"),
          of_enum<campaign::ExecutorKind>("executor"),
          of_enum<Provenance>("provenance"),
          {"objective", names<tune::Objective>(), [](const auto& t) { tune::parse_objective(t); }}};
}

std::vector<ClosedSet> sets_of_tables() {
  std::vector<ClosedSet> sets = {
      {"board", board_names().names, [](const auto& t) { load_board(t); }},
      {"fake board", platform::fake_board_names(),
       [](const auto& t) { platform::fake_board_spec(t); }},
      {"zoo", workload::zoo_names().names, [](const auto& t) { workload::find_zoo_entry(t); }},
      {"language zoo", llm::language_zoo_names().names,
       [](const auto& t) { llm::read_language_model(t.starts_with("zoo:") ? t : "zoo:" + t); }},
      {"strategy", texts(tune::strategy_names()), [](const auto& t) { tune::find_strategy(t); }},
      {"plan strategy", texts(schedule::plan_strategy_names()),
       [](const auto& t) { schedule::find_plan_strategy(t); }},
      {"study", study::list_studies(), [](const auto& t) { study::load_study(t); }},
      {"storage", pipeline::list_storages(), [](const auto& t) { pipeline::find_storage(t); }},
      {"knob", {"cores", "cpu", "gpu", "mem", "governor"}, [](const auto& t) {
         parse_mode_text(t + "=4");
       }}};
  ClosedSet engines{"engine", {}, [](const auto& t) { llm::find_engine(t); }};
  for (const auto& engine : llm::engines()) engines.names.push_back(engine.name);
  ClosedSet recipes{"quantization", {}, [](const auto& t) { llm::find_recipe(t); }};
  for (const auto& recipe : llm::recipes()) recipes.names.push_back(recipe.name);
  sets.push_back(std::move(engines));
  sets.push_back(std::move(recipes));
  for (const auto& name : board_names().names) {
    const Board board = load_board(name);
    ClosedSet all{"preset of " + name, {}, [board](const auto& t) { find_preset(board, t); }};
    for (const auto& preset : presets(board)) all.names.push_back(preset.name);
    sets.push_back(std::move(all));
  }
  for (const auto& name : platform::fake_board_names()) {
    const testing::FakeBoard board(name);
    const auto conf = platform::JetsonModeControl(*board.sysfs).presets();
    if (!conf) continue;
    ClosedSet all{"preset of fake:" + name, {}, [conf = *conf](const auto& t) { conf.mode(t); }};
    for (const auto& mode : conf->modes) all.names.push_back(mode.name);
    sets.push_back(std::move(all));
  }
  return sets;
}

std::vector<ClosedSet> all_sets() {
  auto sets = sets_of_enums();
  for (auto& set : sets_of_tables()) sets.push_back(std::move(set));
  return sets;
}

// The error message about the name; empty if it is accepted.
std::string refusal(const ClosedSet& set, const std::string& text) {
  try {
    set.read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// X in "did you mean X?"; empty if the message suggests nothing.
std::string suggested(const std::string& message) {
  static const std::regex kSuggestion("did you mean ([^?]+)\\?");
  std::smatch found;
  return std::regex_search(message, found, kSuggestion) ? found[1].str() : "";
}

std::string mapped(std::string text, int (*change)(int)) {
  for (char& c : text) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

// label: slow
TEST(Names, AreUnderstoodInAnyCaseAndWithAnySeparator) {
  for (const auto& set : all_sets()) {
    ASSERT_FALSE(set.names.empty()) << set.what;
    for (const auto& name : set.names) {
      EXPECT_EQ(refusal(set, name), "") << set.what;
      EXPECT_EQ(refusal(set, mapped(name, [](int c) { return std::toupper(c); })), "") << set.what;
      EXPECT_EQ(refusal(set, mapped(name, [](int c) { return c == '-' ? '_' : c; })), "")
          << set.what;
      EXPECT_EQ(refusal(set, mapped(name, [](int c) { return c == '_' ? '-' : c; })), "")
          << set.what;
    }
  }
}

// label: slow
TEST(Names, AWrongLetterIsCorrectedByTheSuggestion) {
  for (const auto& set : all_sets()) {
    for (const auto& name : set.names) {
      for (std::size_t at = 0; at < name.size(); ++at) {
        if (std::isalpha(static_cast<unsigned char>(name[at])) == 0) continue;
        std::string wrong = name;
        wrong[at] = name[at] == 'x' ? 'y' : 'x';
        const std::string message = refusal(set, wrong);
        if (message.empty()) continue;  // another name, or an alias
        const std::string meant = suggested(message);
        const bool listed = message.find("choose one of") != std::string::npos;  // BSPs, presets
        EXPECT_TRUE(!meant.empty() || listed) << set.what << ": " << message;
        if (meant.empty()) continue;
        EXPECT_EQ(refusal(set, meant), "") << set.what << ": " << message;
      }
    }
  }
}

TEST(Names, NoTwoOfASetAreTheSameWord) {
  for (const auto& set : all_sets()) {
    for (std::size_t i = 0; i < set.names.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(same_word(set.names[i], set.names[j])) << set.what << ": " << set.names[i];
      }
    }
  }
}

TEST(Names, OtherWordsMeanTheirName) {
  const auto board = [](const std::string& text) {
    const Board found = load_board(text);
    return found.name + "@" + found.bsp;
  };
  EXPECT_EQ(board("orin-nano-super"), "orin-nano-8gb@super");
  EXPECT_EQ(board("Jetson Orin Nano Super"), "orin-nano-8gb@super");
  EXPECT_EQ(board("jetson-orin-nano"), "orin-nano-8gb@jp5");
  EXPECT_EQ(board("orinnano@Super"), "orin-nano-8gb@super");
  EXPECT_EQ(board("AGX_ORIN@JP5.1"), "agx-orin@jp5.1");
  EXPECT_EQ(parse_word<Runtime>("trt", ""), Runtime::kTensorRt);
  EXPECT_EQ(parse_word<Runtime>("TensorRT", ""), Runtime::kTensorRt);
  EXPECT_EQ(parse_word<Runtime>("ONNX Runtime", ""), Runtime::kOnnxRuntime);
  for (const char* half : {"fp16", "FP16", "half", "float16", "f16"}) {
    EXPECT_EQ(parse_word<workload::Precision>(half, ""), workload::Precision::kFp16) << half;
    EXPECT_EQ(llm::find_recipe(half).name, "f16") << half;
  }
  EXPECT_EQ(parse_word<workload::Precision>("AMP", ""), workload::Precision::kMixed);
  EXPECT_EQ(parse_word<workload::Precision>("e4m3", ""), workload::Precision::kFp8);
  EXPECT_EQ(llm::find_recipe("Q4-K-M").name, "q4_k_m");
  EXPECT_EQ(llm::find_engine("trt-llm").name, "tensorrt-llm");
  EXPECT_EQ(llm::find_engine("llamacpp").name, "llama.cpp");
  for (const auto& [word, name] : board_names().synonyms) {
    const Board found = load_board(word);
    const Board meant = load_board(name);
    EXPECT_EQ(found.name + found.bsp, meant.name + meant.bsp) << word;
  }
}

TEST(Names, OfAModelThatIsNoFileGetTheZoosName) {
  const auto said = [](const std::function<void()>& read) -> std::string {
    try {
      read();
    } catch (const NotFoundError& error) {
      return suggested(error.what());
    }
    return "";
  };
  for (const char* name : {"resnet50", "ResNet-50", "resnet50.onnx", "/none/resnet50.onnx"}) {
    EXPECT_EQ(said([&] { workload::load_workload(name); }), "zoo:resnet50") << name;
  }
  EXPECT_EQ(said([] { llm::read_language_model("llama-3.1-8b"); }), "zoo:llama-3.1-8b");
  EXPECT_EQ(said([] { workload::load_workload("/none/quite-another-thing.onnx"); }), "");
}

// Calls `use` for each command with the names of its options.
void for_each_command(
    const CLI::App& command,
    const std::function<void(const CLI::App&, const std::vector<std::string>&)>& use) {
  use(command, option_names(command));
  for (const CLI::App* next : command.get_subcommands(nullptr)) for_each_command(*next, use);
}

// label: slow
TEST(OptionWords, EveryHintNamesAnOptionOfThatCommand) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  std::set<std::string> used;
  for_each_command(app, [&](const CLI::App& command, const std::vector<std::string>& options) {
    const NameSet set{options, answer::option_synonyms(options)};
    for (const auto& [word, option, value] : answer::option_words()) {
      const std::string typed = "--" + std::string(word);
      if (command.get_option_no_throw(typed) != nullptr) continue;  // the command has this option
      const std::string hint = suggested(did_you_mean(typed, set));
      const auto known = std::find(options.begin(), options.end(), "--" + std::string(option));
      if (known == options.end()) continue;
      used.insert(typed);
      EXPECT_NE(command.get_option_no_throw(hint.substr(0, hint.find(' '))), nullptr)
          << full_name(command) << " " << typed << ": " << hint;
    }
  });
  for (const auto& [word, option, value] : answer::option_words()) {
    EXPECT_TRUE(used.contains("--" + std::string(word))) << word << ": no command has " << option;
  }
}

TEST(OptionWords, TheWordsThatPeopleTypeLeadToTheOption) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const auto hint = [&](const std::vector<std::string>& path, const std::string& word) {
    const auto options = option_names(find_command(app, path));
    return suggested(did_you_mean(word, {options, answer::option_synonyms(options)}));
  };
  EXPECT_EQ(hint({"tune"}, "--fps"), "--arrival-rate");
  EXPECT_EQ(hint({"tune"}, "--power"), "--max-power");
  EXPECT_EQ(hint({"tune"}, "--watts"), "--max-power");
  EXPECT_EQ(hint({"tune"}, "--latency"), "--max-latency");
  EXPECT_EQ(hint({"tune"}, "--board"), "--device");
  EXPECT_EQ(hint({"tune"}, "--gpu"), "--device");
  EXPECT_EQ(hint({"estimate"}, "--fp16"), "--precision fp16");
  EXPECT_EQ(hint({"estimate"}, "--bfloat16"), "--precision bf16");
  EXPECT_EQ(hint({"llm"}, "--fp16"), "--quantization f16");
  EXPECT_EQ(hint({"llm"}, "--int4"), "--quantization int4");
  EXPECT_EQ(hint({"estimate"}, "--trt"), "--runtime tensorrt");
  EXPECT_EQ(hint({"tune"}, "--devise"), "--device");
  // A word for an option that the command lacks must not be treated as another, misspelled word.
  EXPECT_EQ(hint({"measure"}, "--fps"), "");
  EXPECT_EQ(hint({"measure"}, "--fp8"), "--quantization fp8");
  EXPECT_EQ(hint({"measure"}, "--power"), "");
}

// label: slow
TEST(OptionWords, EveryOptionWithAWrongLetterIsSuggested) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  for_each_command(app, [](const CLI::App& command, const std::vector<std::string>& options) {
    const NameSet set{options, answer::option_synonyms(options)};
    for (const auto& option : options) {
      std::string wrong = option;
      wrong.back() = wrong.back() == 'x' ? 'y' : 'x';
      if (command.get_option_no_throw(wrong) != nullptr) continue;
      const std::string hint = suggested(did_you_mean(wrong, set));
      EXPECT_NE(command.get_option_no_throw(hint.substr(0, hint.find(' '))), nullptr)
          << full_name(command) << " " << wrong << ": " << hint;
    }
  });
}

}  // namespace
}  // namespace ridgewatt::cli
