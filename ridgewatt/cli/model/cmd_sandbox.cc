// ridgewatt sandbox: another command, locked in.
#include "ridgewatt/io/sandbox.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct SandboxCommand {
  double memory_bytes = 4.0 * (1 << 30);
  double time_s = 60;
  bool limits_alone = false;
  std::vector<std::string> words;
};

void run(Context& context, const SandboxCommand& command) {
  if (command.words.front() == "sandbox")
    throw UsageError("the sandbox holds one command", "sandbox");
  enter_sandbox({.memory_bytes = static_cast<std::size_t>(command.memory_bytes),
                 .time_s = command.time_s,
                 .limits_alone = command.limits_alone});
  context.then = command.words;
}

}  // namespace

void add_sandbox(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "sandbox", "A command on files that are not trusted, locked in",
      "ridgewatt sandbox -- analyze untrusted.onnx\n  ridgewatt sandbox --memory 1GiB --time 5s -- "
      "estimate zoo:lenet5 --device agx-orin");
  auto options = std::make_shared<SandboxCommand>();
  quantity(command->add_option("--memory", options->memory_bytes,
                               "Address space that it may take [4 GiB]"),
           bytes().within(64 << 20, 1e13));
  quantity(command->add_option("--time", options->time_s, "Time that it may take"),
           seconds().within(0.01, 1e6))
      ->capture_default_str();
  command->add_flag("--limits-alone", options->limits_alone,
                    "Go on where the kernel has no seccomp, with these limits alone");
  command->add_option("COMMAND", options->words, "Command and its options, after --")->required();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
