// The microbenchmarks of the GPU are in a shared library that exists only in builds with nvcc.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "kernels/microbench_cuda.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/io/shared_library.h"
#include "ridgewatt/measure/microbench.h"

namespace ridgewatt::measure {
namespace {

// The library from the folder of the program, from ../lib, or from the search path of the loader.
class CudaLibrary {
 public:
  CudaLibrary() {
    const auto folder =
        std::filesystem::path(folder_of(std::filesystem::read_symlink("/proc/self/exe").string()));
    constexpr const char* kName = "libridgewatt_cuda.so";
    for (const std::string& path :
         {(folder / kName).string(), (folder / "../lib" / kName).string(), std::string(kName)}) {
      handle_ = open_library(path);
      if (handle_ != nullptr) break;
    }
    if (handle_ == nullptr) {
      throw NotSupportedError("this build has no CUDA microbenchmarks", no_library(kName),
                              "build with nvcc installed");
    }
    device_name_ = symbol<decltype(device_name_)>("ridgewatt_cuda_device_name");
    run_ = symbol<decltype(run_)>("ridgewatt_cuda_run");
  }
  ~CudaLibrary() { dlclose(handle_); }
  CudaLibrary(const CudaLibrary&) = delete;
  CudaLibrary& operator=(const CudaLibrary&) = delete;

  std::string device_name(int device) const {
    std::array<char, 256> name{};
    if (device_name_(device, name.data(), static_cast<int>(name.size())) != 0) {
      throw NotSupportedError(fmt::format("there is no CUDA device {}", device), "",
                              "is the NVIDIA driver installed and the GPU visible?");
    }
    return name.data();
  }

  // Returns false if the device cannot run this kernel.
  bool run(int device, const char* kernel, int fma, int group, const MicrobenchOptions& options,
           ridgewatt_cuda_point& point) const {
    std::array<char, 256> error{};
    const int code =
        run_(device, kernel, fma, group, options.footprint_bytes, options.seconds_per_point, &point,
             error.data(), static_cast<int>(error.size()));
    if (code == 1) throw IoError("a CUDA microbenchmark failed", kernel, error.data());
    return code == 0;
  }

 private:
  template <typename Function>
  Function symbol(const char* name) {
    auto* found = dlsym(handle_, name);
    if (found == nullptr)
      throw NotSupportedError(
          "the library of CUDA microbenchmarks is from another version of ridgewatt", name,
          "install the library of the same version");
    return reinterpret_cast<Function>(found);
  }

  void* handle_ = nullptr;
  decltype(&ridgewatt_cuda_device_name) device_name_ = nullptr;
  decltype(&ridgewatt_cuda_run) run_ = nullptr;
};

}  // namespace

MicrobenchSummary run_cuda_microbench(int device, const MicrobenchOptions& options) {
  const CudaLibrary library;
  MicrobenchSummary summary;
  summary.device = library.device_name(device);
  const auto add = [&](roofline::MicrobenchKernel kernel, int fma = 0, int group = 1) {
    ridgewatt_cuda_point raw{};
    if (options.power_start) options.power_start();
    const bool supported = library.run(device, name_of(kernel).data(), fma, group, options, raw);
    std::optional<double> power_w;
    if (options.power_stop) power_w = options.power_stop();
    if (!supported) return;
    summary.points.push_back({kernel, raw.work_flop, raw.traffic_bytes, raw.time_s,
                              raw.median_time_s, raw.repetitions, power_w});
  };
  using enum roofline::MicrobenchKernel;
  for (const auto kernel : {kFmaFp32, kFmaFp16, kTensorFp16, kTriad, kLaunch}) add(kernel);
  for (const double intensity : options.intensities) {
    const auto [fma, group] = nearest_intensity_kernel(intensity);
    add(kIntensity, fma, group);
  }
  add_idle_point(options, summary);
  return summary;
}

}  // namespace ridgewatt::measure
