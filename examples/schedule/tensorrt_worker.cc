// A worker of `ridgewatt schedule run` that serves a TensorRT engine, as a starting point. It
// invents its requests and inputs, which your program would receive.
//
//   tensorrt_worker ENGINE RATE          requests arrive RATE times a second
//
// trtexec --saveEngine writes the engine. Its first dimension is the batch, fixed or dynamic.
// Socket and name: $RIDGEWATT_SOCKET, $RIDGEWATT_NAME. Needs TensorRT 8.5 or newer and the CUDA
// runtime, and is built only if NvInfer.h is found. This program was neither compiled nor run,
// because TensorRT was not available.
#include <NvInfer.h>
#include <cuda_runtime_api.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "include/ridgewatt_worker.h"

namespace {

void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}
void require(cudaError_t error, const char* what) {
  require(error == cudaSuccess, std::string(what) + ": " + cudaGetErrorString(error));
}

class Logger : public nvinfer1::ILogger {
  void log(Severity severity, const char* text) noexcept override {
    if (severity <= Severity::kWARNING) std::fprintf(stderr, "tensorrt: %s\n", text);
  }
};

std::size_t bytes_of(nvinfer1::DataType type) {
  switch (type) {
    case nvinfer1::DataType::kFLOAT:
    case nvinfer1::DataType::kINT32:
      return 4;
    case nvinfer1::DataType::kHALF:
      return 2;
    case nvinfer1::DataType::kINT8:
    case nvinfer1::DataType::kBOOL:
      return 1;
    default:
      return 8;  // the largest type
  }
}

// An engine with memory for its largest batch.
class Engine {
 public:
  explicit Engine(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> plan{std::istreambuf_iterator<char>(file), {}};
    require(!plan.empty(), "cannot read " + path);
    runtime_.reset(nvinfer1::createInferRuntime(logger_));
    require(runtime_ != nullptr, "TensorRT does not start");
    engine_.reset(runtime_->deserializeCudaEngine(plan.data(), plan.size()));
    require(engine_ != nullptr, "not an engine of this TensorRT and GPU: " + path);
    context_.reset(engine_->createExecutionContext());
    require(context_ != nullptr, "no memory for the engine");
    require(cudaStreamCreate(&stream_), "stream");
    for (int i = 0; i < engine_->getNbIOTensors(); ++i) {
      const char* name = engine_->getIOTensorName(i);
      nvinfer1::Dims shape = engine_->getTensorShape(name);
      if (engine_->getTensorIOMode(name) == nvinfer1::TensorIOMode::kINPUT) {
        inputs_.push_back(name);
        dynamic_ = dynamic_ || shape.d[0] < 0;
        if (shape.d[0] < 0) {
          shape = engine_->getProfileShape(name, 0, nvinfer1::OptProfileSelector::kMAX);
        }
        most_ = std::max(most_, static_cast<int>(shape.d[0]));
      }
    }
    require(!inputs_.empty(), "the engine has no input");
    shape_inputs(most_);
    for (int i = 0; i < engine_->getNbIOTensors(); ++i) {
      const char* name = engine_->getIOTensorName(i);
      const nvinfer1::Dims shape = context_->getTensorShape(name);
      std::size_t size = bytes_of(engine_->getTensorDataType(name));
      for (int d = 0; d < shape.nbDims; ++d) {
        size *= static_cast<std::size_t>(std::max<long long>(shape.d[d], 1));
      }
      void* memory = nullptr;
      require(cudaMalloc(&memory, size), "memory");
      memory_.push_back(memory);
      require(cudaMemset(memory, 0, size), "memory");
      require(context_->setTensorAddress(name, memory), std::string("tensor ") + name);
    }
  }
  ~Engine() {
    for (void* memory : memory_) cudaFree(memory);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Your program copies its inputs to the device before the call, and its outputs back after it.
  void infer(int batch) {
    for (; batch > 0; batch -= most_) {
      shape_inputs(std::min(batch, most_));
      require(context_->enqueueV3(stream_), "cannot run the engine");
    }
    require(cudaStreamSynchronize(stream_), "inference");  // then the device is idle
  }

 private:
  void shape_inputs(int batch) {
    if (!dynamic_) return;
    for (const auto& name : inputs_) {
      nvinfer1::Dims shape =
          engine_->getProfileShape(name.c_str(), 0, nvinfer1::OptProfileSelector::kMAX);
      shape.d[0] = batch;
      require(context_->setInputShape(name.c_str(), shape), "no such batch");
    }
  }

  Logger logger_;
  std::unique_ptr<nvinfer1::IRuntime> runtime_;
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::string> inputs_;
  std::vector<void*> memory_;
  bool dynamic_ = false;
  int most_ = 1;
};

using Clock = std::chrono::steady_clock;

int serve(Engine& engine, ridgewatt_worker& worker, double rate_hz) {
  if (ridgewatt_worker_count(&worker) != 0) return 1;
  const auto gap =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate_hz));
  auto next = Clock::now() + gap;
  bool asked = false;
  while (true) {
    for (; next <= Clock::now(); next += gap) {
      const auto age = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - next);
      if (ridgewatt_worker_arrived(&worker, 1, age.count()) != 0) return 0;
    }
    if (!asked && ridgewatt_worker_ask(&worker) != 0) return 0;
    asked = true;
    pollfd polled{worker.fd, POLLIN, 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    const int wait_ms = static_cast<int>(std::clamp<long long>(wait.count(), 0, 1000));
    if (worker.pending_size == 0 && poll(&polled, 1, wait_ms) <= 0) continue;
    if (ridgewatt_worker_granted(&worker) != 0) return 0;
    engine.infer(worker.requests > 0 ? worker.requests : worker.batch);
    if (ridgewatt_worker_end(&worker) != 0) return 0;
    asked = false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double rate_hz = argc == 3 ? std::atof(argv[2]) : 0;
  if (!(rate_hz > 0)) {
    std::fprintf(stderr, "usage: %s ENGINE RATE\n", argv[0]);
    return 2;
  }
  try {
    Engine engine(argv[1]);
    engine.infer(1);  // the first inference is slow
    const char* name = std::getenv("RIDGEWATT_NAME");
    ridgewatt_worker worker;
    if (ridgewatt_worker_connect(&worker, nullptr, "inference",
                                 name != nullptr ? name : "tensorrt") != 0) {
      std::perror("tensorrt_worker");
      return 1;
    }
    return serve(engine, worker, rate_hz);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensorrt_worker: %s\n", error.what());
    return 1;
  }
}
