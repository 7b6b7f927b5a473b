// ridgewatt zoo: the built-in architectures.
#include "ridgewatt/workload/zoo.h"

#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {
namespace {

void list(const Context& context, const answer::ZooQuestion& asked) {
  print(context, asked.language ? report::language_zoo_table() : report::zoo_table());
}

struct ZooFile {
  std::string name, path;
  workload::ZooWeights weights = workload::ZooWeights::kZeros;
};

void write(const Context& context, const ZooFile& asked) {
  const workload::ZooEntry& entry = workload::find_zoo_entry(asked.name);
  const std::string model = asked.path.empty() ? std::string(entry.name) + ".onnx" : asked.path;
  refuse_input(model);
  workload::write_zoo_model(entry, model, asked.weights, context.seed);
}

void add_zoo_write(CLI::App& zoo, Context& context) {
  const auto [command, asked, add] =
      define<ZooFile>(zoo, context, "write", "Write an architecture as an ONNX file",
                      "ridgewatt zoo write resnet50 -o resnet50.onnx\n  "
                      "ridgewatt zoo write resnet50 --weights random",
                      write);
  add.text("NAME", asked.name, "Name from 'zoo list'")->required();
  add.output("-o,--output", asked.path, "File to write; - is standard output [NAME.onnx]");
  add.choice("--weights", asked.weights, "zeros (a sparse file) or random numbers of --seed");
}

}  // namespace

void add_zoo(CLI::App& app, Context& context) {
  auto* command = command_named(app, "zoo", "Built-in architectures as ONNX without weights");
  command->require_subcommand(1);
  define<answer::ZooQuestion>(*command, context, answer::zoo_parameters(),
                              "ridgewatt zoo list\n  ridgewatt zoo list --language", list);
  add_zoo_write(*command, context);
}

}  // namespace ridgewatt::cli
