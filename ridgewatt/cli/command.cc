#include "ridgewatt/cli/command.h"

#include "ridgewatt/base/file.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::cli {

CLI::App* add_command(CLI::App& parent, Context& context, const std::string& name,
                      const std::string& description, const std::string& example) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->add_option("--format", context.format, "Output format")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_option("--seed", context.seed, "Seed of all random choices")->capture_default_str();
  command->add_flag("--quiet,-q", context.quiet, "No progress and no remarks");
  command->footer("Example:\n  " + example);
  return command;
}

void print(const Context& context, const Table& table) {
  if (context.json())
    print(table.to_json());
  else if (context.csv())
    table.print_csv(std::cout);
  else
    table.print_terminal(std::cout);
}

void print(const Json& json) {
  std::cout << dump_json(json) << '\n';
}

void remark(const Context& context, const std::string& text) {
  if (!context.quiet) std::cerr << escape_terminal(text) << '\n';
}

void write_output(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-")
    std::cout << text;
  else
    write_file_atomically(path, text);
}

}  // namespace ridgewatt::cli
