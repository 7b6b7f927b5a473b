// What a language model costs, as tables and in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/language/figures_of.h"
#include "ridgewatt/report/language_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {
namespace {

std::string yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

// Which properties differ between the rows.
struct Varied {
  bool board = true, runtime = true, quantization = true;
  bool named = false;  // every mode is a preset
};

Varied varied(const answer::LanguageAnswer& found, bool for_people) {
  Varied varies;
  if (for_people) {
    std::set<std::size_t> boards, weights;
    std::set<std::string> engines;
    for (const auto& setting : found.settings) {
      boards.insert(setting.board);
      weights.insert(setting.weights);
      engines.insert(setting.engine->name);
    }
    varies.board = boards.size() > 1;
    varies.runtime = engines.size() > 1;
    varies.quantization = weights.size() > 1;
  }
  const auto is_preset = [&](const auto& row) {
    return !preset_name(found.board_of(row), row.mode).empty();
  };
  varies.named = std::all_of(found.rows.begin(), found.rows.end(), is_preset);
  return varies;
}

std::vector<Column> memory_columns(bool for_people) {
  if (for_people) {
    return {{.name = "memory_gib", .digits = 3, .rank = 2},
            {.name = "fits"},
            {.name = "largest_context", .rank = 4},
            {.name = "largest_batch", .rank = 5}};
  }
  return {{"memory_bytes"}, {"memory_gib"}, {"fits"}, {"largest_context"}, {"largest_batch"}};
}

void add_memory_cells(std::vector<Cell>& cells, const llm::Fit& fit, bool for_people) {
  const double needed = answer::LanguageMemory::needed_bytes(fit);
  if (!for_people) cells.emplace_back(needed);
  cells.emplace_back(needed / kGibibyte);
  cells.emplace_back(fits_word(fit));
  cells.emplace_back(fit.largest_context);
  cells.emplace_back(fit.largest_batch);
}

std::vector<Column> language_columns(const answer::LanguageAnswer& found, const Varied& varies,
                                     const std::vector<Column>& knobs, bool for_people) {
  std::vector<Column> columns;
  if (!for_people) append(columns, {{"model"}});
  if (varies.board) append(columns, {column("board")});
  if (varies.quantization) append(columns, {{"quantization"}});
  if (varies.runtime) append(columns, {column("runtime")});
  append(columns, {optional_column("preset", varies.named ? 0 : 3)});
  append(columns, knobs);
  append(columns, forecast_columns());
  append(columns, {column("bound", 2)});
  append(columns, memory_columns(for_people));
  append(columns, {{.name = "on_front", .heading = "on the front", .rank = 6}});
  if (for_people) return columns;
  for (const std::int64_t context : found.question.contexts) {
    append(columns, {{fmt::format("step_at_{}_ms", context)}});
  }
  append(columns, {{"idle_w"}, {"bounded_by"}, {"interval_widened_by"}, column("provenance")});
  return columns;
}

// For example, "8.03 billion".
std::string count_text(std::int64_t count) {
  const auto value = static_cast<double>(count);
  return value >= 1e9 ? sentence("{:.3g} billion", value / 1e9)
                      : sentence("{:.3g} million", value / 1e6);
}

std::string request_text(const llm::Request& request) {
  std::string text = fmt::format("a prompt of {}, {} generated",
                                 counted(request.prompt_tokens, "token"), request.generated_tokens);
  if (request.concurrency > 1)
    text += fmt::format(", {} sequences in parallel", request.concurrency);
  return text;
}

std::string longest_text(const llm::Fit& fit, std::int64_t sequences) {
  if (fit.largest_context == 0) return "";
  return fmt::format("; up to {} {}{}", counted(fit.largest_context, "token"),
                     sequences == 1 ? "in one sequence" : "in each",
                     fit.context_of_model ? ", the model's training context" : "");
}

std::optional<std::string> beyond_training(const answer::LanguageAnswer& found) {
  const std::int64_t trained = found.model.description.context;
  const llm::Request& request = found.question.request;
  if (trained <= 0 || request.prompt_tokens + request.generated_tokens <= trained) return {};
  return fmt::format("the model was trained for a context of {}", trained);
}

}  // namespace

std::string board_label(const Board& board) {
  const bool usual = board.bsp.empty() || board.bsp == board.default_bsp;
  return usual ? board.name : board.name + "@" + board.bsp;
}

namespace {

Rows language_rows(const answer::LanguageAnswer& found, const LanguageTableOptions& options) {
  const bool people = options.for_people;
  const Varied varies = varied(found, people);
  const std::vector<Column> knobs = knob_columns(varies.named ? 3 : 0);
  std::vector<const answer::LanguageRow*> shown;
  for (const auto& row : found.rows) {
    if (!options.front || row.on_front) shown.push_back(&row);
  }
  Rows rows{language_columns(found, varies, knobs, people), shown.size(), {}};
  rows.fill = [&found, people, varies, knobs, shown = std::move(shown)](std::size_t i,
                                                                        std::vector<Cell>& cells) {
    const answer::LanguageRow& row = *shown[i];
    const Board& board = found.board_of(row);
    cells.clear();
    if (!people) cells.emplace_back(found.model.name);
    if (varies.board) cells.emplace_back(board_label(board));
    if (varies.quantization) cells.emplace_back(found.quantization_of(row));
    if (varies.runtime) cells.emplace_back(found.setting_of(row).engine->name);
    const std::string preset = preset_name(board, row.mode);
    cells.push_back(preset.empty() ? Cell() : Cell(preset));
    for (auto& cell : knob_cells(row.mode, knobs)) cells.push_back(std::move(cell));
    add_forecast(cells, row.forecast);
    cells.emplace_back(row.forecast.limited_by);
    add_memory_cells(cells, found.memory_of(row).fit, people);
    cells.emplace_back(yes_or_no(row.on_front));
    if (!people) {
      for (const double step_s : row.step_s) cells.emplace_back(step_s * 1e3);
      cells.push_back(known_cell(row.forecast.idle_w));
      for (const auto& reasons : {row.forecast.bounded_by, found.widened_by(row)}) {
        cells.push_back(reasons.empty() ? Cell()
                                        : Cell(fmt::format("{}", fmt::join(reasons, "; "))));
      }
      cells.emplace_back("modelled");
    }
  };
  return rows;
}

}  // namespace

Table language_table(const answer::LanguageAnswer& found, const LanguageTableOptions& options) {
  return language_rows(found, options).table();
}

std::vector<std::string> language_headline(const answer::LanguageAnswer& found) {
  const answer::LanguageRow& first = found.rows.front();
  const auto& setting = found.setting_of(first);
  const llm::Request& request = found.question.request;
  std::string what = found.model.name;
  if (found.model.weights_known) {
    const std::int64_t parameters = llm::parameters_of(found.model.description);
    const std::int64_t active = llm::active_parameters_of(found.model.description);
    what += ", " + count_text(parameters) + " parameters";
    if (active < parameters) what += " (" + count_text(active) + " for each token)";
  }
  std::vector<std::string> lines = {what + ": " + request_text(request)};
  if (found.settings.size() > 1) return lines;
  const auto& memory = found.memory_of(first);
  lines.push_back(fmt::format("{} in {} on {}, modelled; 90 % intervals",
                              found.quantization_of(first), setting.title,
                              board_label(found.board_of(first))));
  lines.push_back("memory: " + fits_text(memory.fit) +
                  longest_text(memory.fit, request.concurrency));
  if (!memory.fit.fits()) {
    lines.emplace_back("the model does not fit; the figures ignore this");
  }
  return lines;
}

// Notes the modes with fewer cores than any run to which an engine was fitted.
std::optional<std::string> fewer_cores(const answer::LanguageAnswer& found) {
  constexpr int kFitted = answer::LanguageTuneRequest::kCoresOfRuns;
  std::size_t beyond = 0, chosen = 0;
  for (const auto& row : found.rows) {
    if (row.mode.cpu_cores <= 0 || row.mode.cpu_cores >= kFitted) continue;
    if (!found.board_of(row).has_gpu()) continue;  // llama.cpp was measured from one thread
    ++beyond;
    chosen += row.on_front ? 1 : 0;
  }
  if (beyond == 0) return std::nullopt;
  return fmt::format(
      "no engine was fitted with fewer than {} CPU cores: {} of {}{} have fewer, so their figures "
      "are extrapolated",
      kFitted, beyond, counted(found.rows.size(), "row"),
      chosen > 0 ? fmt::format(" ({} on the front)", chosen) : "");
}

std::vector<std::string> language_remarks(const answer::LanguageAnswer& found) {
  std::vector<std::string> lines = found.model.remarks;
  std::map<std::string, std::size_t> wide;  // number of settings by reason
  std::set<std::string> python;
  for (const auto& setting : found.settings) {
    for (const auto& reason : setting.widened_by) ++wide[reason];
    const std::string& name = setting.engine->name;
    const auto* facts = llm::find_engine_facts(name);
    if (facts != nullptr && facts->python) python.insert(name);
  }
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : wide) {
    const bool all = count == found.settings.size();
    reasons.push_back(
        all ? reason
            : fmt::format("{} ({} of {} combinations)", reason, count, found.settings.size()));
  }
  if (!reasons.empty()) lines.push_back(wide_note(reasons));
  if (!python.empty()) {
    lines.push_back(
        fmt::format("memory is that of a C++ engine; {} also loads Python and its libraries",
                    fmt::join(python, ", ")));
  }
  const auto over = std::count_if(found.rows.begin(), found.rows.end(),
                                  [](const auto& row) { return row.forecast.over_limit; });
  if (over > 0) {
    lines.push_back(
        fmt::format("{} of {}: the modelled power exceeds the limit, so the times may be longer, "
                    "up to the ends of their intervals",
                    over, counted(found.rows.size(), "row")));
  }
  std::vector<std::string> presets;
  std::vector<double> drawn_w;
  std::map<std::size_t, std::vector<PowerMode>> modes;  // by board
  for (const auto& row : found.rows) {
    modes[found.setting_of(row).board].push_back(row.mode);
    if (!row.forecast.power_known()) continue;
    presets.push_back(name_without_cap(preset_name(found.board_of(row), row.mode), row.mode));
    drawn_w.push_back(
        std::max(row.forecast.prefill_power_w.value, row.forecast.decode_power_w.value));
  }
  const std::string note = preset_note(presets, drawn_w);
  if (!note.empty() && same_word(found.question.modes, "presets")) lines.push_back(note);
  for (const auto& [board, of_board] : modes) {
    const auto texts = sms_off_texts(found.boards[board], of_board);
    if (texts.empty()) continue;
    lines.push_back(fmt::format("{}: {}; a mode with the same knobs counts as the preset",
                                found.boards[board].name, fmt::join(texts, ", ")));
  }
  if (auto line = fewer_cores(found)) lines.push_back(std::move(*line));
  if (auto line = beyond_training(found)) lines.push_back(std::move(*line));
  return lines;
}

Table language_context_table(const answer::LanguageAnswer& found) {
  Table table({{.name = "context", .digits = kNominal},
               {.name = "step_ms", .heading = "time per token (ms)", .digits = 3},
               {.name = "tokens_per_s", .heading = "tokens per second", .digits = 3},
               {.name = "kv_gib", .heading = "cache (GiB)", .digits = 3},
               {.name = "memory_gib", .digits = 3},
               {.name = "fits"}});
  const answer::LanguageRow& row = found.rows[found.shown];
  const auto sequences = static_cast<double>(found.question.request.concurrency);
  for (std::size_t i = 0; i < row.step_s.size(); ++i) {
    const llm::Fit& fit = found.memory_of(row).at_contexts[i];
    table.add_row({found.question.contexts[i], row.step_s[i] * 1e3, sequences / row.step_s[i],
                   fit.kv_bytes / kGibibyte, answer::LanguageMemory::needed_bytes(fit) / kGibibyte,
                   fits_word(fit)});
  }
  return table;
}

Table language_phase_table(const answer::LanguageAnswer& found) {
  Table table({{"phase"},
               {.name = "work_gflop", .digits = 3},
               {.name = "traffic_gb", .digits = 3},
               {.name = "flop_per_byte", .heading = "FLOP per byte", .digits = 3},
               {.name = "ridge_flop_per_byte", .heading = "ridge (FLOP/byte)", .digits = 3},
               column("bound"),
               {.name = "least_ms", .heading = "at the roof (ms)", .digits = 3},
               {.name = "modelled_ms", .heading = "modelled (ms)", .digits = 3},
               {.name = "roof_share_pct", .heading = "of the roof (%)", .digits = 3}});
  const answer::LanguageRow& row = found.rows[found.shown];
  const answer::LanguageRoof roof = answer::roof_of(found, row);
  for (const auto& step : found.weights[found.setting_of(row).weights].steps) {
    const bool compute = step.intensity() > roof.ridge();
    const double least_s =
        std::max(step.work_flop / roof.flop_per_s, step.traffic_bytes / roof.bytes_per_s);
    const double modelled_s = step.phase == llm::StepPhase::kPrefill ? row.forecast.ttft_s.value
                                                                     : row.forecast.tpot_s.value;
    table.add_row({std::string(name_of(step.phase)), step.work_flop / 1e9, step.traffic_bytes / 1e9,
                   step.intensity(), roof.ridge(), std::string(compute ? "compute" : "memory"),
                   least_s * 1e3, modelled_s * 1e3, 100 * least_s / modelled_s});
  }
  return table;
}

namespace {

// Lists the first three distinct reasons.
std::vector<std::string> left_out_lines(const answer::LanguageAnswer& found) {
  constexpr std::size_t kMostListed = 3;
  std::vector<std::string> lines;
  for (const auto& [what, reason] : found.left_out) {
    std::string line = "left out: " + reason;
    if (!contains(lines, line)) lines.push_back(line);
  }
  if (lines.size() <= kMostListed) return lines;
  const std::size_t more = lines.size() - kMostListed;
  lines.resize(kMostListed);
  lines.push_back(fmt::format("also left out: {} more (--format json lists them)", more));
  return lines;
}

}  // namespace

Result language_result(const answer::LanguageAnswer& found, bool front, OutputFormat format) {
  Result result;
  if (format == OutputFormat::kJson) {
    result.json = language_json(found, front);
    return result;
  }
  result.stream = language_rows(found, {.for_people = false, .front = front});
  result.notes = left_out_lines(found);
  if (format == OutputFormat::kCsv) {
    for (auto line : {fewer_cores(found), beyond_training(found)}) {
      if (line) result.notes.push_back(std::move(*line));
    }
    return result;
  }
  result.table = language_table(found, {.for_people = true, .front = front});
  result.lines_before(language_headline(found));
  result.lines_before({""});
  for (auto& line : language_remarks(found)) result.notes.push_back(std::move(line));
  if (found.settings.size() != 1) return result;
  const Board& board = found.boards[found.settings.front().board];
  const answer::LanguageRow& first = found.rows[found.shown];
  const std::string mode = escape_terminal(mode_name(board, first.mode));
  result.after.push_back({fmt::format("\nA step in {} is limited by {}. By context length:\n\n",
                                      mode, escape_terminal(first.forecast.limited_by)),
                          language_context_table(found)});
  if (!found.weights.front().steps.empty()) {
    result.after.push_back(
        {"\nBoth phases on the roofline of " + mode + ":\n\n", language_phase_table(found)});
  }
  return result;
}

Result language_tune_result(const answer::LanguageTuneRequest& asked,
                            const answer::LanguageTuneAnswer& found, OutputFormat format) {
  const std::string& model = asked.language.model;
  Result result{language_tune_table(found)};
  if (format == OutputFormat::kJson) result.json = language_tune_json(found);
  result.lines_before(language_tune_headline(found));
  result.notes = left_out_lines(found.language);
  if (!found.fits()) {
    const std::string& fitting = found.fitting;
    const auto& boards = found.language.boards;
    result.none = {boards.size() == 1
                       ? "the model does not fit the memory of " + board_label(boards.front())
                       : std::string("the model does not fit any of the boards"),
                   model,
                   fitting.empty() ? "no quantization fits: use a smaller model or another board"
                                   : "--quantization " + fitting + " fits"};
    return result;
  }
  result.lines_before({""});
  for (auto& line : language_remarks(found.language)) result.notes.push_back(std::move(line));
  if (!found.settings.front().best) {
    result.none = {"no mode meets the limits", model, "relax a limit"};
  }
  return result;
}

}  // namespace ridgewatt::report
