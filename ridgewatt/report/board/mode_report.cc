#include "ridgewatt/report/board_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

Json mode_list_json(const platform::JetsonModeControl& control) {
  Json json = json_object({{"presets", Json::array()},
                           {"governors", control.governors()},
                           {"gpu_governors", control.gpu_governors()}});
  if (control.presets()) {
    for (const auto& preset : control.presets()->modes) {
      json["presets"].push_back(
          json_object({{"id", preset.id},
                       {"name", preset.name},
                       {"mode", mode_to_json(platform::limits_of(*control.presets(), preset))},
                       {"default", control.presets()->default_id == preset.id}}));
    }
  }
  const auto levels = control.levels();
  Json knobs = Json::object();
  std::int64_t count = 1;
  for (const Knob knob : kKnobs) {
    auto values = levels[knob];
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    Json list = Json::array();
    for (const double value : values) {
      PowerMode mode;
      mode.set(knob, value);
      if (knob == Knob::kCpuCores)
        list.push_back(mode.cpu_cores);
      else
        list.push_back(knob_in_field_unit(mode, knob));
    }
    count *= static_cast<std::int64_t>(values.size());
    knobs[std::string(knob_field(knob))] = list;
  }
  json["knobs"] = knobs;
  json["modes"] = count;
  return json;
}

Table mode_list_table(const platform::JetsonModeControl& control) {
  std::vector<Column> columns = {{"kind"}, {"id"}, {"name"}};
  const auto knobs = knob_columns();
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  Table table(std::move(columns));
  const auto row = [&](const char* kind, Cell id, const std::string& name, const PowerMode& mode) {
    std::vector<Cell> cells = {kind, std::move(id), name};
    for (auto& cell : knob_cells(mode, knobs)) cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  };
  if (control.presets()) {
    for (const auto& preset : control.presets()->modes) {
      row("preset", std::int64_t{preset.id}, preset.name,
          platform::limits_of(*control.presets(), preset));
    }
  }
  for (const auto& governor : control.governors()) row("governor", Cell(), governor, {});
  for (const auto& governor : control.gpu_governors()) row("GPU governor", Cell(), governor, {});
  const KnobSpace space = control.space();
  row("highest of the grid", Cell(), counted(space.size(), "mode"), space.top());
  row("lowest of the grid", Cell(), "", space.modes().front());
  return table;
}

Json mode_state_json(const platform::ModeState& state) {
  PowerMode limits = state.limits;
  limits.governor.clear();
  return json_object({{"mode", mode_to_json(limits)},
                      {"fixed", json_object({{"cpu", state.cpu_fixed},
                                             {"gpu", state.gpu_fixed},
                                             {"mem", state.mem_fixed}})},
                      {"governor", state.limits.governor},
                      {"gpu_governor", state.gpu_governor},
                      {"preset", state.preset.empty() ? Json() : Json(state.preset)}});
}

Table mode_state_table(const platform::ModeState& state) {
  Table table({{"knob"}, {.name = "value", .digits = kNominal}, {"unit"}, {"held"}, {"governor"}});
  const auto& mode = state.limits;
  const auto add_clock = [&](const char* name, Knob knob, bool fixed, const std::string& governor) {
    const bool known = mode.has(knob);
    if (!known && governor.empty()) return;  // the machine does not have this clock
    table.add_row({name, known ? Cell(knob_in_field_unit(mode, knob)) : Cell(), "MHz",
                   known ? (fixed ? "fixed" : "upper limit") : "", governor});
  };
  table.add_row({"CPU cores", std::int64_t{mode.cpu_cores}, "", "", ""});
  add_clock("CPU clock", Knob::kCpuClock, state.cpu_fixed, mode.governor);
  add_clock("GPU clock", Knob::kGpuClock, state.gpu_fixed, state.gpu_governor);
  add_clock("memory clock", Knob::kMemClock, state.mem_fixed, "");
  table.add_row({"preset", state.preset.empty() ? "none" : state.preset, "", "", ""});
  return table;
}

Json apply_json(const platform::ApplySummary& summary, bool dry_run) {
  Json json = json_object({{"requested", mode_to_json(summary.requested)},
                           {"applied", mode_to_json(summary.applied)},
                           {"dry_run", dry_run},
                           {"writes", Json::array()},
                           {"changed_by_board", Json::array()}});
  for (const auto& write : summary.written.writes) {
    json["writes"].push_back(json_object({{"path", write.path}, {"value", write.value}}));
  }
  for (const auto& changed : summary.written.changed) {
    json["changed_by_board"].push_back(json_object(
        {{"path", changed.path}, {"wanted", changed.wanted}, {"found", changed.found}}));
  }
  return json;
}

}  // namespace

Result mode_list_result(const platform::JetsonModeControl& control) {
  return {.table = mode_list_table(control), .json = mode_list_json(control)};
}

Result mode_state_result(const platform::ModeState& state) {
  return {.table = mode_state_table(state), .json = mode_state_json(state)};
}

Result apply_result(const platform::ApplySummary& summary, bool dry_run) {
  return {.table = writes_table(summary.written), .json = apply_json(summary, dry_run)};
}

std::string applied_text(const platform::ApplySummary& summary, const std::string& gpu_governor) {
  const std::string governor = gpu_governor.empty() ? "" : ", GPU governor " + gpu_governor;
  const auto changed = std::ssize(summary.written.changed);
  return "applied: " + describe(summary.applied) + governor + "; " +
         counted(std::ssize(summary.written.writes), "file") + " written" +
         (changed > 0 ? fmt::format(", {} changed by the board", changed) : "") + "\n";
}

Table mode_grid_table(const std::vector<PowerMode>& modes) {
  return table_of<PowerMode>({{{"mode"}, [](const PowerMode& mode) { return mode; }}}, modes);
}

Json power_model_json(int id, const std::string& name, const PowerMode& mode,
                      const std::string& text) {
  return json_object({{"id", id}, {"name", name}, {"mode", mode_to_json(mode)}, {"text", text}});
}

Json fake_board_json(const std::string& board, const std::string& folder, std::uint64_t seed) {
  return json_object({{"board", board}, {"folder", folder}, {"seed", seed}});
}

Table writes_table(const platform::WriteSummary& summary) {
  Table table({{"path"}, {"value"}, {"found"}});
  for (const auto& write : summary.writes) {
    Cell found;
    for (const auto& changed : summary.changed) {
      if (changed.path == write.path && changed.wanted == write.value) found = changed.found;
    }
    table.add_row({write.path, write.value, found});
  }
  return table;
}

}  // namespace ridgewatt::report
