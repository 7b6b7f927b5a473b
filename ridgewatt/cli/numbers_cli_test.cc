// Tests the numbers of every command: none is nan or inf, and no 0 replaces an unknown value. Also
// tests every path: a bare name in the current folder means the same as ./NAME.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;
using testing::ProgramResult;
using testing::run_program;

bool has_unknown_number(const std::string& text) {
  static const std::regex kWord(R"((^|[^\w./])[-+]?(nan|inf|infinity)($|[^\w./]))",
                                std::regex::icase);
  return std::regex_search(text, kWord);
}

// Expects an answer without invalid numbers, or one line of error.
void expect_sound(const ProgramResult& run, const std::string& line) {
  EXPECT_LE(run.status, 3) << line << "\n" << run.output.substr(0, 400);
  EXPECT_EQ(run.output.find("internal error"), std::string::npos) << line << "\n" << run.output;
  EXPECT_FALSE(run.status == 0 && has_unknown_number(run.output)) << line << "\n" << run.output;
}

// Costs of about a second, which formats of three digits write as 1.03e+03 ms.
constexpr const char* kLongRuns[] = {
    "tune zoo:resnet50 --device agx-orin --arrival-rate 30 --minimize power",
    "tune zoo:resnet50 --device nano --training --batch 64 --max-time 20s",
    "tune zoo:resnet50 --device nano --training --batch 64 --max-time 1234ms",
    "explain zoo:resnet50 --device agx-orin --measured 2500ms",
    "explain zoo:resnet50 --device agx-orin --measured 2500ms --seen gpu_mhz=306",
    "estimate zoo:resnet50 --device nano --training --batch 64 --runtime all",
    "roofline zoo:vgg16 --device nano --batch 64 --training --modes presets",
    "tune llm zoo:llama-3.1-8b --device agx-orin --phases --max-ttft 1500ms",
    "llm zoo:llama-3.1-8b --device agx-orin --prompt 4096"};

// label: slow
TEST(Numbers, OfSentencesHaveNoExponent) {
  const std::regex exponent("[0-9]e[+][0-9]+ (ms|s|W|J|K|%)");
  for (const char* line : kLongRuns) {
    const ProgramResult run = run_program(line);
    EXPECT_TRUE(run.status == 0 || run.status == 3) << line << '\n' << run.output;
    EXPECT_FALSE(std::regex_search(run.output, exponent)) << line << '\n' << run.output;
  }
}

std::vector<std::string> node_tests() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(testing::shared_folder() / "onnx" / "node")) {
    files.push_back((entry.path() / "model.onnx").string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

constexpr const char* kAnswers[] = {
    "analyze {}",
    "analyze {} --training --format json",
    "estimate {} --device agx-orin --training",
    "estimate {} --device nano --runtime all",
    "estimate {} --device agx-orin --per-layer --format json",
    "roofline {} --device agx-orin --format csv",
    "tune {} --device orin-nano --minimize energy",
    "pipeline {} --device agx-orin --format json",
    "estimate {} --device thor --batch 1,3 --precision fp16 --runtime tensorrt --format csv"};

// label: slow
TEST(Numbers, OfTheNodeTestsAreNumbers) {
  RIDGEWATT_REQUIRE_SHARED();
  std::size_t next = 0;
  for (const auto& file : node_tests()) {
    const std::string line =
        fmt::format(fmt::runtime(kAnswers[next++ % std::size(kAnswers)]), file);
    expect_sound(run_program(line), line);
  }
}

std::string error_of(const ProgramResult& run) {
  const auto at = run.output.rfind("ridgewatt: ");
  return at == std::string::npos ? run.output : run.output.substr(at);
}

// Asks the library, because starting the program for each of 800 models takes ten times as long.
bool has_no_kernels(const std::string& file) {
  try {
    return workload::DeployedWorkload(file).at(0)->kernels.empty();
  } catch (const Error&) {
    return false;
  }
}

// label: slow
TEST(Numbers, AModelWithoutKernelsIsOneErrorWithAndWithoutTraining) {
  RIDGEWATT_REQUIRE_SHARED();
  int empty = 0;
  for (const auto& file : node_tests()) {
    if (!has_no_kernels(file)) continue;
    ++empty;
    const std::string line = "estimate " + file + " --device agx-orin";
    const ProgramResult inference = run_program(line);
    EXPECT_EQ(inference.status, 2) << line;
    EXPECT_THAT(inference.output,
                ::testing::HasSubstr("the model has no operations that take time"));
    for (const char* more : {" --training", " --runtime all"}) {
      const ProgramResult other = run_program(line + more);
      expect_sound(other, line + more);
      // Dropout is a kernel only in training.
      if (other.status == 0 && line.find("dropout") != std::string::npos) continue;
      EXPECT_EQ(other.status, inference.status) << line << more;
      EXPECT_EQ(error_of(other), error_of(inference)) << line << more;
    }
    const std::string tune = "tune " + file + " --device agx-orin --runtime all";
    const ProgramResult tuned = run_program(tune);
    if (tuned.status == 0) continue;  // ONNX Runtime has kernels for some operators that only move
    EXPECT_EQ(error_of(tuned), error_of(inference)) << tune;
  }
  EXPECT_GT(empty, 50);
}

// Replaces one number of a board file at a time by a value that no board has.
// label: slow
TEST(Numbers, OfABoardFileAreBounded) {
  const testing::TemporaryFolder folder;
  const std::string text =
      read_file((testing::source_folder() / "boards" / "agx-orin.toml").string());
  const std::regex number(R"(([a-z_]+ = )-?[0-9][0-9.e+-]*\n)");
  std::vector<std::smatch> places(std::sregex_iterator(text.begin(), text.end(), number), {});
  ASSERT_GT(places.size(), 200U);
  int refused = 0;
  for (std::size_t i = 0; i < places.size(); i += 7) {
    for (const char* value : {"1e308", "1e-300", "-1.0", "nan"}) {
      const auto at = static_cast<std::size_t>(places[i].position());
      const std::string board = text.substr(0, at) + places[i][1].str() + value + "\n" +
                                text.substr(at + places[i].str().size());
      const std::string line = "estimate zoo:lenet5 --device " + folder.write("b.toml", board);
      const ProgramResult run = run_program(line);
      expect_sound(run, places[i].str() + value);
      refused += run.status != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Numbers, ThatAreNotKnownAreNotZero) {
  const ProgramResult json = run_program("pipeline --compute-time 100 --format json");
  ASSERT_EQ(json.status, 0) << json.output;
  const Json epochs = Json::parse(json.output)["epochs"];
  EXPECT_TRUE(epochs[0]["energy_j"].is_null()) << json.output;
  EXPECT_TRUE(epochs[0]["minibatch_j"].is_null());
  const ProgramResult known =
      run_program("pipeline --compute-time 100 --base-power 5 --format json");
  EXPECT_GT(Json::parse(known.output)["epochs"][0]["energy_j"].get<double>(), 0);
}

TEST(Numbers, OfStudiesAndSweepsAreFinite) {
  const testing::TemporaryFolder folder;
  const std::string rows = "cpu_mhz,gpu_mhz,time_ms,power_w,kind\n1000,500,10,5,";
  EXPECT_EQ(run_program("sweep check " + folder.write("a.csv", rows + "inference\n")).status, 0);
  for (const char* bad : {"nan", "inf", "1e308"}) {
    const ProgramResult run =
        run_program("sweep check " + folder.write("b.csv", rows + bad + "\n"));
    EXPECT_EQ(run.status, 1) << run.output;
    EXPECT_NE(run.output.find("is not a kind"), std::string::npos) << run.output;
  }
  for (const char* row :
       {"1e308,500,10,5,inference", "1000,500,1e308,5,inference", "1000,500,10,1e-300,inference"}) {
    const std::string file =
        folder.write("c.csv", "cpu_mhz,gpu_mhz,time_ms,power_w,kind\n" + std::string(row) + "\n");
    EXPECT_EQ(run_program("sweep check " + file).status, 1) << row;
  }
  const ProgramResult study = run_program(
      "study " +
      folder.write(
          "s.toml",
          "name = \"s\"\ntitle = \"t\"\nquestion = \"q\"\nworkload = \"w\"\ncommand = \"true\"\n"
          "[[factor]]\nname = \"n\"\nlevels = [1, nan]\n"));
  EXPECT_EQ(study.status, 1);
  EXPECT_NE(study.output.find("'factor.levels' has the level 'nan', which is not a finite number"),
            std::string::npos)
      << study.output;
}

class BareNames : public ::testing::Test {
 protected:
  // Runs a line in the folder.
  ProgramResult in_folder(const std::string& line) const {
    const auto program = (testing::build_folder() / "ridgewatt").string();
    const std::string command =
        fmt::format("cd '{}' && timeout 60 '{}' {} 2>&1", folder_.path().string(), program, line);
    ProgramResult result;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      result.output.append(buffer.data(), count);
    }
    const int status = ::pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }
  testing::TemporaryFolder folder_;
};

// label: slow
TEST_F(BareNames, MeanTheSameAsWithTheirFolder) {
  folder_.write("config.json",
                R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100})");
  const std::string header = R"({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})";
  folder_.write("model.safetensors", std::string(1, static_cast<char>(header.size())) +
                                         std::string(7, '\0') + header + std::string(4, '\0'));
  fs::copy_file(testing::source_folder() / "boards" / "agx-orin.toml", folder_.path() / "b.toml");
  ASSERT_EQ(in_folder("zoo write lenet5 -o m.onnx").status, 0);
  ASSERT_EQ(in_folder("sweep example --mode-count 40 -o s.csv").status, 0);
  for (const char* line :
       {"fits config.json --device agx-orin",
        "llm config.json --device agx-orin",
        "tune llm config.json --device agx-orin --modes maxn",
        "fits model.safetensors",
        "llm model.safetensors --device agx-orin",
        "analyze m.onnx",
        "estimate m.onnx --device agx-orin",
        "tune m.onnx --device agx-orin",
        "roofline m.onnx --device agx-orin --modes maxn",
        "pipeline m.onnx --device agx-orin",
        "device show b.toml",
        "estimate zoo:lenet5 --device b.toml",
        "sweep check s.csv",
        "tune --sweep s.csv",
        "pareto --sweep s.csv",
        "predict --samples s.csv --method linear",
        "store import points.db s.csv",
        "store list points.db",
        "report s.csv -o page.html",
        "layers m.onnx --profile config.json",
        "federate m.onnx --boards s.csv",
        "schedule plan --inference m.onnx --device agx-orin --modes presets --arrival-rate 1",
        "campaign plan c --store c.db --boards fake:agx-orin --modes s.csv -- true",
        "thermal fit s.csv",
        "study config.json",
        "fits config.json -o fits.json --format json"}) {
    SCOPED_TRACE(line);
    const ProgramResult bare = in_folder(line);
    EXPECT_EQ(bare.output.find("internal error"), std::string::npos) << bare.output;
    static const std::regex kName(R"( ([a-z]+\.[a-z]+))");
    const ProgramResult dotted = in_folder(std::regex_replace(std::string(line), kName, " ./$1"));
    EXPECT_EQ(bare.status, dotted.status) << bare.output << dotted.output;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
