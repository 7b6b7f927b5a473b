// ridgewatt zoo: the built-in architectures.
#include "ridgewatt/workload/zoo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/workload/onnx_reader.h"

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

// Bytes of the largest weight: all of them are stored from the first byte on.
std::int64_t largest_weight_bytes(const std::string& onnx, const std::string& name) {
  const workload::Model model = workload::load_model_from_memory(onnx, name);
  std::int64_t most = 0;
  for (const workload::TensorId id : model.graph.initializers) {
    const auto& tensor = model.tensors[static_cast<std::size_t>(id)];
    if (!tensor.constant) most = std::max(most, tensor.byte_count().value_or(0));
  }
  return most;
}

// Runtimes want the file of weights that the model names: a hole of zeros, which takes no room on
// the disk. One that is there and long enough stays.
void write_weights(const std::string& path, std::int64_t bytes) {
  std::error_code failed;
  const auto there = std::filesystem::file_size(path, failed);
  if (!failed && static_cast<std::int64_t>(there) >= bytes) return;
  if (!failed) {
    throw InputError("is too short for the weights", path, "remove it, or write elsewhere");
  }
  write_output(path, "");
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), failed);
  if (!failed) return;
  ::unlink(path.c_str());
  throw_errno(failed.value(), "cannot write file", path);
}

// A model that goes to a stream or a device has no folder for its weights.
void write(const std::string& name, const std::string& path) {
  const workload::ZooEntry& entry = workload::find_zoo_entry(name);
  const std::string onnx = entry.build();
  const std::string model = path.empty() ? std::string(entry.name) + ".onnx" : path;
  write_output(model, onnx);
  std::error_code failed;
  if (model == "-" || !std::filesystem::is_regular_file(model, failed)) return;
  write_weights(fmt::format("{}/{}.onnx.data", folder_of(model), entry.name),
                largest_weight_bytes(onnx, std::string(entry.name)));
}

}  // namespace

void add_zoo(CLI::App& app, Context& context) {
  auto* command = command_named(app, "zoo", "Built-in architectures as ONNX without weights");
  command->require_subcommand(1);
  auto* list_command =
      add_command(*command, context, "list", "Names and sources of the architectures",
                  "ridgewatt zoo list\n  ridgewatt zoo list --language");
  auto asked = std::make_shared<answer::ZooQuestion>();
  add_parameters(*list_command, answer::zoo_parameters(), asked.get());
  list_command->callback(
      [&context, asked] { asked->language ? list_language_models(context) : list_zoo(context); });
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
