// ridgewatt help, man, completion: describes the commands as they are declared to the parser.
#include <fmt/format.h>

#include <map>

#include "ridgewatt/cli/help/complete.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/program.h"

namespace ridgewatt::cli {
namespace {

// Adds the name of the program to each command that another program implements and describes.
Json with_programs(Json reference, const Context& context) {
  for (auto& command : reference["commands"]) {
    for (const auto& entry : context.commands) {
      const bool of_another =
          entry.program != nullptr && command["name"] == "ridgewatt " + std::string(entry.name);
      if (of_another) command["program"] = entry.program;
    }
  }
  return reference;
}

// A remark names the commands of other programs, which write the pages of their commands. They are
// not started here, because an emulator under which this process runs may be unable to start them.
void write_pages(const CLI::App& command, const Context& context, const std::string& folder) {
  make_folder(folder);
  std::map<std::string, std::string> pages = report::manual_pages(reference_of(command));
  for (const auto& entry : context.commands) {
    const std::string page = "ridgewatt-" + std::string(entry.name) + ".1";
    if (entry.program == nullptr || pages.erase(page) == 0) continue;
    remark(context, fmt::format("'ridgewatt man {} -o {}' writes the pages of {}", entry.name,
                                folder, entry.name));
  }
  for (const auto& [name, text] : pages) write_output(folder + "/" + name, text);
}

}  // namespace

void add_help(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "help", "Help on a command; with --format json, on all commands",
                  "ridgewatt help tune\n  ridgewatt help schedule plan");
  auto path = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *path, "Command and its subcommand");
  command->callback([&app, &context, path] {
    if (!path->empty()) hand_over(path->front(), context);
    complete_program(app, context);
    const CLI::App& asked = find_command(app, *path);
    if (context.json())
      return print(context, with_programs(report::reference_json(reference_of(asked)), context));
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
  OptionAdder(*command).place("-o,--output", arguments->folder,
                              "Folder for the pages (default: print the page of COMMAND)");
  command->callback([&app, &context, arguments] {
    if (!arguments->path.empty()) hand_over(arguments->path.front(), context);
    complete_program(app, context);
    const CLI::App& asked = find_command(app, arguments->path);
    if (!arguments->folder.empty()) return write_pages(asked, context, arguments->folder);
    std::cout << report::manual_page(reference_of(asked));
  });
}

void add_completion(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "completion", "Completion of commands, options and values for a shell",
      "ridgewatt completion bash > ~/.local/share/bash-completion/completions/ridgewatt");
  auto shell = std::make_shared<report::Shell>();
  OptionAdder(*command).choice("SHELL", *shell, "The shell")->required()->default_str("");
  command->callback([shell] { std::cout << report::completion_script(*shell); });
}

// Called by the completion scripts: prints candidates for the last of the words, one per line.
void add_complete(CLI::App& app, Context& context) {
  CLI::App* complete = command_named(app, "complete", "Candidates for the last word of a line");
  auto words = std::make_shared<std::vector<std::string>>();
  complete->add_option("WORDS", *words, "The words so far");
  complete->callback([&app, &context, words] {
    complete_program(app, context);
    const CLI::App& place = completed_command(app, *words);
    if (place.get_parent() == &app) hand_over(place.get_name(), context);
    for (const auto& candidate : completions(app, *words)) {
      std::cout << candidate.word << '\t' << candidate.description << '\n';
    }
  });
}

}  // namespace ridgewatt::cli
