// Tests every option of every command that names a file: outputs that are devices, FIFOs, links,
// full or missing, and inputs that are truncated, recoded or malicious. In every case, the program
// ends by itself with a documented status and one line of error. It replaces nothing that is not a
// file, loses no content, leaves nothing behind, and sends no control character to the terminal.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <thread>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/every_command_support.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/thermal/heat_trace_support.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A command line in which % stands for the tested file.
struct FileUse {
  std::string command;  // "schedule plan"
  std::string option;   // the name that the help shows first
  std::string line;
  bool slow = false;  // takes long to measure: fewer tries
};

#define PLAN                                                                                      \
  "--training-sweep training.csv --inference-sweep inference.csv --arrival-rate 5 --max-latency " \
  "20s --max-power 60W "
#define FAKE_RUN \
  " -- ridgewatt fake-run zoo:lenet5 --device fake:agx-orin --minibatches 12 --speed 50"
// The heat of this board is simulated 600 times as fast as real time.
#define SOAK "soak --sysroot heated --idle 0 --minutes 10 --to-the-end "
#define HEATED_RUN \
  " -- ridgewatt fake-run zoo:resnet50 --batch 16 --sysroot heated --minibatches 100000"

// For options without a row here or in kInputs, the first example of the command's help is used.
const FileUse kOutputs[] = {
    {"calibrate", "--output",
     "calibrate --device agx-orin --sweep inference.csv,model=zoo:resnet18 --no-validation -o %",
     true},
    {"campaign collect", "--output", "campaign collect c.json -o %"},
    {"campaign plan", "--output",
     "campaign plan c --store c.db --boards fake:agx-orin --sample 1 -o % -- true"},
    {"evaluate llm", "--output", "evaluate llm cells.csv -o %"},
    {"evaluate predictors", "--figures",
     "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1 --figures "
     "svg:%"},
    {"evaluate predictors", "--figures",
     "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1 --figures "
     "html:%"},
    {"evaluate strategies", "--figures",
     "evaluate strategies --training-sweep training.csv --inference-sweep inference.csv --strategy "
     "random "
     "--profiles 5 --seeds 1 --figures svg:%",
     true},
    {"evaluate strategies", "--figures",
     "evaluate strategies --training-sweep training.csv --inference-sweep inference.csv --strategy "
     "random "
     "--profiles 5 --seeds 1 --figures html:%",
     true},
    {"export", "--textfile", "export --device fake:agx-orin --textfile % --count 1", true},
    {"govern", "--log",
     "govern --device fake:agx-orin --deadline 60 --minibatches 6 --model zoo:lenet5 --idle 0 "
     "--log "
     "%" FAKE_RUN,
     true},
    {"layers", "--figures", "layers --profile profile.json --figures svg:%"},
    {"layers", "--figures", "layers --profile profile.json --figures html:%"},
    {"llm", "--figures", "llm zoo:qwen3-0.6b --device agx-orin --figures svg:%"},
    {"llm", "--figures", "llm zoo:qwen3-0.6b --device agx-orin --figures html:%"},
    {"measure", "--minibatches-csv",
     "measure --device fake:agx-orin --idle 0 --minibatches-csv %" FAKE_RUN, true},
    {"measure", "--series-csv", "measure --device fake:agx-orin --idle 0 --series-csv %" FAKE_RUN,
     true},
    {"measure", "--llm-rows", "measure --results bench.json --llm-rows %"},
    {"microbench", "--output", "microbench --seconds 1ms --footprint 4MiB --intensities 1 -o %",
     true},
    {"mode export", "--output", "mode export --device fake:agx-orin --cpu-cores 4 -o %"},
    {"predict", "--output",
     "predict --samples training.csv --device agx-orin --method linear -o %"},
    {"predict", "--train-reference", "predict --samples small.csv --train-reference %", true},
    {"report", "--output", "report training.csv -o %"},
    {"roofline", "--figures", "roofline zoo:lenet5 --device agx-orin --modes maxn --figures svg:%"},
    {"roofline", "--figures",
     "roofline zoo:lenet5 --device agx-orin --modes maxn --figures html:%"},
    {"schedule run", "--log", "schedule run " PLAN "--socket s.sock --duration 50ms --log %"},
    {"schedule simulate", "--power-csv", "schedule simulate " PLAN "--duration 5 --power-csv %"},
    {"schedule simulate", "--timeline-csv",
     "schedule simulate " PLAN "--duration 5 --timeline-csv %"},
    {"schedule simulate", "--arrivals-csv",
     "schedule simulate " PLAN "--duration 5 --arrivals-csv %"},
    {"schedule simulate", "--figures", "schedule simulate " PLAN "--duration 5 --figures %"},
    {"soak", "--trace", SOAK "--trace %" HEATED_RUN, true},
    {"soak", "--output", SOAK "-o %" HEATED_RUN, true},
    {"store export", "--output", "store export points.db -o %"},
    {"store upgrade", "DATABASE", "store upgrade %", true},
    {"store merge", "TO", "store merge points.db %", true},
    {"study", "--figures", "study frequency --sweep inference.csv --figures html:%"},
    {"study", "--store", "study frequency --device fake:agx-orin --max-runs 1 --store %", true},
    {"sweep example", "--output", "sweep example --device agx-orin -o %"},
    {"sweep check", "--output", "sweep check training.csv -o %"},
    {"thermal fit", "--output", "thermal fit heat.csv -o %"},
    {"tune", "--observations",
     "tune --sweep small.csv --strategy auto --profiles 4 --max-power 60 --observations %"},
    {"tune", "--store",
     "tune --device fake:agx-orin --profiles 1 --max-power 60 --window 3 --settle-window 50ms "
     "--idle 0 --store %" FAKE_RUN,
     true},
    {"profile", "STORE",
     "profile % --device fake:agx-orin --sample 1 --window 3 --settle-window 50ms --idle "
     "0" FAKE_RUN,
     true},
    {"zoo write", "--output", "zoo write lenet5 -o %"},
    {"man", "--output", "man -o %"},
};

const FileUse kInputs[] = {
    {"calibrate", "--microbench", "calibrate --device agx-orin --microbench %"},
    {"calibrate", "--runtimes", "calibrate --runtimes %"},
    {"campaign plan", "--modes",
     "campaign plan c2 --store c.db --boards fake:agx-orin --modes % -- true"},
    {"campaign list", "STORE", "campaign list %"},
    {"campaign submit", "PLAN", "campaign submit % --executor local"},
    {"campaign status", "PLAN", "campaign status %"},
    {"campaign watch", "PLAN", "campaign watch %"},
    {"campaign resume", "PLAN", "campaign resume %"},
    {"campaign boards", "PLAN", "campaign boards %"},
    {"campaign rerun", "PLAN", "campaign rerun % --flagged"},
    {"campaign collect", "PLAN", "campaign collect %"},
    {"campaign cancel", "PLAN", "campaign cancel %"},
    {"export", "--campaign", "export --campaign %"},
    {"compare boards", "STORE", "compare boards %"},
    {"evaluate board-effects", "--sweep", "evaluate board-effects --runs 1 --sweep %"},
    {"evaluate llm", "ROWS", "evaluate llm %"},
    {"evaluate runtimes", "ROWS", "evaluate runtimes %"},
    {"evaluate choices", "--sweep", "evaluate choices --count 1 --modes modes.csv --sweep %"},
    {"evaluate choices", "--modes", "evaluate choices --count 1 --sweep training.csv --modes %"},
    {"evaluate merge", "PART", "evaluate merge %"},
    {"federate", "--boards", "federate zoo:lenet5 --boards %"},
    {"fleet status", "--boards", "fleet status --prometheus http://127.0.0.1:1 --boards %"},
    {"evaluate clocks", "--sweep", "evaluate clocks --sweep %"},
    {"evaluate predictors", "--sweep",
     "evaluate predictors --sweep % --methods linear --sizes 10 --runs 1"},
    {"evaluate predictors", "--reference",
     "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1 --reference %"},
    {"evaluate predictors", "--twin-sweep",
     "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1 --device "
     "agx-orin "
     "--twin-sweep %"},
    {"evaluate predictors", "--groups",
     "evaluate predictors --sweep training.csv --sizes 10 --runs 1 --groups %"},
    {"evaluate groups", "--twin-sweep", "evaluate groups --groups 1 --twin-sweep %"},
    {"evaluate predictors", "--runs-file",
     "evaluate predictors --sweep training.csv --methods linear --sampling given --runs-file %"},
    {"evaluate references", "--sweep",
     "evaluate references --sweep small.csv --sweep % --profiles 2 --runs 1 --reference-modes 2 "
     "--reference-rows 2"},
    {"evaluate schedules", "--training-sweep",
     "evaluate schedules --training-sweep % --inference-sweep inference.csv --strategies random:5 "
     "--problems 2"},
    {"evaluate schedules", "--inference-sweep",
     "evaluate schedules --training-sweep training.csv --inference-sweep % --strategies random:5 "
     "--problems 2"},
    {"evaluate strategies", "--groups",
     "evaluate strategies --training-sweep training.csv --inference-sweep inference.csv --strategy "
     "random --profiles 5 --seeds 1 --groups %"},
    {"evaluate strategies", "--training-sweep",
     "evaluate strategies --training-sweep % --strategy random --profiles 5 --seeds 1"},
    {"evaluate strategies", "--inference-sweep",
     "evaluate strategies --inference-sweep % --strategy random --profiles 5 --seeds 1"},
    {"explain", "--profile", "explain zoo:lenet5 --device agx-orin --profile %"},
    {"explain", "--layers",
     "explain zoo:lenet5 --device agx-orin --profile profile.json --layers %"},
    {"layers", "--profile", "layers --profile %"},
    {"layers", "--layers", "layers --profile profile.json --layers %"},
    {"layers", "--times", "layers --profile profile.json --times %"},
    {"layers", "--power", "layers --profile profile.json --power %"},
    {"measure", "--results", "measure --results %"},
    {"measure", "--power-trace", "measure --results records.jsonl --power-trace %"},
    {"measure", "--meter", "measure --device fake:agx-orin --idle 0 --meter %" FAKE_RUN, true},
    {"mode apply", "--answer", "mode apply --device fake:agx-orin --dry-run --answer %"},
    {"pareto", "--samples", "pareto --samples % --device agx-orin --method linear"},
    {"pareto", "--reference", "pareto --samples small.csv --device agx-orin --reference %"},
    {"govern", "--samples",
     "govern --device fake:agx-orin --deadline 60 --minibatches 6 --samples % -- false", true},
    {"pareto", "--query", "pareto --samples training.csv --method linear --query %"},
    {"pareto", "--reference-model",
     "pareto --samples training.csv --device agx-orin --method powertrain --reference-model %"},
    {"pareto", "--sweep", "pareto --sweep %"},
    {"pareto", "SWEEP", "pareto %"},
    {"predict", "--samples", "predict --samples % --device agx-orin --method linear"},
    {"predict", "--reference", "predict --samples small.csv --query modes.csv --reference %"},
    {"predict", "--query", "predict --samples training.csv --method linear --query %"},
    {"predict", "--reference-model",
     "predict --samples training.csv --query modes.csv --method powertrain --reference-model %"},
    {"profile", "--modes", "profile new.db --device fake:agx-orin --modes % -- false", true},
    {"profile", "--samples",
     "profile new.db --device fake:agx-orin --suggest 1 --samples % -- false", true},
    {"report", "FILES", "report % -o page.html"},
    {"schedule dynamic", "--training-sweep",
     "schedule dynamic --training-sweep % --inference-sweep inference.csv --max-latency 20s "
     "--max-power 60 --profiles 3 --duration 5 --burst-rates 1,5"},
    {"schedule dynamic", "--inference-sweep",
     "schedule dynamic --training-sweep training.csv --inference-sweep % --max-latency 20s "
     "--max-power 60 --profiles 3 --duration 5 --burst-rates 1,5"},
    {"schedule plan", "--inference-sweep",
     "schedule plan --inference-sweep % --arrival-rate 5 --max-latency 20s --max-power 60"},
    {"schedule plan", "--training-sweep", "schedule plan --training-sweep % --max-power 60"},
    {"schedule plan", "--non-urgent", "schedule plan " PLAN "--non-urgent % --non-urgent-rate 1"},
    {"schedule plan", "--training-reference",
     "schedule plan " PLAN "--strategy als --profiles 5 --training-reference %"},
    {"schedule plan", "--inference-reference",
     "schedule plan " PLAN "--strategy als --profiles 5 --inference-reference %"},
    {"schedule predict-sharing", "--inference-sweep",
     "schedule predict-sharing --training-sweep training.csv --inference-sweep %"},
    {"schedule predict-sharing", "--training-sweep",
     "schedule predict-sharing --training-sweep % --inference-sweep inference.csv"},
    {"schedule predict-sharing", "--non-urgent",
     "schedule predict-sharing --non-urgent % --inference-sweep inference.csv"},
    {"schedule run", "--inference-sweep",
     "schedule run --inference-sweep % --arrival-rate 5 --max-latency 20s --max-power 60 "
     "--socket s.sock --duration 50ms"},
    {"schedule run", "--training-sweep",
     "schedule run --training-sweep % --max-power 60 --socket s.sock --duration 50ms"},
    {"schedule run", "--programs", "schedule run --programs % --socket s.sock --duration 50ms"},
    {"schedule run", "--non-urgent",
     "schedule run " PLAN "--non-urgent % --non-urgent-rate 1 "
     "--socket s.sock --duration 50ms"},
    {"schedule simulate", "--inference-sweep",
     "schedule simulate --inference-sweep % --arrival-rate 5 --max-latency 20s --max-power 60 "
     "--duration 5"},
    {"schedule simulate", "--training-sweep",
     "schedule simulate --training-sweep % --max-power 60 --duration 5"},
    {"schedule simulate", "--non-urgent",
     "schedule simulate " PLAN "--non-urgent % --non-urgent-rate 1 --duration 5"},
    {"schedule dynamic", "--non-urgent",
     "schedule dynamic " PLAN "--non-urgent % --non-urgent-rate 1 --duration 5 --burst-rates 1,5"},
    {"schedule simulate", "PLAN", "schedule simulate % --duration 5"},
    {"sensors", "--tegrastats", "sensors --tegrastats %"},
    {"store list", "DATABASE", "store list %"},
    {"store export", "DATABASE", "store export %"},
    {"store check", "DATABASE", "store check %"},
    {"store prune", "DATABASE", "store prune % --points 1d"},
    {"store merge", "FROM", "store merge % new.db"},
    {"store import", "DATABASE", "store import % training.csv"},
    {"store import", "FILE", "store import new.db %"},
    {"study", "--sweep", "study frequency --sweep %"},
    {"sweep", "FILE", "sweep %"},
    {"sweep check", "FILE", "sweep check %"},
    {"thermal fit", "TRACE", "thermal fit %"},
    {"tune", "--thermal", "tune --sweep training.csv --max-power 40 --thermal %"},
    {"tune", "--campaign", "tune --campaign % --executor local --max-power 40"},
    {"tune", "--solar", "tune zoo:lenet5 --device agx-orin --battery 100Wh --solar %"},
    {"tune", "--sweep", "tune --sweep % --max-power 40"},
    {"tune", "--samples", "tune --samples % --max-power 40"},
    {"tune", "--reference",
     "tune --sweep training.csv --max-power 40 --strategy als --reference %"},
    // No address of this machine (RFC 5737), so the server ends after reading the file.
    {"serve", "--token-file", "serve --listen 192.0.2.1 --device fake:agx-orin --token-file %"},
    {"serve", "--cert",
     "serve --listen 192.0.2.1 --device fake:agx-orin --key profile.json --cert %"},
    {"serve", "--key",
     "serve --listen 192.0.2.1 --device fake:agx-orin --cert profile.json --key %"},
    {"serve", "--store", "serve --listen 192.0.2.1 --device fake:agx-orin --store %"},
};

#undef PLAN
#undef FAKE_RUN
#undef SOAK
#undef HEATED_RUN

// time = work / clock + launches, and power over clocks: plausible and smooth, but of no real
// board.
std::string made_up_sweep(const std::string& workload, const std::string& kind, double work) {
  const Board board = load_board("agx-orin");
  const KnobSpace space = knob_space(board);
  std::string text = "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,workload,kind,batch,time_ms,power_w\n";
  const auto levels = [&](Knob knob) { return space.levels(knob); };
  for (const int cores : {4, 12}) {
    for (std::size_t c = 3; c < levels(Knob::kCpuClock).size(); c += 12) {
      for (std::size_t g = 1; g < levels(Knob::kGpuClock).size(); g += 3) {
        for (const double mem : levels(Knob::kMemClock)) {
          const double cpu = levels(Knob::kCpuClock)[c], gpu = levels(Knob::kGpuClock)[g];
          const double time_ms = work * 1e9 / gpu + work * 0.3e9 / cpu + work * 0.4e9 / mem;
          const double power_w = 8 + 18 * gpu / 1.3e9 + 0.4 * cores * cpu / 2.2e9 + 4 * mem / 3.2e9;
          text += fmt::format("{},{},{},{},{},{},16,{:.3f},{:.3f}\n", cores, cpu / 1e6, gpu / 1e6,
                              mem / 1e6, workload, kind, time_ms, power_w);
        }
      }
    }
  }
  return text;
}

// Every seventh row of a sweep, for commands that train networks. Each knob still has several
// values.
std::string seventh_of(const std::string& sweep) {
  const auto lines = split(sweep, '\n');
  std::string text = std::string(lines[0]) + "\n";
  for (std::size_t i = 1; i + 1 < lines.size(); i += 7) text += std::string(lines[i]) + "\n";
  return text;
}

class Hostile : public ::testing::Test {
 protected:
  Hostile() {
    folder_.write("training.csv", made_up_sweep("net", "training", 60));
    folder_.write("small.csv", seventh_of(made_up_sweep("net", "training", 60)));
    folder_.write("cells.csv",
                  "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,"
                  "decode_power_w\nllamacpp,Llama-3.2-1B,Q8_0,512,512,120,15.6,38\n");
    folder_.write("inference.csv", made_up_sweep("resnet18", "inference", 20));
    folder_.write("modes.csv", "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n4,1190.4,828.75,2133\n");
    folder_.write("profile.json",
                  R"([{"count": 1}, {"name": "Conv_0 + Relu_1", "timeMs": 1, "averageMs": 1}])");
    folder_.write("bench.json", R"([{"n_prompt": 512, "n_gen": 0, "avg_ns": 500000000}])");
    folder_.write("records.jsonl",
                  R"({"metadata": {"request_start_ns": 1e18, "request_end_ns": 1.000000001e18},)"
                  R"( "metrics": {"time_to_first_token": {"value": 500, "unit": "ms"}}})");
    folder_.write("heat.csv", testing::heat_trace_text());
    shell("ridgewatt fake-board agx-orin heated");
    platform::heat_fake_board(path("heated"), platform::FakeHeatSpec{.scale = 600});
    shell("ridgewatt store import points.db training.csv");
    folder_.write("one.csv", "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n12,2201.6,1300.5,3199\n");
    shell("ridgewatt campaign plan c --store c.db --boards fake:agx-orin --modes one.csv -- true");
    fill_campaign();
    ::unlink(path("stdout").c_str());
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Stores the only point of the campaign.
  void fill_campaign() const {
    store::Store store(path("c.db"));
    store::PointRecord point;
    point.observation = {{{.cpu_cores = 12,
                           .cpu_clock_hz = 2201.6e6,
                           .gpu_clock_hz = 1300.5e6,
                           .mem_clock_hz = 3199e6,
                           .governor = ""},
                          0},
                         0.1,
                         10};
    point.slot = "c/fake:agx-orin/0";
    store.add(store.series({"fake:agx-orin", "true", "inference", Provenance::kFake}), point);
  }

  struct Run {
    int status = 0;
    std::string output;
  };
  // Runs a line in the folder. Each test has its own fake boards.
  Run shell(const std::string& line) const {
    const std::string log = path("stdout");
    const std::string command = "cd '" + folder_.path().string() +
                                "' && export RIDGEWATT_FAKE=\"$PWD/fake\" PATH='" +
                                testing::build_folder().string() + "':\"$PATH\"; timeout -k 2 60 " +
                                line + " > '" + log + "' 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(log)};
  }

  static std::string with_file(std::string text, const std::string& file) {
    return "ridgewatt " + text.replace(text.find('%'), 1, file);
  }

  // Expectations that hold however the run ended.
  static void expect_orderly(const Run& run, const std::string& line) {
    EXPECT_LE(run.status, 3) << line << "\n" << run.output.substr(0, 400);
    EXPECT_EQ(run.output.find('\x1b'), std::string::npos) << line;
    const auto last = run.output.rfind("\nridgewatt: ");
    const std::string error = run.output.starts_with("ridgewatt: ") && last == std::string::npos
                                  ? run.output
                                  : run.output.substr(last == std::string::npos ? 0 : last + 1);
    if (run.status == 1 || run.status == 2) {
      EXPECT_TRUE(error.starts_with("ridgewatt: ")) << line << "\n" << run.output.substr(0, 400);
      EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << line << "\n" << error;
      for (const char* internal : {"internal error", "json.exception"}) {
        EXPECT_EQ(error.find(internal), std::string::npos) << line << "\n" << error;
      }
    }
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  testing::TemporaryFolder folder_;
};

bool makes_folder(const FileUse& use) {
  const std::string command = use.command;
  return command == "man" || (command == "schedule simulate" && use.option == "--figures");
}

// Returns "schedule plan --inference-sweep" and the like for every option that is declared as an
// input or output.
std::set<std::string> declared(const std::string& kind) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  std::set<std::string> names;
  const std::function<void(const Json&)> walk = [&](const Json& command) {
    for (const auto& option : command["options"]) {
      const std::string name = command["name"];
      const bool of_every_command = option["description"] == "Write the result to this file";
      if (option["kind"] != kind || (of_every_command && name != "ridgewatt analyze")) continue;
      names.insert(name.substr(name.find(' ') + 1) + " " +
                   option["names"].back().get<std::string>());
    }
    for (const auto& next : command["commands"]) walk(next);
  };
  walk(report::reference_json(reference_of(app)));
  return names;
}

std::set<std::string> tried(std::span<const FileUse> uses) {
  std::set<std::string> names;
  for (const auto& use : uses) names.insert(use.command + " " + use.option);
  return names;
}

// The first example of a command's help, with % as the argument or as the value of the option.
FileUse example_with(const std::string& command, const std::string& option,
                     const std::string& example) {
  std::vector<std::string> words = words_of(example.substr(0, example.find('\n')));
  const bool argument = !option.starts_with("-");
  // The words after "ridgewatt schedule plan".
  const auto first = words.begin() + 2 + std::count(command.begin(), command.end(), ' ');
  const auto given = argument ? first : std::find(first, words.end(), option);
  if (argument || given != words.end()) {
    *(argument ? given : given + 1) = "%";
  } else {
    words.insert(words.end(), {option, "%"});
  }
  std::string line;
  for (auto word = words.begin() + 1; word != words.end(); ++word) line += *word + " ";
  return {command, option, line};
}

// The rows, and a use of every other option of this kind.
std::vector<FileUse> with_examples(std::span<const FileUse> rows, const std::string& kind) {
  std::vector<FileUse> uses(rows.begin(), rows.end());
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  const std::set<std::string> listed = tried(rows);
  for (const std::string& name : declared(kind)) {
    if (listed.contains(name)) continue;
    const auto last = name.rfind(' ');
    const std::string command = name.substr(0, last);
    const std::string example = reference_of(find_command(app, words_of(command))).example;
    uses.push_back(example_with(command, name.substr(last + 1), example));
  }
  return uses;
}

const std::vector<FileUse>& outputs() {
  static const std::vector<FileUse> all = with_examples(kOutputs, "output");
  return all;
}

const std::vector<FileUse>& inputs() {
  static const std::vector<FileUse> all = with_examples(kInputs, "input");
  return all;
}

TEST(HostileTable, NoOptionThatNamesAFileIsLeftOut) {
  EXPECT_EQ(tried(outputs()), declared("output"));
  EXPECT_EQ(tried(inputs()), declared("input"));
}

// label: slow
TEST_F(Hostile, TheCommandsOfTheTableRun) {
  for (const auto& use : outputs()) {
    const std::string line = with_file(use.line, "fresh");
    const Run run = shell(line);
    EXPECT_EQ(run.status, 0) << line << "\n" << run.output.substr(0, 400);
    EXPECT_TRUE(fs::exists(path("fresh"))) << line;
    fs::remove_all(path("fresh"));
  }
}

// label: slow
TEST_F(Hostile, OutputsThatAreNotPlainFiles) {
  const bool root = ::geteuid() == 0;
  fs::create_directory(path("folder"));
  const bool device = root && ::mknod(path("device").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0;
  for (const auto& use : outputs()) {
    fs::create_symlink("target", path("link"));
    std::vector<std::string> places = {"link", "folder", "no/such/file"};
    if (device) places.emplace_back("device");
    if (!use.slow) {
      places.emplace_back("target");
      places.emplace_back("/dev/full");
      places.emplace_back("loop");
      fs::create_symlink("loop", path("loop"));
    }
    for (const auto& place : places) {
      folder_.write("target", "old");
      fs::permissions(path("target"), fs::perms(0640));
      const auto before = files();
      const std::string line = with_file(use.line, place);
      const Run run = shell(line);
      expect_orderly(run, line);
      if (place == "no/such/file" && !makes_folder(use)) {
        EXPECT_NE(run.status, 0) << line;
      }
      EXPECT_TRUE(fs::is_symlink(path("link"))) << line;
      EXPECT_TRUE(fs::is_directory(path("folder"))) << line;
      EXPECT_TRUE(!device || fs::is_character_file(path("device"))) << line;
      const bool file = fs::is_regular_file(path("target"));
      EXPECT_TRUE(file || fs::is_directory(path("target"))) << line;
      const bool named = place == "link" || place == "target";
      EXPECT_TRUE((run.status == 0 && named) || read_file(path("target")) == "old") << line;
      EXPECT_TRUE(!file || fs::status(path("target")).permissions() == fs::perms(0640)) << line;
      for (const auto& name : files()) {
        const bool expected = before.contains(name) || name == "fake" || name == "s.sock" ||
                              name == "s.sock.lock" || name == "no" || name == "stdout" ||
                              name.ends_with(".data") || name.starts_with("target-") ||
                              name.starts_with("new.db");
        EXPECT_TRUE(expected) << line << " left " << name;
      }
      fs::remove_all(path("no"));
    }
    EXPECT_TRUE(use.slow || fs::status(path("target")).permissions() == fs::perms(0640))
        << use.line;
    for (const char* name : {"target", "target-wal", "target-shm", "link", "loop"})
      fs::remove_all(path(name));
  }
}

// `line` with additional words for the command itself, not for the program after --.
std::string with_words(std::string line, const std::string& words) {
  const auto program = line.find(" -- ");
  return line.insert(program == std::string::npos ? line.size() : program, " " + words);
}

// `line` with "-o FILE".
std::string with_output(const std::string& line, const std::string& file) {
  return with_words(line, "-o " + file);
}

// The files of the fixture that a line reads.
std::vector<std::string> files_in_line(const std::string& line) {
  std::vector<std::string> files;
  for (const char* name : {"training.csv", "small.csv", "inference.csv", "cells.csv", "modes.csv",
                           "profile.json", "bench.json", "heat.csv", "points.db", "c.json"}) {
    if (line.find(name) != std::string::npos) files.emplace_back(name);
  }
  return files;
}

// Commands that print no table, so --columns has nothing to check.
const std::set<std::string> kPrintNoTable = {"export",      "evaluate llm", "man",
                                             "mode export", "report",       "zoo write"};

// label: slow
TEST_F(Hostile, AColumnThatThereIsNotIsRefusedBeforeAFileIsWritten) {
  for (const auto& use : outputs()) {
    if (kPrintNoTable.contains(use.command)) continue;
    for (const char* words : {"--columns no_such_column", "--sort no_such_column --format csv"}) {
      const std::string line = with_words(with_file(use.line, "fresh"), words);
      const Run run = shell(line);
      EXPECT_EQ(run.status, 2) << line << "\n" << run.output.substr(0, 400);
      expect_orderly(run, line);
      EXPECT_FALSE(fs::exists(path("fresh"))) << line;
      fs::remove_all(path("fresh"));
    }
  }
}

// label: slow
TEST_F(Hostile, WhatIsAlwaysCsvIsNotShortenedAndNotJson) {
  for (const char* line :
       {"sweep example --device agx-orin", "store export points.db", "campaign collect c.json"}) {
    for (const char* words : {"--format json", "--top 2", "--sort cores", "--columns cores"}) {
      const Run run = shell("ridgewatt " + with_words(line, words));
      EXPECT_EQ(run.status, 2) << line << ' ' << words << "\n" << run.output.substr(0, 400);
      expect_orderly(run, line);
    }
  }
}

// A command that changes or measures something, and the file whose content shows that; "" if no
// file shows it.
struct Act {
  const char* line;
  const char* sign;
};

#define FAKE "--device fake:agx-orin "
constexpr Act kActs[] = {
    {"campaign plan new --store c.db --boards fake:agx-orin --sample 1 -- true", "new.json"},
    {"campaign run --campaign c --store new.db --point 0:gpu=612 --idle 0 " FAKE "-- touch ran",
     "ran"},
    {"campaign rerun d.json --flagged", ""},
    {"campaign resume d.json", ""},
    {"campaign watch d.json", ""},
    {"compare " FAKE "--repeats 2 'touch ran' true", "ran"},
    {"govern " FAKE "--max-power 30 --model zoo:lenet5 --idle 0 -- touch ran", "ran"},
    {"govern " FAKE "--phase-mode a=MAXN -- touch ran", "ran"},
    {"loadbench samples --generate 4 --sample-size 10 --workers 0 --batch 2 --minibatches 1",
     "samples"},
    {"measure " FAKE "--idle 0 -- touch ran", "ran"},
    {"microbench --seconds 1ms --footprint 4MiB --intensities 1", ""},
    {"mode apply " FAKE "--gpu-mhz 612", "fake"},
    {"mode restore " FAKE, "fake"},
    {"profile new.db " FAKE "--sample 1 --idle 0 -- touch ran", "ran"},
    {"roofline --device local --seconds 1ms --footprint 4MiB", ""},
    {"schedule measure-sharing 'touch ran' true --duration 1 --rounds 2 --start-within 1 --socket "
     "s.sock " FAKE,
     "ran"},
    {"schedule run --training-sweep training.csv --max-power 60 --socket s.sock --duration 50ms "
     "--log new.csv",
     "new.csv"},
    {"soak --sysroot heated --idle 0 --minutes 1 -- touch ran", "ran"},
    {"store import new.db training.csv", "new.db"},
    {"store prune points.db --points 1d", ""},
    {"store merge points.db new.db", "new.db"},
    {"store upgrade new.db", "new.db"},
    {"study frequency " FAKE "--max-runs 1 --store new.db", "new.db"},
    {"tune " FAKE "--profiles 1 --max-power 60 --idle 0 -- touch ran", "ran"},
    {"tune " FAKE "--in-place --profiles 1 --max-power 60 -- touch ran", "ran"},
    {"tune --campaign d.json --executor local --profiles 1 --max-power 60", "ran"},
    {"campaign submit d.json --executor local", "ran"},  // continues after the command
};
#undef FAKE

// label: waits
TEST_F(Hostile, AColumnThatThereIsNotIsRefusedBeforeAnythingIsDone) {
  shell("ridgewatt campaign plan d --store d.db --boards fake:agx-orin --modes one.csv -- touch " +
        path("ran"));
  // The content of a file or folder, or the mode of a fake board.
  const auto content = [&](const std::string& sign) {
    if (sign == "fake") return shell("ridgewatt mode show --device fake:agx-orin --wide").output;
    if (fs::is_directory(path(sign))) return std::string("a folder");
    return fs::exists(path(sign)) ? "is " + read_file(path(sign)) : std::string("none");
  };
  for (const auto& act : kActs) {
    const std::string sign = act.sign, before = content(sign);
    for (const char* words : {"--columns no_such_column", "--sort no_such_column --format csv"}) {
      const std::string line = with_words(std::string("ridgewatt ") + act.line, words);
      const Run run = shell(line);
      EXPECT_EQ(run.status, 2) << line << "\n" << run.output.substr(0, 400);
      EXPECT_THAT(run.output, ::testing::HasSubstr("no_such_column")) << line;
      expect_orderly(run, line);
      EXPECT_TRUE(content(sign) == before) << line;
    }
    if (sign.empty()) continue;
    const Run run = shell(std::string("ridgewatt ") + act.line);
    for (int i = 0; i < 600 && content(sign) == before; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(content(sign) != before) << act.line << "\n" << run.output.substr(0, 400);
    if (sign != "fake") fs::remove_all(path(sign));
  }
}

// A wrong folder must not cost hours of measurement.
// label: waits
TEST_F(Hostile, AResultThatCannotBeWrittenIsRefusedBeforeAnythingIsDone) {
  shell("true");  // makes the file of its output
  const auto before = files();
  const auto refused = [&](const std::string& line) {
    const Run run = shell(line);
    EXPECT_EQ(run.status, 1) << line << "\n" << run.output.substr(0, 400);
    EXPECT_EQ(run.output, "ridgewatt: cannot write file: no/such/file: No such file or directory\n")
        << line;
    EXPECT_EQ(files(), before) << line;
  };
  for (const auto& act : kActs) {
    refused(with_output(std::string("ridgewatt ") + act.line, "no/such/file"));
  }
  for (const auto& use : outputs()) {
    const bool store = use.option == "--store" || use.option == "STORE" || use.option == "TO" ||
                       use.option == "DATABASE";
    if (!store && !makes_folder(use)) refused(with_file(use.line, "no/such/file"));
  }
}

// Every other command is in kActs or outputs(), or only answers a question. Of the commands below,
// campaign cancel, fake-board, fake-run, sandbox, serve and top act, but print no table.
const std::set<std::string> kOnlyAnswer = {"campaign boards",
                                           "campaign cancel",
                                           "campaign list",
                                           "campaign status",
                                           "compare boards",
                                           "completion",
                                           "device list",
                                           "evaluate board-effects",
                                           "evaluate boards",
                                           "evaluate choices",
                                           "evaluate clocks",
                                           "evaluate estimate",
                                           "evaluate explain",
                                           "evaluate govern",
                                           "evaluate groups",
                                           "evaluate in-place",
                                           "evaluate merge",
                                           "evaluate pipeline",
                                           "evaluate references",
                                           "evaluate runtimes",
                                           "evaluate schedules",
                                           "evaluate thermal",
                                           "fake-board",
                                           "fake-run",
                                           "federate",
                                           "fleet status",
                                           "help",
                                           "mode list",
                                           "mode show",
                                           "operators",
                                           "pipeline",
                                           "sandbox",
                                           "schedule dynamic",
                                           "schedule predict-sharing",
                                           "sensors",
                                           "serve",
                                           "store check",
                                           "store list",
                                           "top"};

TEST(HostileTable, EveryCommandActsWritesOrOnlyAnswers) {
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  std::set<std::string> acting = kPrintNoTable;
  for (const auto& use : kOutputs) acting.insert(use.command);
  for (answer::ParameterTableOf* const table : answer::kParameterTables) {
    acting.emplace(table().command);
  }
  std::set<std::string> others;
  const std::function<void(const Json&)> walk = [&](const Json& command) {
    for (const auto& next : command["commands"]) walk(next);
    if (!command["commands"].empty()) return;
    const std::string name = command["name"].get<std::string>().substr(10);
    const bool acts = std::any_of(std::begin(kActs), std::end(kActs), [&](const Act& act) {
      return std::string(act.line).starts_with(name + " ");
    });
    if (!acts && !acting.contains(name)) others.insert(name);
  };
  walk(report::reference_json(reference_of(app)));
  EXPECT_EQ(others, kOnlyAnswer);
}

// For every option that names an input: writes a result onto the input, under three names.
// label: slow
TEST_F(Hostile, NoResultReplacesAnInput) {
  const std::string content = read_file(path("training.csv"));
  for (const auto& use : inputs()) {
    for (const char* name : {"input", "symbolic", "hard"}) {
      folder_.write("input", content);
      fs::create_symlink("input", path("symbolic"));
      fs::create_hard_link(path("input"), path("hard"));
      const std::string line = with_output(with_file(use.line, "input"), name);
      const Run run = shell(line);
      expect_orderly(run, line);
      EXPECT_NE(run.status, 0) << line;
      EXPECT_EQ(read_file(path("input")), content) << line;
      for (const char* one : {"input", "symbolic", "hard"}) fs::remove(path(one));
    }
  }
}

// For every option that names a result: writes it onto each file that the command reads.
// label: slow
TEST_F(Hostile, NoOptionThatWritesReplacesAnInput) {
  for (const auto& use : outputs()) {
    for (const auto& input : files_in_line(use.line)) {
      const std::string content = read_file(path(input));
      fs::create_symlink(input, path("symbolic"));
      for (const std::string& name : {input, std::string("symbolic")}) {
        const std::string line = with_file(use.line, name);
        const Run run = shell(line);
        EXPECT_EQ(run.status, 2) << line << "\n" << run.output.substr(0, 400);
        EXPECT_EQ(read_file(path(input)), content) << line;
      }
      fs::remove(path("symbolic"));
    }
  }
}

// Inputs that no option declares: models, boards, and sweeps that simulate a board.
// label: slow
TEST_F(Hostile, WhatNoOptionDeclaresIsKeptToo) {
  shell("ridgewatt zoo write lenet5 -o model.onnx");
  folder_.write("board.toml", read_file(testing::source_folder() / "boards" / "agx-orin.toml"));
  for (const char* line :
       {"analyze model.onnx -o model.onnx", "estimate model.onnx --device agx-orin -o model.onnx",
        "tune model.onnx --device agx-orin -o model.onnx",
        "roofline model.onnx --device agx-orin -o model.onnx",
        "estimate zoo:lenet5 --device ./board.toml -o board.toml",
        "device show ./board.toml -o board.toml",
        "tune --device replay:training.csv --max-power 40 -o training.csv",
        "measure --device fake:agx-orin --series-csv new --minibatches-csv new -- true",
        "store merge points.db points.db"}) {
    std::map<std::string, std::string> before;
    for (const char* name : {"model.onnx", "board.toml", "training.csv", "points.db"}) {
      before[name] = read_file(path(name));
    }
    const Run run = shell("ridgewatt " + std::string(line));
    EXPECT_EQ(run.status, 2) << line << "\n" << run.output.substr(0, 400);
    for (const auto& [name, content] : before) EXPECT_EQ(read_file(path(name)), content) << line;
  }
}

// label: slow
TEST_F(Hostile, AFifoIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  for (const auto& use : outputs()) {
    const std::string option = use.option;
    if (use.slow || option == "--observations" || makes_folder(use)) continue;
    // Opened for reading and writing, so that neither side waits for the other.
    const int held = ::open(path("fifo").c_str(), O_RDWR | O_NONBLOCK);
    ASSERT_GE(held, 0);
    std::size_t received = 0;
    std::atomic<bool> ended = false;
    std::thread reader([&] {
      char buffer[1 << 16];
      while (true) {
        const ssize_t count = ::read(held, buffer, sizeof buffer);
        if (count > 0) received += static_cast<std::size_t>(count);
        if (count <= 0 && ended) break;
        if (count <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    const std::string line = with_file(use.line, "fifo");
    const Run run = shell(line);
    ended = true;
    reader.join();
    ::close(held);
    EXPECT_EQ(run.status, 0) << line << "\n" << run.output.substr(0, 400);
    EXPECT_GT(received, 0u) << line;
    EXPECT_TRUE(fs::is_fifo(path("fifo"))) << line;
  }
}

// label: slow
TEST_F(Hostile, NoPermissionToWriteIsSaid) {
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  if (std::system("setpriv --reuid 65534 --clear-groups true 2> /dev/null") != 0) {
    GTEST_SKIP() << "skipped: no setpriv";
  }
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::create_directory(path("theirs"));
  fs::permissions(path("theirs"), fs::perms(0555));
  for (const char* line :
       {"zoo write lenet5 -o theirs/file", "sweep check training.csv -o theirs/file",
        "predict --samples training.csv --device agx-orin --method linear -o theirs/file",
        "store import theirs/points.db training.csv", "man -o theirs/man"}) {
    const Run run = shell("setpriv --reuid 65534 --clear-groups ridgewatt " + std::string(line));
    expect_orderly(run, line);
    EXPECT_EQ(run.status, 1) << line << run.output;
  }
  EXPECT_TRUE(fs::is_empty(path("theirs")));
}

// label: slow
TEST_F(Hostile, AClosedOrFullStandardOutputIsAnError) {
  for (const char* line :
       {"--help", "--version", "help tune", "device list", "analyze zoo:lenet5 --quiet",
        "analyze zoo:lenet5 --format json", "sweep training.csv", "operators",
        "zoo write lenet5 -o -", "tune --sweep training.csv --max-power 40"}) {
    for (const char* where : {"/dev/full", "closed"}) {
      const std::string redirect = std::string(where) == "closed" ? " >&-" : " > /dev/full";
      const Run run = shell("sh -c 'ridgewatt " + std::string(line) + redirect + "'");
      EXPECT_EQ(run.status, 1) << line << redirect;
      EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << line << run.output;
    }
  }
}

// label: slow
TEST_F(Hostile, WhatIsEndedLeavesTheOldFileOrTheNewOne) {
  Random random(7);
  const std::string program = (testing::build_folder() / "ridgewatt").string();
  for (const int signal : {SIGTERM, SIGINT}) {
    for (int attempt = 0; attempt < 15; ++attempt) {
      folder_.write("target", "old");
      const auto before = files();
      const pid_t child = ::fork();
      if (child == 0) {
        const int quiet = ::open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; ++fd) ::dup2(quiet, fd);
        if (::chdir(folder_.path().c_str()) != 0) ::_exit(98);
        ::execl(program.c_str(), "ridgewatt", "report", "training.csv", "-o", "target", nullptr);
        ::_exit(99);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(60'000)));
      ::kill(child, signal);
      int status = 0;
      ::waitpid(child, &status, 0);
      const std::string content = read_file(path("target"));
      EXPECT_TRUE(content == "old" || content.find("</html>") != std::string::npos);
      EXPECT_EQ(files(), before);
    }
  }
}

// Damages a valid file in twelve ways.
std::vector<std::pair<std::string, std::string>> mutations(const std::string& sound,
                                                           Random& random) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  };
  const auto header_end = sound.find('\n');
  all.emplace_back("empty", "");
  all.emplace_back("header alone", sound.substr(0, header_end + 1));
  all.emplace_back("truncated", sound.substr(0, random.below(sound.size())));
  all.emplace_back("CRLF", replaced("\n", "\r\n"));
  all.emplace_back("byte order mark", "\xEF\xBB\xBF" + sound);
  std::string wide = "\xFF\xFE";
  for (const char c : sound) wide += std::string(1, c) + std::string(1, '\0');
  all.emplace_back("UTF-16", wide);
  all.emplace_back("column twice", replaced("power_w", "time_ms"));
  all.emplace_back("column missing", replaced("time_ms", "tame_ms"));
  all.emplace_back("escapes", replaced("net", "\x1b[2J\x1b]0;x\x07"));
  all.emplace_back("no numbers", replaced(",16,", ",nan,"));
  all.emplace_back("negative", replaced(",16,", ",16,-"));
  std::string flipped = sound;
  for (int i = 0; i < 20; ++i)
    flipped[random.below(flipped.size())] = static_cast<char>(random.below(256));
  all.emplace_back("random bytes", flipped);
  return all;
}

// label: slow
TEST_F(Hostile, InputsThatAreNotSound) {
  Random random(11);
  const std::string sweep = read_file(path("training.csv"));
  const std::string log =
      "RAM 2448/30536MB (lfb 5x4MB) CPU [5%@1190,off,7%@1190] GR3D_FREQ 40% "
      "gpu@41C VDD_GPU_SOC 2400mW/2400mW\n";
  for (const auto& use : inputs()) {
    const std::string option = use.option;
    const std::string sound = option == "--tegrastats"      ? log
                              : use.command == "mode apply" ? R"({"mode": {"cpu_cores": 4}})"
                              : option == "DATABASE"        ? read_file(path("points.db"))
                                                            : sweep;
    int tries = 0;
    for (const auto& [name, content] : mutations(sound, random)) {
      if (use.slow && ++tries > 3) break;
      folder_.write("bad", content);
      const std::string line = with_file(use.line, "bad");
      expect_orderly(shell(line), line + " (" + name + ")");
      for (const char* left : {"new.db", "new.db-wal", "new.db-shm"}) fs::remove(path(left));
    }
    const std::string missing = with_file(use.line, "missing");
    if (use.command != "store import" || option != "DATABASE") {
      const Run run = shell(missing);
      expect_orderly(run, missing);
      EXPECT_NE(run.status, 0) << missing;
    }
    fs::remove(path("missing"));
    expect_orderly(shell(with_file(use.line, ".")), with_file(use.line, "."));
  }
}

// Every reader must reject content of an unknown kind.
// label: slow
TEST_F(Hostile, UnknownContentIsRefused) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  for (const auto& use : inputs()) {
    const std::string command = use.command;
    // A file that the command creates is not read.
    if (use.slow || (command == "store import" && use.option == "DATABASE")) continue;
    for (const std::string& content :
         {std::string("hello world\n"), std::string("{\"hello\": \"world\"}\n"), png}) {
      folder_.write("unknown", content);
      const std::string line = with_file(use.line, "unknown");
      const Run run = shell(line);
      expect_orderly(run, line);
      EXPECT_NE(run.status, 0) << line << "\n" << content << run.output.substr(0, 400);
      for (const char* left : {"new.db", "new.db-wal", "new.db-shm"}) fs::remove(path(left));
    }
  }
}

// A sweep given as a store, and a store given as a sweep: the message says what the file is.
// label: slow
TEST_F(Hostile, ASweepIsNoStoreAndAStoreIsNoSweep) {
  const std::string sweep = read_file(path("training.csv")), store = read_file(path("points.db"));
  const std::set<std::string> stores = {"DATABASE", "STORE", "FROM", "TO", "--store", "--campaign"};
  const auto said = [&](const FileUse& use, const std::string& content) {
    folder_.write("other", content);
    const std::string line = with_file(use.line, "other");
    const Run run = shell(line);
    expect_orderly(run, line);
    EXPECT_EQ(read_file(path("other")), content) << line;
    return run;
  };
  std::size_t databases = 0, tables = 0;
  std::vector<FileUse> uses(inputs().begin(), inputs().end());
  for (const auto& use : outputs()) {
    if (stores.contains(use.option)) uses.push_back(use);
  }
  for (const auto& use : uses) {
    if (stores.contains(use.option)) {
      const Run run = said(use, sweep);
      const bool plan = run.output.find("not a database") == std::string::npos;
      // A plan is JSON.
      EXPECT_TRUE(use.option == "--campaign" || !plan) << use.line << "\n" << run.output;
      if (!plan) EXPECT_THAT(run.output, HasSubstr("other is a CSV file, not a database"));
      databases += plan ? 0 : 1;
      continue;
    }
    const Run as_sweep = said(use, sweep);
    if (as_sweep.status != 0) continue;  // it wants another kind of file
    const Run run = said(use, store);
    EXPECT_NE(run.status, 0) << use.line;
    EXPECT_THAT(run.output, HasSubstr("is an SQLite database")) << use.line;
    ++tables;
  }
  EXPECT_GE(databases, 10u);
  EXPECT_GE(tables, 20u);
}

// If memory, threads, processes or open files run out, at any place, there is an error of one line.
// label: slow
TEST_F(Hostile, WhatRunsOutIsSaidInOneLine) {
  const bool root = ::geteuid() == 0;
  const std::string as_user =
      root && std::system("setpriv --reuid 65534 --clear-groups true 2> /dev/null") == 0
          ? "setpriv --reuid 65534 --clear-groups "
          : "";
  fs::permissions(folder_.path(), fs::perms(0777));
  for (const char* line :
       {"sweep training.csv", "predict --samples training.csv --device agx-orin --method linear",
        "tune --sweep training.csv --max-power 40", "estimate zoo:resnet50 --device agx-orin",
        "report training.csv", "analyze zoo:bert_base",
        "schedule run --training-sweep training.csv --max-power 60 --socket s.sock "
        "--duration 50ms",
        "microbench --seconds 1ms --footprint 4MiB --intensities 1",
        "pareto --samples training.csv --device agx-orin --method trees"}) {
    for (const char* limit : {"ulimit -v 40000", "ulimit -v 60000", "ulimit -v 90000",
                              "ulimit -v 150000", "ulimit -n 3", "ulimit -n 5", "ulimit -u 1"}) {
      const std::string command =
          as_user + "sh -c '" + limit + "; exec ridgewatt " + line + " --quiet'";
      const Run run = shell(command);
      // 127: the loader ran out of memory before the program started.
      if (run.status == 127) continue;
      expect_orderly(run, command);
    }
  }
}

// label: slow
TEST_F(Hostile, AServerWithoutItsThreadsEnds) {
  for (const char* limit : {"60000", "100000", "150000", "250000"}) {
    const Run run = shell("sh -c 'ulimit -v " + std::string(limit) +
                          "; exec timeout -k 5 3 ridgewatt serve --port 0 --device fake:nano'");
    // 124: the server ran and ended at SIGTERM. 137: only SIGKILL ended it.
    if (run.status == 127 || run.status == 124 || run.status == 0) continue;
    expect_orderly(run, std::string("serve with ") + limit + " KiB");
  }
}

// label: slow
TEST_F(Hostile, AMillionRowsAreReadToTheirEnd) {
  const std::string sweep = read_file(path("training.csv"));
  const std::size_t body = sweep.find('\n') + 1;
  const auto rows = static_cast<std::size_t>(std::count(sweep.begin(), sweep.end(), '\n')) - 1;
  std::string text = sweep.substr(0, body);
  for (std::size_t copies = 1'000'000 / rows + 1; copies > 0; --copies) text += sweep.substr(body);
  folder_.write("big.csv", text);
  for (const char* line :
       {"sweep big.csv", "pareto --sweep big.csv", "report big.csv -o page.html"}) {
    const Run run = shell("ridgewatt " + std::string(line));
    EXPECT_EQ(run.status, 0) << line << "\n" << run.output.substr(0, 400);
  }
}

}  // namespace
}  // namespace ridgewatt::cli
