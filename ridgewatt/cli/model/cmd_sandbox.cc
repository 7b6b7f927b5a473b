// ridgewatt sandbox: runs another command in a sandbox.
#include "ridgewatt/io/sandbox.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"

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
    throw UsageError("sandbox cannot run another sandbox", "");
  enter_sandbox({.memory_bytes = static_cast<std::size_t>(command.memory_bytes),
                 .time_s = command.time_s,
                 .limits_alone = command.limits_alone});
  context.then = command.words;
}

}  // namespace

void add_sandbox(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<SandboxCommand>(
      app, context, "sandbox", "Run a command on untrusted files in a sandbox",
      "ridgewatt sandbox -- analyze untrusted.onnx\n  ridgewatt sandbox --memory 1GiB --time 5s -- "
      "estimate zoo:lenet5 --device agx-orin",
      run);
  add.optional("--memory", options.memory_bytes, bytes().within(64 << 20, 1e13),
               "Limit on the command's address space [4 GiB]");
  add.number("--time", options.time_s, seconds().within(0.01, 1e6),
             "Limit on the command's run time");
  add.flag("--limits-alone", options.limits_alone,
           "If the kernel has no seccomp, run with only these limits");
  add.text("COMMAND", options.words, "Command and its options, after --")->required();
}

}  // namespace ridgewatt::cli
