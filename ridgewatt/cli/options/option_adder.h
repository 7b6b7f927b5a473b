// Adds options to a command, one line each:
//
//   const OptionAdder add(*command);
//   add.number("--repeats", options->repeats, count().within(1, 100), "Runs of each combination");
//   add.optional("--max-power", options->max_power_w, watts().positive(), "Power cap");
//   add.input("FILE", options->path, "Sweep CSV")->required();
//
// Adds a command with its options and its action:
//
//   const auto [command, options, add] =
//       define<SoakCommand>(app, context, "soak", "Description", "ridgewatt soak ..", run);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/cli/command.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {

class OptionAdder {
 public:
  // `group`: heading of the options in the help; empty: the default heading.
  explicit OptionAdder(CLI::App& command, std::string group = {})
      : command_(command), group_(std::move(group)) {}

  // A number in SI units. number(): the help shows the default. optional(): no default.
  template <class T>
  CLI::Option* number(std::string_view name, T& target, const Quantity& unit,
                      std::string_view help) const {
    CLI::Option* option = optional(name, target, unit, help)->capture_default_str();
    if constexpr (std::is_floating_point_v<T>) {
      if (unit.scale() != 1) option->default_str(format_exact(unit.from_si(target)));
    }
    return option;
  }
  template <class T>
  CLI::Option* optional(std::string_view name, T& target, const Quantity& unit,
                        std::string_view help) const {
    return quantity(text(name, target, help), unit);
  }
  // Numbers separated by commas; the help shows the default.
  template <class T>
  CLI::Option* numbers(std::string_view name, T& target, const Quantity& unit,
                       std::string_view help) const {
    return number(name, target, unit, help)->delimiter(',');
  }
  // A text or a list of texts. named(): the help shows the default. words(), board() and model():
  // completion proposes names.
  template <class T>
  CLI::Option* text(std::string_view name, T& target, std::string_view help) const {
    return grouped(command_.add_option(std::string(name), target, std::string(help)));
  }
  template <class T>
  CLI::Option* named(std::string_view name, T& target, std::string_view help) const {
    return text(name, target, help)->capture_default_str();
  }
  // Each occurrence of the option has exactly one value, so that an argument may follow.
  template <class T>
  CLI::Option* repeated(std::string_view name, T& target, std::string_view help) const {
    return text(name, target, help)->allow_extra_args(false);
  }
  // Texts separated by commas.
  template <class T>
  CLI::Option* list(std::string_view name, T& target, std::string_view help) const {
    return text(name, target, help)->delimiter(',');
  }
  template <class T>
  CLI::Option* words(std::string_view name, T& target, const answer::WordSources& proposed,
                     std::string_view help) const {
    return proposes(text(name, target, help), proposed);
  }
  template <class T>
  CLI::Option* board(std::string_view name, T& target, std::string_view help) const {
    return words(name, target, {answer::boards}, help);
  }
  template <class T>
  CLI::Option* model(std::string_view name, T& target, std::string_view help) const {
    return words(name, target, {answer::models}, help);
  }
  // choice(): one name of an enum; choices(): several names. Other names are a UsageError
  // (base/enum_names.h). The help lists the names, except for stated(), whose `help` must state
  // them.
  template <class E>
  CLI::Option* stated(std::string_view name, E& target, std::string_view help) const {
    return proposes(enumerated(name, target, help), {answer::names_of<E>});
  }
  template <class E>
  CLI::Option* choice(std::string_view name, E& target, std::string_view help) const {
    return list_names(enumerated(name, target, help), names<E>());
  }
  template <class E>
  CLI::Option* choices(std::string_view name, std::vector<E>& target, std::string_view help) const {
    using Texts = std::vector<std::string>;
    const auto set = [&target, what = named_by(name)](const Texts& texts) {
      target.clear();
      for (const auto& text : texts) target.push_back(parse_word<E>(text, what));
    };
    CLI::Option* option =
        command_.add_option_function<Texts>(std::string(name), set, std::string(help));
    option->default_function([&target] {
      Texts texts;
      for (const E value : target) texts.emplace_back(name_of(value));
      return CLI::detail::to_string(texts);
    });
    return grouped(list_names(option->capture_default_str(), names<E>()));
  }
  // One name of a set that is not an enum.
  CLI::Option* one_of(std::string_view name, std::string& target, const NameSet& set,
                      std::string_view help) const {
    const auto take = [&target, set, what = named_by(name)](const std::string& text) {
      target = require_name(what, text, set);
    };
    CLI::Option* option =
        command_.add_option_function<std::string>(std::string(name), take, std::string(help));
    return grouped(list_names(option->default_str(target), set.names));
  }
  template <class T>
  CLI::Option* input(std::string_view name, T& target, std::string_view help) const {
    return input_file(text(name, target, help));
  }
  template <class T>
  CLI::Option* inputs(std::string_view name, T& target, std::string_view help) const {
    return input_file(repeated(name, target, help));
  }
  template <class T>
  CLI::Option* output(std::string_view name, T& target, std::string_view help) const {
    return output_file(text(name, target, help));
  }
  template <class T>
  CLI::Option* place(std::string_view name, T& target, std::string_view help) const {
    return output_place(text(name, target, help));
  }
  CLI::Option* flag(std::string_view name, bool& target, std::string_view help) const {
    return grouped(command_.add_flag(std::string(name), target, std::string(help)));
  }

  // Options that several commands have.
  void sampling(double& rate_hz) const {
    number("--sampling-hz", rate_hz, hertz().within(1, 1000), "Power sampling rate");
  }
  void training(WorkloadKind& kind, std::string_view help) const {
    command_.add_flag_callback(
        "--training", [&kind] { kind = WorkloadKind::kTraining; }, std::string(help));
  }
  void keep_outliers(bool& target) const {
    flag("--keep-outliers", target, "Also use the rows that the quality check flags");
  }
  void ambient(std::optional<double>& target_celsius) const {
    optional("--ambient", target_celsius, celsius().within(-60, 100),
             "Ambient temperature [fitted]");
  }
  template <class T>
  void batch(T& target) const {
    number("--batch", target, count().within(1, 1 << 20), "Minibatch size");
  }
  void headroom(double& target) const {
    number("--headroom", target, share().within(0, 10),
           "Plan for an arrival rate that is higher by this share");
  }
  void socket(std::string& target) const {
    text("--socket", target,
         "Unix socket to serve, mode 0600 (default: ridgewatt.sock in $XDG_RUNTIME_DIR)");
  }
  void sysroot(std::string& target) const {
    text("--sysroot", target,
         "Root folder of the files of a recorded or fake board, in place of /");
  }
  void state_folder(std::string& target) const {
    text("--state-dir", target, "Folder of the journal with the board's original settings");
  }
  void budgets(std::string& target) const {
    named("--budgets", target,
          "Power budgets at which answers are scored, LEAST:MOST in W, in steps of 1 W");
  }
  void groups(std::string& target) const {
    input("--groups", target,
          "Groups of workloads for method auto, made by `evaluate groups` without the scored "
          "workload");
  }
  void threads(int& count_of, const char* help = "Threads; 0: all") const {
    number("--threads", count_of, count().within(0, 1024), help);
  }

 private:
  template <class E>
  CLI::Option* enumerated(std::string_view name, E& target, std::string_view help) const {
    const auto set = [&target, what = named_by(name)](const std::string& text) {
      target = parse_word<E>(text, what);
    };
    CLI::Option* option =
        command_.add_option_function<std::string>(std::string(name), set, std::string(help));
    option->default_function([&target] { return std::string(name_of(target)); });
    return grouped(option->capture_default_str());
  }
  CLI::Option* grouped(CLI::Option* option) const {
    return group_.empty() ? option : option->group(group_);
  }

  CLI::App& command_;
  std::string group_;
};

// The function that a command calls with its parsed options: run(context, options), or run(context,
// options, command) if it checks the options itself. Commands overload the name `run`.
template <class Options>
class Action {
 public:
  using Run = std::function<void(Context&, Options&, const CLI::App&)>;
  Action(void (*run)(const Context&, Options&)) : Action(without_command(run)) {}
  Action(void (*run)(const Context&, const Options&)) : Action(without_command(run)) {}
  Action(void (*run)(Context&, const Options&)) : Action(without_command(run)) {}
  Action(void (*run)(const Context&, Options&, const CLI::App&)) : Action(run, true) {}
  Action(void (*run)(const Context&, const Options&, const CLI::App&)) : Action(run, true) {}
  explicit Action(Run run, bool checks = false) : run_(std::move(run)), checks_(checks) {}

  void operator()(Context& context, Options& options, const CLI::App& command) const {
    run_(context, options, command);
  }
  bool checks() const { return checks_; }

 private:
  template <class Plain>
  static Run without_command(Plain run) {
    return [run](Context& context, Options& options, const CLI::App&) { run(context, options); };
  }

  Run run_;
  bool checks_;
};

// A command, its options, and an OptionAdder to add more options.
template <class Options>
struct Defined {
  CLI::App& command;
  Options& options;
  OptionAdder add;
};

// Adds a subcommand to `parent`, see add_command(). `action` runs unless the command line names one
// of its own subcommands.
template <class Options>
Defined<Options> define(CLI::App& parent, Context& context, std::string_view name,
                        std::string_view description, std::string_view example,
                        Action<Options> action) {
  CLI::App* command = add_command(parent, context, name, description, example);
  auto options = std::make_shared<Options>();
  command->callback([&context, options, command, action = std::move(action)] {
    if (command->get_subcommands().empty()) action(context, *options, *command);
  });
  return {*command, *options, OptionAdder(*command)};
}

}  // namespace ridgewatt::cli
