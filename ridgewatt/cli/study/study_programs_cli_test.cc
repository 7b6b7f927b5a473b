// Tests the programs of the shipped studies, each in its smallest form, if PyTorch is installed.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/study/study.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPython = "/usr/bin/python3";

bool python_can(const std::string& code) {
  return std::system((std::string(kPython) + " -c '" + code + "' >/dev/null 2>&1").c_str()) == 0;
}
bool has_torch() {
  static const bool has = python_can("import torch");
  return has;
}

testing::ProgramResult run_shell(const testing::TemporaryFolder& folder,
                                 const std::string& command) {
  const std::string output = (folder.path() / "output").string();
  const int status = std::system(("{ " + command + "\n} >" + output + " 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 255, read_file(output)};
}

std::string examples() {
  return (testing::source_folder() / "examples").string();
}

// The study with small parameters and its files in `folder`.
study::Study small(const std::string& name, const testing::TemporaryFolder& folder) {
  study::Study study = study::load_study(name);
  study.parameters["ridgewatt"] = (testing::build_folder() / "ridgewatt").string();
  study.parameters["device"] = "local";
  const auto set = [&](const char* parameter, const std::string& value) {
    if (study.parameters.contains(parameter)) study.parameters[parameter] = value;
  };
  set("examples", examples());
  set("python", kPython);
  set("net", "lenet");
  set("batch", "1");
  set("batches", "2");
  set("minibatches", "3");
  set("folder", folder.path().string());
  set("models", (folder.path() / "model").string());
  set("log", (folder.path() / "log.csv").string());
  for (const char* samples : {"samples", "first", "second"}) {
    set(samples, (folder.path() / "samples").string());
  }
  return study;
}

// label: slow
TEST(StudyPrograms, RunInTheirSmallestForm) {
  if (!has_torch()) GTEST_SKIP() << "skipped: no PyTorch";
  const testing::TemporaryFolder folder;
  const std::string samples = (folder.path() / "samples").string();
  ASSERT_EQ(testing::run_program("loadbench " + samples +
                                 " --generate 20 --workers 0 --minibatches 1 --batch 4 --quiet")
                .status,
            0);
  const std::string traced = (folder.path() / "model-lenet.pt").string();
  ASSERT_EQ(
      run_shell(folder, std::string(kPython) + " " + examples() +
                            "/studies/infer.py --net lenet --mode trace --batch 1 --save " + traced)
          .status,
      0);
  std::set<std::string> ran;  // several studies share a program
  for (const auto& name : study::list_studies()) {
    const study::Study study = small(name, folder);
    study::StudyCell cell;
    for (const auto& factor : study.factors) {
      cell.push_back(factor.name == "net"       ? "lenet"
                     : factor.name == "batch"   ? "1"
                     : factor.levels.empty()    ? "1"
                     : factor.name == "work"    ? "training"
                     : factor.name == "load"    ? "alexnet"
                     : factor.name == "workers" ? "1"
                                                : factor.levels.front());
    }
    const std::string command = study::fill_command(study.command, study, cell);
    if (!ran.insert(command).second) continue;
    const auto result = run_shell(folder, command);
    EXPECT_EQ(result.status, 0) << name << ": " << result.output;
    EXPECT_THAT(result.output, ::testing::AnyOf(HasSubstr("runs on the CPU"), ::testing::IsEmpty()))
        << name;
    const auto before =
        run_shell(folder, study::fill_command(study.before, study, cell) + "\ntrue");
    EXPECT_EQ(before.status, 0) << name << ": " << before.output;
  }
}

// The C++ program of the runtime study, if it was built.
// label: slow
TEST(StudyPrograms, CppRunsWhatPythonTraced) {
  const auto infer = testing::build_folder().parent_path() / "examples" / "ridgewatt_infer";
  if (!has_torch() || !std::filesystem::exists(infer))
    GTEST_SKIP() << "skipped: no ridgewatt_infer";
  const testing::TemporaryFolder folder;
  const std::string traced = (folder.path() / "lenet.pt").string();
  ASSERT_EQ(
      run_shell(folder, std::string(kPython) + " " + examples() +
                            "/studies/infer.py --net lenet --mode trace --batch 1 --save " + traced)
          .status,
      0);
  const std::string command = infer.string() + " " + traced + " 1 2 1 28 ";
  EXPECT_EQ(run_shell(folder, command + "cpu").output.rfind("infer: runs on the CPU (as asked)", 0),
            0u);
  const auto cuda = run_shell(folder, command + "cuda");
  EXPECT_TRUE(cuda.status == 0 || std::count(cuda.output.begin(), cuda.output.end(), '\n') == 1)
      << cuda.output;
  EXPECT_EQ(run_shell(folder, command + "gpu").status, 2);
}

// A dummy PyTorch that pretends to have a GPU and reports when the program waits for it.
constexpr const char* kTorchWithCuda = R"(
import os, sys, types
class Anything:
    def __init__(self, *given, **named): pass
    def __getattr__(self, name): return Anything()
    def __call__(self, *given, **named): return Anything()
    def __enter__(self): return self
    def __exit__(self, *error): pass
class Networks(Anything):
    Module = Anything
class device:
    def __init__(self, name): self.type = name
class cuda:
    is_available = staticmethod(lambda: True)
    get_device_name = staticmethod(lambda: "Nothing 100")
    synchronize = staticmethod(lambda: os.write(1, b"synchronize\n"))
def __getattr__(name): return Anything()
__version__, nn, utils = "2.0", Networks(), types.ModuleType("torch.utils")
utils.data = types.ModuleType("torch.utils.data")
utils.data.Dataset = Anything
utils.data.DataLoader = lambda *given, **named: [(Anything(), Anything())] * 3
sys.modules["torch.utils"], sys.modules["torch.utils.data"] = utils, utils.data
)";

// A program that times a GPU must wait for it: a minibatch or a phase ends when the GPU has
// finished.
// label: slow
TEST(StudyPrograms, WaitForTheGpuBeforeEachMark) {
  if (!python_can("")) GTEST_SKIP() << "skipped: no python3";
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "torch");
  folder.write("torch/__init__.py", kTorchWithCuda);
  for (const std::string program : {"/studies/infer.py --net lenet --mode eager",
                                    "/studies/infer.py --net lenet --mode compile",
                                    "/workloads/run.py lenet", "/workloads/run.py lenet --infer"}) {
    const auto result =
        run_shell(folder, "RIDGEWATT_MARK_FD=1 PYTHONPATH=" + folder.path().string() + " " +
                              kPython + " " + examples() + program + " --batch 1 --device cuda");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("note runs on Nothing 100, PyTorch 2.0"));
    std::string before;
    int marks = 0;
    for (const auto& line : split(result.output, '\n')) {
      if (line.starts_with("minibatch")) {
        EXPECT_EQ(before, "synchronize") << program;
        ++marks;
      }
      before = line;
    }
    EXPECT_GE(marks, 3) << result.output;
  }
}

// The first engine that can run a container is chosen, with the requested options.
// label: slow
TEST(StudyPrograms, FindTheContainerEngineThatRuns) {
  const testing::TemporaryFolder folder;
  const std::string place = folder.path().string();
  const auto find = [&](const std::string& engine, const std::string& gpu) {
    return run_shell(folder, "PATH=" + place + ":/usr/bin:/bin " + examples() +
                                 "/studies/container.sh " + place + "/line '" + engine + "' '" +
                                 gpu + "' " + examples());
  };
  const auto install = [&](const char* engine, const char* script) {
    std::filesystem::permissions(folder.write(engine, std::string("#!/bin/sh\n") + script),
                                 std::filesystem::perms(0755));
  };
  install("docker", "exit 1\n");  // installed, but its service is not running
  install("podman", "case \"$*\" in *runc*) cat >/dev/null; exit 0;; esac\nexit 125\n");
  EXPECT_EQ(find("auto", "none").status, 0);
  EXPECT_EQ(read_file(place + "/line").rfind("podman --runtime runc run --rm", 0), 0u);
  install("docker", "[ \"$1\" = run ] || cat >/dev/null\nexit 0\n");
  EXPECT_EQ(find("auto", "--gpus all").status, 0);
  const std::string line = read_file(place + "/line");
  EXPECT_EQ(line.rfind("docker run --rm", 0), 0u);
  EXPECT_THAT(line, HasSubstr(" --gpus all "));
  EXPECT_THAT(line, HasSubstr("-v " + examples() + ":" + examples() + ":ro"));
  const auto refused = find("false", "none");
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("no container engine runs here: false was tried"));
}

// A missing item is rejected with one line, before anything is computed.
// label: slow
TEST(StudyPrograms, RefuseInOneLineWhatIsNotThere) {
  if (!has_torch()) GTEST_SKIP() << "skipped: no PyTorch";
  const testing::TemporaryFolder folder;
  const auto refused = [&](const std::string& program) {
    const auto result = run_shell(folder, std::string(kPython) + " " + examples() + program);
    EXPECT_NE(result.status, 0) << program;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    return result.output;
  };
  const bool cuda = python_can("import torch; assert torch.cuda.is_available()");
  if (!cuda) {
    EXPECT_THAT(refused("/studies/infer.py --device cuda"), HasSubstr("no CUDA device"));
    EXPECT_THAT(refused("/workloads/run.py lenet --device cuda"), HasSubstr("no CUDA device"));
  }
  const std::string empty = (folder.path() / "empty").string();
  std::filesystem::create_directory(empty);
  EXPECT_THAT(refused("/workloads/run.py lenet --device cpu --data " + empty +
                      " 2>&1 | tail -1; "
                      "false"),
              HasSubstr("holds no samples"));
}

}  // namespace
}  // namespace ridgewatt::cli
