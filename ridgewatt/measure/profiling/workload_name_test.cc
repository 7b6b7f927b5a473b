#include "ridgewatt/measure/profile.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/text.h"
#include "ridgewatt/measure/placeholders.h"

namespace ridgewatt::measure {
namespace {

std::string name_of_line(const std::string& line) {
  return workload_name(words_of(line));
}

TEST(WorkloadName, IsTheProgramThatIsMeant) {
  EXPECT_EQ(name_of_line("python3 train.py --epochs 3"), "train.py");
  EXPECT_EQ(name_of_line("/usr/bin/python3.11 -u -W ignore /home/me/train.py"), "train.py");
  EXPECT_EQ(name_of_line("python3 -m package.train"), "package.train");
  EXPECT_EQ(name_of_line("env OMP_NUM_THREADS=2 nice -n 5 timeout 60 ./infer model.onnx"), "infer");
  EXPECT_EQ(name_of_line("bash run.sh"), "run.sh");
  EXPECT_EQ(name_of_line("ridgewatt fake-run zoo:lenet5 --device fake:agx-orin"), "lenet5");
  EXPECT_EQ(name_of_line("build/ridgewatt fake-run model.onnx"), "model.onnx");
}

TEST(WorkloadName, IsTheFirstWordWhereNothingElseIsKnown) {
  EXPECT_EQ(name_of_line("./infer --batch 4"), "./infer");
  EXPECT_EQ(name_of_line("python3"), "python3");
  EXPECT_EQ(workload_name({"bash", "-c", "sleep 1"}), "bash");
  EXPECT_EQ(name_of_line("ridgewatt bench zoo:lenet5"), "ridgewatt");
  EXPECT_EQ(name_of_line("pythonista script"), "pythonista");
  EXPECT_EQ(workload_name({}), "");
}

TEST(Placeholders, AreFilledInEverywhere) {
  std::vector<std::string> command = {"run", "-b{batch}", "{batch}x{threads}", "{other}"};
  EXPECT_TRUE(has_place(command, kThreadsPlace));
  fill_in(command, kBatchPlace, 16);
  fill_in(command, kThreadsPlace, 2);
  EXPECT_EQ(command, (std::vector<std::string>{"run", "-b16", "16x2", "{other}"}));
  EXPECT_FALSE(has_place(command, kBatchPlace));
}

}  // namespace
}  // namespace ridgewatt::measure
