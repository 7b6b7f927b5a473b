#include "ridgewatt/cli/command.h"

#include <filesystem>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/measure/program_watch.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/result.h"

namespace ridgewatt::cli {

void add_global_options(CLI::App& app, Context& context) {
  const OptionAdder add(app, kEveryCommand);
  add.choice("--format", context.format, "Output format");
  add.number("--seed", context.seed, count().within(0, 2e19), "Seed of all random choices");
  add.flag("--quiet,-q", context.quiet, "Print no progress and no remarks");
  add.flag("--with-figures", context.with_figures,
           "With --format json: add the key \"figures\" with the data of the result's figures");
  add_table_options(app, context);
}

void add_output_option(CLI::App& command, Context& context) {
  const OptionAdder add(command, kEveryCommand);
  add.output("-o,--output", context.output.path, "Write the result to this file");
}

CLI::App* command_named(CLI::App& parent, std::string_view name, std::string_view description) {
  const auto found =
      parent.get_subcommands([&](CLI::App* command) { return command->get_name() == name; });
  CLI::App* command = found.empty() ? parent.add_subcommand(std::string(name))->group("Subcommands")
                                    : found.front();
  command->description(std::string(description));
  return command;
}

KeptOutput::~KeptOutput() {
  if (keeps()) std::cout.rdbuf(terminal_);
}

void KeptOutput::begin() {
  if (path.empty()) return;
  file_.emplace(path);
  terminal_ = std::cout.rdbuf(this);
}

KeptOutput::int_type KeptOutput::overflow(int_type character) {
  const char one = traits_type::to_char_type(character);
  file_->append({&one, 1});
  return character;
}

std::streamsize KeptOutput::xsputn(const char* text, std::streamsize size) {
  file_->append({text, static_cast<std::size_t>(size)});
  return size;
}

void KeptOutput::finish() {
  if (!keeps()) return;
  std::cout.rdbuf(std::exchange(terminal_, nullptr));
  std::cout << std::flush;  // what was printed before comes first
  refuse_input(path);
  file_->finish();
}

CLI::App* add_command(CLI::App& parent, Context& context, std::string_view name,
                      std::string_view description, std::string_view example) {
  CLI::App* command = command_named(parent, name, description);
  add_global_options(*command, context);
  command->footer(fmt::format("Example:\n  {}", example));
  return command;
}

Json schema_first(const Context& context, const Json& result) {
  const std::string name = full_name(innermost(*context.program));
  Json whole = report::with_schema(
      context.result_of.empty() ? name.substr(name.find(' ') + 1) : context.result_of, result);
  // Commands whose figures show more than the result have added their figures already.
  if (context.with_figures && !whole.contains("figures")) {
    whole["figures"] = report::result_figures(whole);
  }
  return whole;
}

std::string json_text(const Context& context, const Json& result) {
  return dump_json(schema_first(context, result)) + '\n';
}

void print(const Context& context, const Json& result) {
  std::cout << json_text(context, result);
}

void remark(const Context& context, const std::string& text) {
  // One write per line, because other threads print remarks at the same time.
  if (!context.quiet) std::cerr << escape_terminal(text) + '\n';
}

void check_status(int status, const std::vector<std::string>& program) {
  if (status == 0) return;
  std::cout.flush();
  measure::require_success(status, program);
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) throw_errno(failed.value(), "cannot create the folder", path);
}

void write_output(const std::string& path, std::string_view text) {
  std::cout << std::flush;  // what was printed before comes first
  refuse_input(path);
  ridgewatt::write_output(path.empty() ? "-" : path, text);
}

}  // namespace ridgewatt::cli
