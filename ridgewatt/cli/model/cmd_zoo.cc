// ridgewatt zoo: the built-in architectures.
#include "ridgewatt/workload/zoo.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

void list(const Context& context, const answer::ZooQuestion& asked) {
  print(context, asked.language ? report::language_zoo_table() : report::zoo_table());
}

struct ZooFile {
  std::string name, path, quantization;
  workload::ZooWeights weights = workload::ZooWeights::kZeros;
};

// Throws UsageError if the file name has the suffix of another format, because readers would then
// assume that format.
void check_ending(const std::string& path, std::string_view format, std::string_view ending) {
  for (const std::string_view other :
       {".onnx", ".gguf", ".safetensors", ".json", ".pt", ".pth", ".engine", ".plan"}) {
    if (other == ending || !path.ends_with(other)) continue;
    throw UsageError(fmt::format("this model is written as {}", format), path,
                     fmt::format("give a file name that ends in {}", ending));
  }
}

void write_gguf(const Context& context, const llm::ZooModel& model, const ZooFile& asked) {
  const std::string quantization = asked.quantization.empty() ? "q4_k_m" : asked.quantization;
  const std::string path =
      asked.path.empty() ? fmt::format("{}-{}.gguf", model.name, quantization) : asked.path;
  std::error_code missing;
  const auto there = std::filesystem::status(path, missing).type();
  using enum std::filesystem::file_type;
  if (path == "-" || (there != not_found && there != none && there != regular)) {
    throw UsageError("a GGUF file is written to a file, not to a pipe, device or folder", path,
                     "name a file");
  }
  check_ending(path, "GGUF", ".gguf");
  const llm::Recipe& recipe = llm::find_gguf_recipe(quantization);
  refuse_input(path);
  const bool random = asked.weights == workload::ZooWeights::kRandom;
  llm::write_language_model(model, recipe, path,
                            random ? std::optional(context.seed) : std::nullopt);
}

void write(const Context& context, const ZooFile& asked) {
  std::string_view name = asked.name;
  if (workload::is_zoo_name(name)) name.remove_prefix(std::string_view("zoo:").size());
  if (const llm::ZooModel* language = llm::find_zoo_model(name)) {
    return write_gguf(context, *language, asked);
  }
  if (!asked.quantization.empty()) {
    throw UsageError("--quantization is for language models", asked.name,
                     "`ridgewatt zoo list --language` prints them");
  }
  const workload::ZooEntry& entry = workload::find_zoo_entry(asked.name);
  const std::string model = asked.path.empty() ? std::string(entry.name) + ".onnx" : asked.path;
  check_ending(model, "ONNX", ".onnx");
  refuse_input(model);
  workload::write_zoo_model(entry, model, asked.weights, context.seed);
}

void add_zoo_write(CLI::App& zoo, Context& context) {
  const auto [command, asked, add] =
      define<ZooFile>(zoo, context, "write",
                      "Write an architecture as an ONNX file, or a language model as a GGUF file",
                      "ridgewatt zoo write resnet50 -o resnet50.onnx\n  "
                      "ridgewatt zoo write resnet50 --weights random\n  "
                      "ridgewatt zoo write qwen2.5-0.5b --quantization q4_0",
                      write);
  add.words("NAME", asked.name, {answer::model_names, answer::language_model_names},
            "Name from 'zoo list', or from 'zoo list --language'")
      ->required();
  add.output("-o,--output", asked.path,
             "File to write; - is standard output [NAME.onnx, NAME-QUANTIZATION.gguf]");
  add.choice("--weights", asked.weights, "zeros (a sparse file) or random numbers of --seed");
  add.words("--quantization", asked.quantization, {answer::gguf_recipes},
            "Types of the weights of a language model (f16, q8_0, q4_0 ..) [q4_k_m]");
}

}  // namespace

void add_zoo(CLI::App& app, Context& context) {
  auto* command = command_named(app, "zoo", "Built-in architectures as ONNX without weights");
  command->require_subcommand(1);
  define<answer::ZooQuestion>(*command, context, answer::zoo_parameters(), list);
  add_zoo_write(*command, context);
}

}  // namespace ridgewatt::cli
