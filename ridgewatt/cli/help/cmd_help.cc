// ridgewatt help, man, completion: the commands described, from the same source as the parser.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/help/complete.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {

void add_help(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "help", "Help on a command; as JSON, all of them",
                              "ridgewatt help tune\n  ridgewatt help schedule plan");
  auto path = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *path, "Command and its subcommand");
  command->callback([&app, &context, path] {
    complete_program(app);
    const CLI::App& asked = find_command(app, *path);
    if (context.json()) return print(context, reference_json(asked));
    std::cout << asked.get_formatter()->make_help(&asked, full_name(asked),
                                                  CLI::AppFormatMode::Normal);
  });
}

void add_man(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "man", "Manual pages",
                              "ridgewatt man tune | man -l -\n  ridgewatt man -o man1");
  struct Arguments {
    std::vector<std::string> path;
    std::string folder;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("COMMAND", arguments->path, "Command and its subcommand");
  output_file(
      command->add_option("-o,--output", arguments->folder, "Write all pages into this folder"));
  command->callback([&app, arguments] {
    complete_program(app);
    if (arguments->folder.empty()) {
      std::cout << manual_page(find_command(app, arguments->path));
      return;
    }
    make_folder(arguments->folder);
    for (const auto& [name, text] : manual_pages(app)) {
      write_output(arguments->folder + "/" + name, text);
    }
  });
}

void add_completion(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "completion", "Completion of commands, options and values for a shell",
      "ridgewatt completion bash > ~/.local/share/bash-completion/completions/ridgewatt");
  auto shell = std::make_shared<Shell>();
  listed_choice(*command, "SHELL", *shell, "The shell")->required();
  command->callback([shell] { std::cout << completion_script(*shell); });
}

// What the scripts call: candidates for the last of these words, one per line.
void add_complete(CLI::App& app, Context&) {
  CLI::App* complete = command_named(app, "complete", "Candidates for the last word of a line");
  auto words = std::make_shared<std::vector<std::string>>();
  complete->add_option("WORDS", *words, "The words so far");
  complete->callback([&app, words] {
    complete_program(app);
    for (const auto& candidate : completions(app, *words)) {
      std::cout << candidate.word << '\t' << candidate.description << '\n';
    }
  });
}

}  // namespace ridgewatt::cli
