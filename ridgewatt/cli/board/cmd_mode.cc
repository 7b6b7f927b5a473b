// ridgewatt mode: power modes of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/board_report.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {
namespace {

struct ModeCommand {
  DeviceOptions device;
  ModeOptions knobs;
  std::string preset;
  std::string answer;
  bool grid = false;
  bool dry_run = false;
  double hold_s = 0;
  double max_celsius = 100;
  int id = 100;
  std::string name = "RIDGEWATT";
  bool whole_file = false;
  std::string output;
};

platform::JetsonModeControl control_of(const platform::LocalDevice& device,
                                       const ModeCommand& options) {
  return {*device.sysfs, {options.device.state_folder, options.max_celsius, options.dry_run}};
}

void list_modes(const Context& context, const ModeCommand& options) {
  const auto device = options.device.open(context);
  const auto control = control_of(device, options);
  if (!control.warning().empty()) remark(context, control.warning());
  if (options.grid) return print(context, report::mode_grid_table(control.space().modes()));
  print(context, report::mode_list_result(control));
}

void show_mode(const Context& context, const ModeCommand& options) {
  const auto device = options.device.open(context);
  const auto control = control_of(device, options);
  if (!control.warning().empty()) remark(context, control.warning());
  control.levels();  // throws if this machine has no knobs
  print(context, report::mode_state_result(control.state()));
}

void hold(platform::JetsonModeControl& control, double seconds) {
  static constexpr double kLookEveryS = 0.5;
  const Stopwatch held;
  while (held.s() < seconds) {
    control.check_safety();
    const double left_s = std::max(0.0, seconds - held.s());
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kLookEveryS, left_s)));
  }
  control.restore();
}

// Clocks leave the SMs as the last preset set them. Estimates assume that all are on, except in the
// modes of presets.
void remark_on_sms(const Context& context, const platform::Sysfs& sysfs,
                   const platform::JetsonLayout& layout) {
  try {
    const auto name = platform::local_board(sysfs);
    if (!name) return;
    const Board board = load_board(*name);
    const int on = platform::sms_left_on(sysfs, layout, board);
    if (on >= board.sms) return;
    remark(context, fmt::format("{} of {} SMs stay on, as in the last preset; estimates of modes "
                                "without a preset assume that all are on",
                                on, board.sms));
  } catch (const NotFoundError&) {  // no file of this board
  }
}

void apply(const Context& context, const ModeCommand& options) {
  const int ways = (options.preset.empty() ? 0 : 1) + (options.knobs.given() ? 1 : 0) +
                   (options.answer.empty() ? 0 : 1);
  if (ways != 1) {
    throw UsageError("mode apply needs one of MODE, clocks and --answer", "",
                     "for example ridgewatt mode apply --gpu-mhz 612");
  }
  check_table_options(context, report::writes_table({}));
  const auto device = options.device.open(context);
  auto control = control_of(device, options);
  const auto& knobs = options.knobs;
  const auto summary = !options.preset.empty() ? apply_mode(control, options.preset)
                       : !options.answer.empty()
                           ? control.apply(report::mode_of_answer(options.answer))
                           : control.apply(knobs.mode(), knobs.gpu_governor);
  remark_on_clocks(context, options.preset, summary);
  if (!is_preset_text(options.preset)) remark_on_sms(context, *device.sysfs, control.layout());
  if (context.json() || context.csv() || options.dry_run) {
    print(context, report::apply_result(summary, options.dry_run));
  } else if (!context.quiet) {
    std::cout << report::applied_text(summary, knobs.gpu_governor);
  }
  if (!std::cout.flush()) throw IoError("cannot write to standard output");
  if (options.dry_run) return;
  if (options.hold_s > 0)
    hold(control, options.hold_s);
  else
    control.keep_and_exit();
}

void restore(const Context& context, const ModeCommand& options) {
  check_table_options(context, report::writes_table({}));
  const auto device = options.device.open(context);
  const platform::JetsonLayout layout = platform::find_jetson_layout(*device.sysfs);
  const std::string folder = options.device.state_folder.empty()
                                 ? platform::ModeJournal::default_folder(*device.sysfs)
                                 : options.device.state_folder;
  const auto summary = platform::restore_saved_mode(*device.sysfs, layout, folder);
  if (context.json() || context.csv()) {
    print(context, report::writes_table(summary));
  } else if (!context.quiet) {
    std::cout << "restored: " << counted(std::ssize(summary.writes), "file") << " written\n";
  }
}

void export_mode(const Context& context, const ModeCommand& options) {
  const auto device = options.device.open(context);
  const auto control = control_of(device, options);
  if (!control.presets()) {
    throw NotFoundError("the board has no nvpmodel.conf", "/etc/nvpmodel.conf",
                        "only NVIDIA Jetson boards have this file");
  }
  PowerMode mode = options.knobs.mode();
  if (!options.knobs.given()) {
    mode = control.state().limits;
    mode.governor.clear();
  }
  if (!mode.governor.empty())
    throw UsageError(
        "mode export cannot write a governor, because a POWER_MODEL section states only clocks", "",
        "give clocks");
  const std::string section =
      platform::power_model_section(*control.presets(), mode, options.id, options.name);
  const std::string file =
      options.whole_file ? device.sysfs->text("/etc/nvpmodel.conf").value_or("") + "\n\n" : "";
  if (context.json() && options.output.empty())
    print(context, report::power_model_json(options.id, options.name, mode, file + section));
  else
    write_output(options.output, file + section);
}

struct FakeBoardCommand {
  std::string board, folder;
};

void lay_out(const Context& context, const FakeBoardCommand& options) {
  const auto spec = platform::fake_board_spec(options.board);
  platform::create_fake_board(spec, options.folder, context.seed,
                              platform::fake_specimen_of_environment());
  platform::heat_fake_board(options.folder, platform::fake_heat_of_environment());
  if (context.json())
    print(context, report::fake_board_json(spec.name, options.folder, context.seed));
  else if (!context.quiet)
    std::cout << "fake board " << spec.name << " in " << options.folder << "\n";
}

}  // namespace

void add_mode(CLI::App& app, Context& context) {
  auto* mode =
      add_command(app, context, "mode", "Power modes of the board",
                  "ridgewatt mode list\n  ridgewatt mode apply --cpu-cores 8 --gpu-mhz 612 "
                  "--mem-mhz 2133\n  ridgewatt mode apply MODE_30W --dry-run\n  ridgewatt "
                  "mode restore");
  mode->require_subcommand(1);
  const auto on_board = [&](const char* name, const char* description, const char* example,
                            void (*run)(const Context&, const ModeCommand&)) {
    auto made = define<ModeCommand>(*mode, context, name, description, example, run);
    add_device_options(made.command, made.options.device);
    return made;
  };
  const auto [lists, listed, add_list] =
      on_board("list", "Presets, governors and knob tables",
               "ridgewatt mode list --device fake:agx-orin", list_modes);
  add_list.flag("--grid", listed.grid, "List every combination of the knob tables");
  on_board("show", "The board's current power mode", "ridgewatt mode show", show_mode);
  const auto [applies, applied, add_apply] =
      on_board("apply", "Set a preset or clocks; 'mode restore' undoes it",
               "ridgewatt mode apply --cpu-cores 4 --cpu-mhz 1113.6", apply);
  add_apply.words("MODE", applied.preset, {answer::presets},
                  std::string("Mode: ") + kModeText + "; presets are those of nvpmodel.conf");
  add_apply.input("--answer", applied.answer, "File with the answer of tune --format json");
  add_mode_options(applies, applied.knobs);
  add_apply.text("--gpu-governor", applied.knobs.gpu_governor,
                 "DVFS governor of the GPU: nvhost_podgov, ..");
  add_apply.flag("--dry-run", applied.dry_run,
                 "Print what would be written to the knobs, and write nothing");
  add_apply.optional("--for", applied.hold_s, seconds().positive(),
                     "Seconds to hold the mode, then restore");
  add_apply.number("--max-celsius", applied.max_celsius, celsius(), "Abort above this temperature");
  on_board("restore", "Undo 'mode apply'", "ridgewatt mode restore", restore);
  const auto [exports, exported, add_export] =
      on_board("export", "Write a POWER_MODEL section for nvpmodel",
               "ridgewatt mode export --gpu-mhz 612 --id 20 --name MINE -o mine.conf", export_mode);
  add_mode_options(exports, exported.knobs);
  add_export.number("--id", exported.id, count().within(0, 9999), "Id of the new mode");
  add_export.named("--name", exported.name, "Name of the new mode");
  add_export.flag("--whole-file", exported.whole_file,
                  "Write the board's whole nvpmodel.conf with the new mode at its end");
  add_export.output("-o,--output", exported.output, "File to write");
}

void add_fake_board(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<FakeBoardCommand>(
      app, context, "fake-board", "Create the system files of a fake board in a folder",
      "ridgewatt fake-board agx-orin /tmp/board\n  ridgewatt sensors "
      "--sysroot /tmp/board",
      lay_out);
  add.words("BOARD", options.board, {answer::fake_boards},
            "agx-orin, orin-nano, xavier-nx, nano, thor, ..")
      ->required();
  add.text("FOLDER", options.folder, "Folder to create, or an empty one")->required();
}

}  // namespace ridgewatt::cli
