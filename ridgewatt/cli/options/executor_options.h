// Options for the executor that runs the tasks of a campaign.
#pragma once

#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/cli/options/option_adder.h"

namespace ridgewatt::cli {

inline void add_executor(const OptionAdder& add, campaign::ExecutorKind& kind) {
  add.choice("--executor", kind, "What runs the tasks");
}
inline void add_board_access(const OptionAdder& add, campaign::ExecutorOptions& engine) {
  add.named("--program", engine.program, "Path of ridgewatt on the boards");
  add.text("--partition", engine.partition, "Slurm: partition of the boards");
  add.text("--account", engine.account, "Slurm: account");
}
inline void add_hosts(const OptionAdder& add, campaign::ExecutorOptions& engine) {
  add.repeated("--host", engine.hosts, "parallel: a board that ssh reaches, HOST or KIND=HOST")
      ->delimiter(',');
  add.text("--ssh", engine.ssh, "parallel: command to use in place of ssh");
}

}  // namespace ridgewatt::cli
