// ridgewatt explain: why a measured time is longer than expected, from given numbers or from a
// program that is observed.
#include "ridgewatt/answer/explain.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/explain_report.h"

namespace ridgewatt::cli {
namespace {

struct ExplainCommand {
  answer::ExplainQuestion question;
  answer::WatchedProgram program;
};

void check_explain(const CLI::App& command, const ExplainCommand& asked) {
  check_parameters(command, answer::explain_parameters(), &asked.question);
  const answer::WatchedProgram& program = asked.program;
  if (program.process) {
    refuse_without_effect(command, {"COMMAND"}, "with --pid");
  } else if (program.command.empty()) {
    refuse_without_effect(command, {"--for"}, "without --pid or COMMAND");
    refuse_without_effect(command, {"--then", "--apply"}, "without COMMAND");
  }
  if (!program.changes() && !asked.question.after_s) {
    refuse_without_effect(command, {"--removed"}, "without --after, --then or --apply");
  }
  if (!program.changes()) return;
  if (program.apply) refuse_without_effect(command, {"--then"}, "with --apply");
  if (program.process) refuse_without_effect(command, {"--then", "--apply"}, "with --pid");
  refuse_without_effect(
      command,
      {"--measured", "--samples-per-second", "--after", "--tokens-per-second", "--first-token"},
      "with --then or --apply: the times come from the marks of the program");
}

void run(const Context& context, ExplainCommand& command, const CLI::App& app) {
  check_explain(app, command);
  answer::ExplainQuestion& question = command.question;
  if (command.program.given()) {
    answer::watch_program(question, command.program, context.seed,
                          [&](const auto& line) { remark(context, line); });
  }
  question.device = board_or_local(context, question.device);
  const answer::ExplainAnswer found = answer::explain(question);
  print(context, found.caveats, report::explain_result(found));
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  const auto [command, asked, add] = define<ExplainCommand, &ExplainCommand::question>(
      app, context, answer::explain_parameters(), run);
  add.optional("--pid", asked.program.process, count().within(1, 1 << 22),
               "Watch this process instead of a command");
  add.optional("--for", asked.program.for_s, seconds().positive(),
               "Time to watch [a command: to its end; a process: 20 s]");
  add.text("--then", asked.program.then,
           "Shell command that changes something; COMMAND then runs again, and the answer states "
           "whether the predicted cause was removed");
  add.flag(
      "--apply", asked.program.apply,
      "If the cause is a power mode or clock: run COMMAND again in --mode; the original mode is "
      "restored afterwards");
  add.text("COMMAND", asked.program.command,
           "Program to run and watch, and its arguments, after --");
  add_strict(command, context);
}

}  // namespace ridgewatt::cli
