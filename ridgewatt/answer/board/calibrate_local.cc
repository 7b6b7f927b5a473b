#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "ridgewatt/answer/board/calibrate_language.h"
#include "ridgewatt/answer/board/processor_peaks.h"
#include "ridgewatt/answer/board/runtime_runs.h"
#include "ridgewatt/answer/calibrate.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::answer {
namespace {

namespace fs = std::filesystem;

constexpr int kBatches[] = {1, 4};

struct Machine {
  std::string name = "processor";
  twin::CpuInstructions instructions;
  int cores = 1;
  double memory_bytes = 0;
};

// The value after "KEY :" in a file of /proc.
std::string proc_value(const std::string& text, std::string_view key) {
  for (const auto& line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return "";
}

twin::CpuInstructions instructions_of(const std::string& cpu) {
  const auto has = [&cpu](const char* key, std::initializer_list<const char*> any) {
    const auto flags = split(proc_value(cpu, key), ' ');
    return std::find_first_of(flags.begin(), flags.end(), any.begin(), any.end()) != flags.end();
  };
  twin::CpuInstructions found;
  if (has("flags", {"avx2"}) && !has("flags", {"avx512f"})) found.block_channels = 8;
  found.int8_products = has("flags", {"avx512_vnni", "avx_vnni"}) || has("Features", {"asimddp"});
  return found;
}

Machine this_machine() {
  const platform::Sysfs root;
  Machine machine;
  machine.cores = available_threads();
  const std::string cpu = root.text("/proc/cpuinfo").value_or("");
  for (const char* key : {"model name", "Model", "Hardware"}) {
    const std::string name = proc_value(cpu, key);
    if (name.empty()) continue;
    machine.name = name;
    break;
  }
  std::erase_if(machine.name, [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; });
  machine.instructions = instructions_of(cpu);
  const std::string memory = proc_value(root.text("/proc/meminfo").value_or(""), "MemTotal");
  machine.memory_bytes = parse_double(memory.substr(0, memory.find(' '))).value_or(0) * 1024;
  if (!(machine.memory_bytes > 0))
    throw IoError("cannot read the size of memory", "/proc/meminfo", "check that /proc is mounted");
  return machine;
}

struct MeasuredRuns {
  std::vector<LocalRun> runs;
  std::vector<twin::CpuRun> rows;  // the same runs, as the fit reads them
  void add(const KnownModel& model, int threads, int batch, double time_s) {
    LocalRun run;
    run.model = model.name;
    run.runtime = name_of(model.runtime);
    run.threads = threads;
    run.batch = batch;
    run.time_s = time_s;
    runs.push_back(std::move(run));
    rows.push_back(twin::cpu_run(model.workload->at(batch), threads, time_s));
  }
};

// Each run is measured in two rounds, and the faster one counts, because other programs only make a
// run slower.
MeasuredRuns run_models(const LocalCalibrateQuestion& question, const std::string& runner,
                        int cores, PeakSamples& peaks, std::vector<std::string>& remarks) {
  constexpr std::size_t kRounds = 2;
  const RuntimeRuns runtime(runner);
  const RunFolder folder;
  struct Point {
    std::size_t model;
    int batch, threads;
    std::optional<double> time_s;
  };
  std::vector<KnownModel> models;
  std::vector<Point> points;
  std::vector<int> threads = {1};
  if (cores > 1) threads.push_back(cores);
  for (const auto& [name, dims, runtime] : kCalibrationModels) {
    if (!has_package(runner, runtime)) continue;
    workload::write_zoo_model(workload::find_zoo_entry(name), folder.file_of(name));
    for (const int batch : kBatches) {
      for (const int count : threads) points.push_back({models.size(), batch, count, {}});
    }
    models.push_back(known_model("zoo:" + std::string(name), std::string(dims), runtime));
  }
  Progress progress("models", kRounds * points.size(), question.quiet);
  std::set<std::size_t> failed;
  for (std::size_t i = 0; i < kRounds * points.size(); ++i) {
    Point& point = points[i % points.size()];
    const KnownModel& model = models[point.model];
    progress.update(i, model.name);
    if (point.batch == kBatches[0] && point.threads == 1) peaks.add(question.seconds_per_point / 2);
    if (failed.contains(point.model)) continue;
    const std::string file = folder.file_of(model.name.substr(model.name.find(':') + 1));
    const auto time_s = runtime.time_s(file, model, point.threads, point.batch, remarks);
    if (!time_s) {
      failed.insert(point.model);
    } else if (!point.time_s || *time_s < *point.time_s) {
      point.time_s = time_s;
    }
  }
  MeasuredRuns found;
  for (const Point& point : points) {
    if (point.time_s) found.add(models[point.model], point.threads, point.batch, *point.time_s);
  }
  return found;
}

Runtime processor_runtime(const CsvReader& csv, std::size_t column) {
  const auto name = trim(csv.field(column));
  std::vector<std::string_view> known;
  for (const Runtime runtime : kRuntimes) {
    if (!is_on_cpu(runtime)) continue;
    if (name == name_of(runtime)) return runtime;
    known.push_back(name_of(runtime));
  }
  throw InputError(fmt::format("runtime is '{}', but must be one of: {}", escape_terminal(name),
                               fmt::join(known, ", ")),
                   csv.where());
}

MeasuredRuns read_runs(const std::vector<std::string>& paths, int cores) {
  MeasuredRuns found;
  std::map<std::tuple<std::string, std::string, Runtime>, KnownModel> models;
  for (const auto& path : paths) {
    const std::string text = read_file(path);
    CsvReader csv(text, path);
    const auto model = csv.require_column("model"), threads = csv.require_column("cpu_cores"),
               batch = csv.require_column("batch"), time = csv.require_column("time_ms");
    const auto dims = csv.column("dims"), runtime = csv.column("runtime");
    const auto whole = [&](std::size_t column, int most) {
      const double value = csv.number(column);
      if (value >= 1 && value <= most && value == std::floor(value)) return static_cast<int>(value);
      throw InputError(sentence("{} is {:g}, but must be a whole number from 1 to {}",
                                csv.header()[column], value, most),
                       csv.where());
    };
    while (csv.next()) {
      const std::tuple key{std::string(csv.field(model)),
                           dims ? std::string(csv.field(*dims)) : std::string(),
                           runtime ? processor_runtime(csv, *runtime) : Runtime::kOnnxRuntimeCpu};
      auto at = models.find(key);
      if (at == models.end()) {
        at = models.emplace(key, std::apply(known_model, key)).first;
      }
      const double time_ms = csv.number(time);
      if (!(time_ms > 0)) throw InputError("time_ms must be positive", csv.where());
      constexpr int kMostBatch = 1 << 20;
      found.add(at->second, whole(threads, cores), whole(batch, kMostBatch), time_ms / 1e3);
    }
  }
  if (found.rows.empty())
    throw InputError("the file has no rows of runs", paths.front(),
                     "give at least one row below the header");
  return found;
}

MeasuredRoofs roofs_of(const Machine& machine, const std::vector<int>& counts,
                       const std::vector<twin::CpuRates>& measured) {
  constexpr double kRepeatSpread = 0.02;  // relative; chosen
  const auto around = [](double value) {
    return MeasuredValue{value, value * (1 - kRepeatSpread), value * (1 + kRepeatSpread)};
  };
  MeasuredRoofs roofs;
  roofs.target = RoofTarget::kCpu;
  roofs.machine = machine.name;
  roofs.origin = fmt::format("{}; ridgewatt calibrate --device local", today_text());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    MeasuredRoof& roof = roofs.modes.emplace_back();
    roof.mode.cpu_cores = counts[i];
    roof.quantities[RoofQuantity::kFp32] = around(measured[i].flop_per_s);
    roof.quantities[RoofQuantity::kBandwidth] = around(measured[i].memory_bytes_per_s);
  }
  return roofs;
}

Board board_of(const Machine& machine) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const std::string text = fmt::format(
      "# This machine's processor, as ridgewatt calibrate --device local found it.\n"
      "name = \"local\"\ntitle = \"{0}\"\nsoc = \"processor\"\ndefault_bsp = \"linux\"\n\n"
      "[cpu]\ntype = \"{0}\"\ncores = {1}\n\n[memory]\nsize_gib = {2:.4f}\n\n"
      "[[bsp]]\nname = \"linux\"\ntitle = \"Linux\"\npartial = true\ndefault_preset = 0\n"
      "presets = [\n  {{ id = 0, name = \"MAXN\", cpu_cores = {1} }},\n]\n\n"
      "[provenance]\n\"cpu\" = \"seen: /proc/cpuinfo and the processors that a program may use\"\n"
      "\"memory\" = \"seen: /proc/meminfo\"\n\"bsp\" = \"seen: the number of processors\"\n",
      machine.name, machine.cores, machine.memory_bytes / kGiB);
  return parse_board(text, "local");
}

// Says at how many threads the bandwidth of memory changed while nothing else ran.
void remark_spread(const std::vector<int>& counts, const std::vector<twin::CpuRates>& rates,
                   std::vector<std::string>& remarks) {
  constexpr double kLargeLogSd = 0.1;  // chosen: a tenth of the time of a memory-bound model
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (rates[i].memory_log_sd < kLargeLogSd) continue;
    remarks.push_back(fmt::format(
        "the bandwidth of memory on {} changed by up to {:.0f} % during the calibration: other "
        "programs run, or this is a virtual machine; the intervals include it",
        counted(static_cast<std::size_t>(counts[i]), "thread"),
        100 * std::expm1(rates[i].memory_log_sd * kNormal95)));
  }
}

std::string origin_of(const LocalCalibration& found, bool from_files) {
  if (found.runs.empty()) {
    return fmt::format("{}, microbenchmarks; ridgewatt calibrate --device local", today_text());
  }
  return fmt::format("{}, microbenchmarks and {} of models{}; ridgewatt calibrate --device local",
                     today_text(), counted(found.runs.size(), "run"),
                     from_files ? " from files" : "");
}

}  // namespace

LocalCalibration calibrate_local(const LocalCalibrateQuestion& question) {
  // Read all input that may be invalid before any measurement.
  const Machine machine = this_machine();
  LocalCalibration found;
  found.board = board_of(machine);
  MeasuredRuns measured;
  if (!question.runs.empty()) measured = read_runs(question.runs, machine.cores);
  const std::string runner = question.runs.empty() ? find_runner(question.runner) : "";

  const std::vector<int> counts = measured_threads(machine.cores);
  PeakSamples peaks(counts);
  {
    Progress progress("microbenchmarks", kPeakRepeats, question.quiet);
    for (int repeat = 0; repeat < kPeakRepeats; ++repeat) {
      progress.update(static_cast<std::size_t>(repeat));
      peaks.add(question.seconds_per_point);
    }
  }
  const double cache_bytes =
      measure_cache_bytes(question.seconds_per_point / 2, peaks.rates().front());
  if (!runner.empty()) measured = run_models(question, runner, machine.cores, peaks, found.remarks);
  if (const std::string bench = find_llama_bench(runner); !bench.empty()) {
    const RunFolder folder;
    const auto between = [&] { peaks.add(question.seconds_per_point / 2); };
    for (auto& one : run_language_models(bench, folder.path(), machine.cores, question.quiet,
                                         between, found.remarks)) {
      measured.runs.push_back({one.name, "llama.cpp", one.threads, 1, one.run.time_s});
      measured.rows.push_back(std::move(one.run));
    }
  } else if (!runner.empty()) {
    found.remarks.emplace_back(
        "llama.cpp was not measured, so its rates are assumed; run tools/runtimes/llama/build.sh "
        "to measure it");
  }
  if (!runner.empty()) {
    const std::vector<std::string> missing = missing_packages(runner);
    found.remarks.insert(found.remarks.end(), missing.begin(), missing.end());
  }
  const std::vector<twin::CpuRates> rates = peaks.rates();
  found.prior = twin::prior_cpu_twin(all_rates(counts, rates), machine.instructions);
  found.prior.cache_bytes = cache_bytes;
  remark_spread(counts, rates, found.remarks);
  if (measured.rows.empty()) {
    found.twin = found.prior;
    found.remarks.emplace_back(
        "no model was measured, so the twin's parameters are assumed; install tools/runtimes (npm "
        "ci) to fit them");
  } else {
    found.twin = twin::fit_cpu_twin(found.prior, measured.rows);
    for (std::size_t i = 0; i < measured.runs.size(); ++i) {
      LocalRun& run = measured.runs[i];
      const twin::CpuModel& modelled_s = measured.rows[i].modelled_s;
      run.prior_s = modelled_s(found.prior);
      run.modelled_s = modelled_s(found.twin);
    }
    found.runs = std::move(measured.runs);
  }
  found.remarks.emplace_back(
      "power is not modelled, because no power of this machine was measured");
  found.twin.origin = origin_of(found, !question.runs.empty());
  found.board = parse_board(
      board_toml_with_microbench(found.board, roofs_of(machine, counts, rates)), "local");
  found.board =
      parse_board(board_toml_with_twin(found.board, twin::cpu_twin_table(found.twin)), "local");
  return found;
}

std::string keep_local_board(const LocalCalibration& found) {
  const std::string path = local_board_path();
  if (path.empty()) {
    throw NotFoundError("no folder is known for the board file of this machine", "",
                        "set XDG_DATA_HOME or HOME, or give -o FILE.toml");
  }
  const fs::path folder = fs::path(folder_of(path));
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw_errno(failed.value(), "cannot create the folder", folder.string());
  write_file_atomically(path, found.board_text());
  return path;
}

}  // namespace ridgewatt::answer
