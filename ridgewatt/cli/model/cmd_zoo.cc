// ridgewatt zoo: the built-in architectures.
#include "ridgewatt/workload/zoo.h"

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::cli {
namespace {

void list_zoo(const Context& context) {
  report::Table table({{"name"}, {"alias"}, {.name = "description", .wrap = true}});
  for (const auto& entry : workload::zoo()) {
    table.add_row(
        {std::string(entry.name), std::string(entry.alias), std::string(entry.description)});
  }
  print(context, table);
}

void list_language_models(const Context& context) {
  report::Table table({{"name"},
                       {"architecture"},
                       {"parameters"},
                       {"layers"},
                       {.name = "context", .heading = "context (tokens)"},
                       {.name = "source", .wrap = true}});
  for (const auto& entry : llm::language_zoo()) {
    const auto& numbers = entry.numbers;
    table.add_row({std::string(entry.name), std::string(name_of(numbers.family)),
                   llm::parameters_of(llm::describe(numbers, std::string(entry.name))),
                   numbers.layers, numbers.context, std::string(entry.source)});
  }
  print(context, table);
}

void write(const std::string& name, const std::string& path) {
  const workload::ZooEntry& entry = workload::find_zoo_entry(name);
  write_output(path.empty() ? std::string(entry.name) + ".onnx" : path, entry.build());
}

}  // namespace

void add_zoo(CLI::App& app, Context& context) {
  auto* command = command_named(app, "zoo", "Built-in architectures as ONNX without weights");
  command->require_subcommand(1);
  auto* list_command =
      add_command(*command, context, "list", "Names and sources of the architectures",
                  "ridgewatt zoo list\n  ridgewatt zoo list --language");
  auto language = std::make_shared<bool>(false);
  list_command->add_flag("--language", *language,
                         "Language models, which fits takes: numbers, no file");
  list_command->callback(
      [&context, language] { *language ? list_language_models(context) : list_zoo(context); });
  auto* write_command =
      add_command(*command, context, "write", "Write an architecture as an ONNX file",
                  "ridgewatt zoo write resnet50 -o resnet50.onnx");
  auto name = std::make_shared<std::string>();
  auto path = std::make_shared<std::string>();
  write_command->add_option("NAME", *name, "Name from 'zoo list'")->required();
  output_file(write_command->add_option("-o,--output", *path,
                                        "File to write; - is standard output [NAME.onnx]"));
  write_command->callback([name, path] { write(*name, *path); });
}

}  // namespace ridgewatt::cli
