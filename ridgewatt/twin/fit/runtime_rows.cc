// Reads public measurements of runtimes. Maps the sources' names of boards, models and runtimes to
// ours.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/twin/runtime_fit.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::twin {
namespace {

using workload::DeployedWorkload;
using workload::DeployOptions;
using workload::Precision;

struct Alias {
  std::string_view theirs;  // how the name in the file begins
  std::string_view ours;
  std::string_view remark;
};

// Other boards use the names in their board files.
constexpr Alias kBoards[] = {
    {"AGX Orin 64GB", "agx-orin@jp5.1", ""},
    // The kit from before the modules has 2,048 CUDA cores and 12 CPU cores, like the 64 GB module.
    {"AGX Orin 32GB (pre-production kit)", "agx-orin@jp5.0", "taken as the 64 GB module"},
    {"Orin Nano Super 8GB", "orin-nano-8gb@super", ""},
    {"Orin Nano Super 4GB", "orin-nano-4gb@super", ""},
    {"RTX 3080 Ti", "rtx-3080-ti", ""},
    {"RTX 3090", "rtx-3090", ""},
    {"Titan RTX", "titan-rtx", ""},
};

constexpr Alias kModels[] = {
    {"bert-99", "bert_large", ""},
    {"clip-vit-base-patch32", "clip_vit_b_32", ""},
    {"clip-vit-base-patch16", "clip_vit_b_16", ""},
    {"dinov2-base-patch14", "dinov2_b", ""},
    {"vit-base-patch16-224", "vit_b_16", ""},
    {"vit-base-patch32-224", "vit_b_32", ""},
    {"ssd-mobilenet", "ssd_mobilenet", ""},
    {"retinanet", "retinanet_resnext50", ""},
    {"yoloxn", "yolox_nano", ""},
    {"yoloxt", "yolox_tiny", ""},
    {"yoloxs", "yolox_s", ""},
    {"yoloxm", "yolox_m", ""},
    {"burgers_deeponet_small", "deeponet_small", ""},
    {"burgers_deeponet_base", "deeponet_base", ""},
    {"burgers_deeponet_large", "deeponet_large", ""},
    {"deeponet burgers_", "deeponet_base", ""},
};

constexpr std::int64_t kMostBatch = 1 << 20;

const Alias* find_alias(std::span<const Alias> aliases, std::string_view theirs) {
  for (const auto& alias : aliases) {
    if (theirs.starts_with(alias.theirs)) return &alias;
  }
  return nullptr;
}

// The runtime with the longest name (or word) that the text starts with.
std::optional<Runtime> find_runtime(std::string_view theirs) {
  std::optional<Runtime> found;
  std::size_t longest = 0;
  for (const auto& row : kRuntimeRows) {
    const auto consider = [&](std::string_view name) {
      if (name.size() <= longest || !theirs.starts_with(name)) return;
      longest = name.size();
      found = row.id;
    };
    consider(row.name);
    for (const std::string_view word : row.words) consider(word);
  }
  return found;
}

// Returns a model file or zoo:NAME unchanged. Otherwise, looks up the first word of a text like
// "YOLO11n 640x640" in the zoo. Empty: the zoo has no such model.
std::string model_name(std::string_view workload) {
  if (workload::is_zoo_name(workload) || workload.ends_with(".onnx")) return std::string(workload);
  const std::string name = lower_case(workload);
  std::string found(name.substr(0, name.find(' ')));
  if (const Alias* alias = find_alias(kModels, name)) found = alias->ours;
  for (const auto& entry : workload::zoo()) {
    if (entry.name == found || (!found.empty() && entry.alias == found)) return "zoo:" + found;
  }
  return "";
}

// The side in "YOLO11n 640x640".
std::optional<std::int64_t> image_side(std::string_view workload) {
  for (const auto& word : split(workload, ' ')) {
    const auto cross = word.find('x');
    const auto side = parse_int(std::string_view(word).substr(0, cross));
    if (cross != word.npos && side && word.substr(cross + 1) == word.substr(0, cross)) return side;
  }
  return std::nullopt;
}

// Grid points in "deeponet burgers_r4096".
std::optional<std::int64_t> grid_points(std::string_view workload) {
  const auto found = workload.rfind("_r");
  return found == workload.npos ? std::nullopt : parse_int(workload.substr(found + 2));
}

// Reads one file. Builds each model and twin once.
class RowReader {
 public:
  RowReader(const std::string& path, const std::string& card_chip)
      : card_chip_(card_chip), text_(read_file(path)), csv_(text_, path) {
    for (const char* name :
         {"source", "board", "power_mode", "runtime", "workload", "precision", "batch", "note"}) {
      columns_[name] = csv_.require_column(name);
    }
    if (csv_.column("latency_ms")) {
      columns_["latency_ms"] = csv_.require_column("latency_ms");
    } else {
      for (const char* name : {"sequence", "metric", "value"}) {
        columns_[name] = csv_.require_column(name);
      }
    }
    for (const char* name : {"input", "what_is_timed"}) {
      if (const auto column = csv_.column(name)) columns_[name] = *column;
    }
  }

  RuntimeRows read() {
    RuntimeRows all;
    while (csv_.next()) {
      const std::string label =
          fmt::format("{} {} {}, batch {}, {} on {}", workload(), at("precision"), at("runtime"),
                      at("batch"), metric(), at("board"));
      const auto reason = refuse();
      if (!reason.empty()) {
        leave_out(label, reason);
        continue;
      }
      try {
        all.rows.push_back(row(label));
      } catch (const NotSupportedError& error) {
        leave_out(label, error.what());
      } catch (const NotFoundError& error) {
        leave_out(label, error.what());
      }
    }
    for (const auto& [reason, rows] : left_out_) {
      const std::string more =
          rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : std::string();
      all.left_out.push_back({rows.front() + more, reason});
    }
    return all;
  }

 private:
  void leave_out(const std::string& label, const std::string& reason) {
    const auto same = [&](const auto& rows) { return rows.first == reason; };
    const auto found = std::find_if(left_out_.begin(), left_out_.end(), same);
    if (found == left_out_.end()) {
      left_out_.push_back({reason, {label}});
    } else {
      found->second.push_back(label);
    }
  }

  // Empty if the file has no such column.
  std::string_view at(std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : csv_.field(found->second);
  }
  bool has_times() const { return columns_.contains("latency_ms"); }
  std::string_view metric() const { return has_times() ? "ms" : at("metric"); }
  std::string workload() const {
    return at("input").empty() ? std::string(at("workload"))
                               : fmt::format("{} {}", at("workload"), at("input"));
  }

  // The reason why the row is not a time of one engine on the GPU. Empty: it is.
  std::string refuse() const {
    if (at("note").find("DLA") != std::string_view::npos) return "the GPU and two DLAs together";
    if (at("what_is_timed").starts_with("end to end")) return "not of the engine alone";
    if (at("precision").find("autocast") != std::string_view::npos) {
      return "weights are converted in each run";
    }
    if (metric() == "seq_s") return "throughput of many lengths at once";
    if (metric() != "ms" && metric() != "fps") return "not a time";
    if (!find_runtime(at("runtime"))) return "the runtime is not known";
    if (model_name(at("workload")).empty()) return "the zoo does not have the model";
    const auto batch = parse_int(at("batch"));
    if (!batch || *batch < 1 || *batch > kMostBatch) return "the batch is not stated";
    return "";
  }

  RuntimeRow row(const std::string& label) {
    RuntimeRow row;
    row.label = label;
    row.source = at("source");
    row.run = called();
    read_place(row);
    read_cost(row);
    row.weight = row.remark.find("not stated") == std::string::npos ? 1 : 0.5;
    const double value = csv_.number(columns_.at(has_times() ? "latency_ms" : "value"));
    if (!(value > 0)) throw InputError("the value must be positive", csv_.where());
    row.time_s = metric() == "ms" ? value * 1e-3 : row.cost->batch / value;
    modelled_time_s(row, prior_runtime_twin(row.runtime()));  // throws if the board cannot run it
    return row;
  }

  // MLPerf's harness is in C++ and replays CUDA graphs. Ultralytics times a call through its own
  // framework. Other sources state both in the row.
  RunOptions called() const {
    const auto note = lower_case(at("note"));
    const auto says = [&](std::string_view word) { return note.find(word) != note.npos; };
    RunOptions run;
    if (at("source").starts_with("ultralytics/") || says("python")) {
      run.caller = EngineCaller::kFramework;
    }
    if (at("what_is_timed").starts_with("engine alone called from Python")) {
      run.caller = EngineCaller::kThinPython;
    }
    if (at("what_is_timed").find("input on the device") != std::string_view::npos) {
      run.input = InputPlace::kDevice;
    }
    run.cuda_graph = at("runtime").find("MLPerf") != std::string_view::npos || says("cuda graph");
    return run;
  }

  static void remark(RuntimeRow& row, std::string_view text) {
    if (!text.empty()) row.remark += (row.remark.empty() ? "" : "; ") + std::string(text);
  }

  // Reads board and power mode. Words such as "maxn" mean the highest clocks, as an empty mode
  // does. Other texts must be names of presets.
  void read_place(RuntimeRow& row) {
    const Alias* alias = find_alias(kBoards, at("board"));
    if (alias != nullptr) remark(row, alias->remark);
    // In "Orin Nano 8GB (15W)", the words in parentheses state the mode.
    const std::string name(alias != nullptr ? alias->ours
                                            : at("board").substr(0, at("board").find(" (")));
    row.twin = twin_of(name);
    row.board = row.twin->board;
    const std::string chip = row.twin->discrete ? load_board(name).soc : "";
    if (chip != card_chip_) {
      throw NotSupportedError(card_chip_.empty()
                                  ? "rows of discrete GPUs are fitted separately"
                                  : "the row is not from a GPU with the chip " + card_chip_);
    }
    const auto power_mode = lower_case(at("power_mode"));
    if (row.twin->discrete && power_mode.empty()) return;  // the default limit
    const auto says = [&](std::string_view word) {
      return power_mode.find(word) != power_mode.npos;
    };
    const bool slower = says("maxq");
    if (!slower && (says("maxn") || says("maxp") || says("maximum"))) return;
    try {
      row.mode = find_preset(load_board(name), at("power_mode")).mode;
    } catch (const NotFoundError&) {
      throw NotSupportedError("the clocks of the power mode are not known", std::string(power_mode),
                              "write the name of a preset");
    }
  }

  void read_cost(RuntimeRow& row) {
    if (at("runtime").starts_with("tensorrt/torch")) {
      remark(row, "the runtime is not stated; TensorRT is assumed");
    }
    row.precision = at("precision").substr(0, at("precision").find_first_of(" _"));
    if (at("precision").find("not stated") != std::string_view::npos) {
      remark(row, "the precision is not stated: " + row.precision + " is assumed");
    }
    DeployOptions options;
    const auto precision = find_word<Precision>(row.precision);
    if (!precision)
      throw InputError("unknown precision '" + escape_terminal(row.precision) + "'", csv_.where());
    options.precision = *precision;
    options.runtime = *find_runtime(at("runtime"));
    if (at("sequence").starts_with("<=384")) {
      // openreview.net/forum?id=3nzKUh9a4M: 54 % of SQuAD v1.1's tokens at 384 are padding.
      options.dims["sequence"] = 177;
      remark(row, "sequence 177, the mean of SQuAD v1.1 cut at 384");
    } else if (const auto sequence = parse_int(at("sequence")); sequence && *sequence > 0) {
      options.dims["sequence"] = *sequence;
    }
    if (const auto side = image_side(workload())) options.dims["image"] = *side;
    const std::string model = model_name(at("workload"));
    const auto points = grid_points(at("workload"));
    if (points && model.starts_with("zoo:deeponet")) options.dims["points"] = *points;
    row.cost = cost_of(model, options, static_cast<int>(*parse_int(at("batch"))));
    row.model = workload::is_zoo_name(model) ? model.substr(model.find(':') + 1) : model;
  }

  std::shared_ptr<const Twin> twin_of(const std::string& name) {
    auto& known = twins_[name];
    if (known) return known;
    Twin twin = load_twin(load_board(name));
    // A fit estimates many times with copies of the twin. No time depends on these members.
    twin.correlations.clear();
    for (auto& runtime : twin.runtimes) runtime = prior_runtime_twin(runtime.runtime);
    return known = std::make_shared<const Twin>(std::move(twin));
  }

  std::shared_ptr<const workload::WorkloadCost> cost_of(const std::string& model,
                                                        const DeployOptions& options, int batch) {
    auto& loaded = models_[model];
    if (!loaded) loaded = std::make_unique<DeployedWorkload>(model);
    return loaded->with(options).at(batch);
  }

  std::string card_chip_;
  std::string text_;
  CsvReader csv_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  // Reasons in the order of their first rows, each with its rows.
  std::vector<std::pair<std::string, std::vector<std::string>>> left_out_;
  std::map<std::string, std::shared_ptr<const Twin>> twins_;
  std::map<std::string, std::unique_ptr<DeployedWorkload>> models_;
};

}  // namespace

RuntimeRows load_runtime_rows(const std::vector<std::string>& paths, const std::string& card_chip) {
  RuntimeRows all;
  for (const auto& path : paths) {
    RuntimeRows of_file = RowReader(path, card_chip).read();
    std::move(of_file.rows.begin(), of_file.rows.end(), std::back_inserter(all.rows));
    std::move(of_file.left_out.begin(), of_file.left_out.end(), std::back_inserter(all.left_out));
  }
  return all;
}

}  // namespace ridgewatt::twin
