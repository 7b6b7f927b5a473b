// Creates the command of a question from its table of parameters (answer/parameter.h).
//
//   ask<answer::fits_parameters, answer::fits_on_boards, report::fits_result>(app, context);
//   const auto [command, options, add] =
//       define<LlmCommand, &LlmCommand::language>(app, context, answer::llm_parameters(), run);
//   options.figures.add_to(command, "what they show");  // an option outside of the question
#pragma once

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/cli/options/option_adder.h"

namespace ridgewatt::cli {

// `rows` and `part`, the member of the question that they set, must outlive `command`. `group`:
// heading of the options in the help; empty: the default heading.
void add_rows(CLI::App& command, std::span<const answer::Parameter> rows, void* part,
              const std::string& group = {});
// Adds all rows of a table except the option named `own`, which the command declares itself.
// `table` and `question` must outlive `command`.
void add_parameters(CLI::App& command, const answer::ParameterTable& table, void* question,
                    const std::string& own = {});

// Throws UsageError for a given option that has no effect on this question in one of
// `forms`.
void check_parameters(const CLI::App& command, const answer::ParameterTable& table,
                      const void* question, std::span<const answer::AskedForm> forms = {});

// Throws UsageError for a given option of these rows that has no effect.
void check_rows(const CLI::App& command, std::span<const answer::Parameter> rows);

// Throws UsageError for the first of the rows that was given: "--sweep has no effect with
// --samples".
void refuse_rows(const CLI::App& command, std::span<const answer::Parameter> rows,
                 const std::string& when, const std::string& advice);

// Returns the name of the option or argument of a row: "--max-power", "MODEL".
std::string option_name(const answer::Parameter& row);
// Returns the name of a table's command in its parent: "plan" for "schedule plan".
std::string command_name(const answer::ParameterTable& table);

// Sets the board that the question needs, but leaves out, to that of this machine.
void use_local_board(const Context& context, const answer::ParameterTable& table, void* question);

// Adds the command of a table to `parent` with its name, description and example, but without
// options.
template <class Options>
Defined<Options> define_bare(CLI::App& parent, Context& context,
                             const answer::ParameterTable& table, Action<Options> action) {
  return define<Options>(parent, context, command_name(table), std::string(table.description),
                         std::string(table.example), std::move(action));
}

// Adds the command of a table to `parent`, with its options. `kQuestion`: the member of Options
// that the table sets; null: Options itself. Before `action` is called, check_parameters() and
// use_local_board() are called, unless it has the parameter `command` and does this itself.
template <class Options, auto kQuestion = nullptr>
Defined<Options> define(CLI::App& parent, Context& context, const answer::ParameterTable& table,
                        Action<Options> action) {
  const auto question_of = [](Options& options) -> void* {
    if constexpr (std::is_null_pointer_v<decltype(kQuestion)>) {
      return &options;
    } else {
      return &(options.*kQuestion);
    }
  };
  if (!action.checks()) {
    action =
        Action<Options>([=, &table](Context& given, Options& options, const CLI::App& command) {
          check_parameters(command, table, question_of(options));
          use_local_board(given, table, question_of(options));
          action(given, options, command);
        });
  }
  const auto defined = define_bare<Options>(parent, context, table, std::move(action));
  add_parameters(defined.command, table, question_of(defined.options));
  return defined;
}

template <class Answer, class Question>
Question asked_by(Answer (*)(const Question&));

// Adds the command of a question that has no options outside of its table. It prints the result of
// the answer: kResult(answer) or kResult(question, answer, format).
template <answer::ParameterTableOf* kTable, auto* kAnswer, auto* kResult>
void ask(CLI::App& parent, Context& context) {
  using Question = decltype(asked_by(kAnswer));
  void (*const run)(const Context&, const Question&) = [](const auto& given, const auto& asked) {
    if constexpr (requires { kResult(kAnswer(asked)); }) {
      print(given, kResult(kAnswer(asked)));
    } else {
      print(given, kResult(asked, kAnswer(asked), given.format));
    }
  };
  define<Question>(parent, context, kTable(), run);
}

}  // namespace ridgewatt::cli
