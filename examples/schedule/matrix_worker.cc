// A worker that does real matrix work: a training step (forward, backward, update) or a batch of
// inferences of a small dense network.
//
//   matrix_worker SOCKET inference RATE     requests arrive RATE times a second
//   matrix_worker SOCKET training
//   matrix_worker - inference|training      print the time of a minibatch and exit
#include <Eigen/Dense>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "include/ridgewatt_worker.h"

namespace {

constexpr int kWidth = 512;

class Network {
 public:
  void infer(int batch) {
    const Eigen::MatrixXf input = Eigen::MatrixXf::Constant(kWidth, batch, 0.01F);
    output_ = weights_[1] * (weights_[0] * input).cwiseMax(0.0F);
  }
  void train(int batch) {
    const Eigen::MatrixXf input = Eigen::MatrixXf::Constant(kWidth, batch, 0.01F);
    const Eigen::MatrixXf hidden = (weights_[0] * input).cwiseMax(0.0F);
    output_ = weights_[1] * hidden;
    const Eigen::MatrixXf gradient = output_ - input;
    Eigen::MatrixXf back = weights_[1].transpose() * gradient;
    back = (hidden.array() > 0).select(back, 0.0F);
    weights_[1] -= 1e-6F * gradient * hidden.transpose();
    weights_[0] -= 1e-6F * back * input.transpose();
  }

 private:
  Eigen::MatrixXf weights_[2] = {Eigen::MatrixXf::Random(kWidth, kWidth) * 0.05F,
                                 Eigen::MatrixXf::Random(kWidth, kWidth) * 0.05F};
  Eigen::MatrixXf output_;
};

using Clock = std::chrono::steady_clock;

int measure(Network& network, bool inference) {
  double best_ms = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    if (inference)
      network.infer(16);
    else
      network.train(64);
    best_ms =
        std::min(best_ms, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::printf("%.2f\n", best_ms);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SOCKET inference RATE | %s SOCKET training\n", argv[0],
                 argv[0]);
    return 2;
  }
  const bool inference = std::string(argv[2]) == "inference";
  Network network;
  if (std::string(argv[1]) == "-") return measure(network, inference);
  ridgewatt_worker worker;
  if (ridgewatt_worker_connect(&worker, argv[1], argv[2],
                               inference ? "matrix-infer" : "matrix-train") != 0) {
    std::perror("matrix_worker");
    return 1;
  }
  const double rate = argc > 3 ? std::atof(argv[3]) : 50;
  const auto start = Clock::now();
  for (long long served = 0;;) {
    if (inference) {  // wait until the batch is complete
      const double due_s = static_cast<double>(served + worker.batch) / rate;
      std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(due_s)));
    }
    if (ridgewatt_worker_begin(&worker) != 0) break;
    if (inference)
      network.infer(worker.batch);
    else
      network.train(64);
    if (ridgewatt_worker_end(&worker) != 0) break;
    served += worker.batch;
  }
  return 0;
}
