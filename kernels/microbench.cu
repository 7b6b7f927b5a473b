// Microbenchmarks of an NVIDIA GPU: built into a shared library of its own where nvcc is there and
// opened with dlopen, so that one program serves machines with and without CUDA.
#include "microbench_cuda.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kChains = 8;

__global__ void fma_fp32(int rounds, float factor, float term, float* out) {
  float chains[kChains];
#pragma unroll
  for (int j = 0; j < kChains; ++j) chains[j] = static_cast<float>(threadIdx.x + j);
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < kChains; ++j) chains[j] = fmaf(chains[j], factor, term);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kChains; ++j) sum += chains[j];
  if (sum == -1.0F) out[0] = sum;  // never true, but the compiler cannot know
}

__global__ void fma_fp16(int rounds, float factor, float term, float* out) {
  const __half2 a = __float2half2_rn(factor);
  const __half2 b = __float2half2_rn(term);
  __half2 chains[kChains];
#pragma unroll
  for (int j = 0; j < kChains; ++j) chains[j] = __float2half2_rn(static_cast<float>(j));
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < kChains; ++j) chains[j] = __hfma2(chains[j], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kChains; ++j) sum += __low2float(chains[j]) + __high2float(chains[j]);
  if (sum == -1.0F) out[0] = sum;
}

// Products of 16 x 16 x 16 matrices, FP16 in and FP32 out, four independent ones a warp.
__global__ void tensor_fp16(int rounds, float* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  using namespace nvcuda;
  constexpr int kProducts = 4;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[kProducts];
  wmma::fill_fragment(a, __float2half(0.5F));
  wmma::fill_fragment(b, __float2half(0.25F));
#pragma unroll
  for (int j = 0; j < kProducts; ++j) wmma::fill_fragment(c[j], static_cast<float>(j));
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < kProducts; ++j) wmma::mma_sync(c[j], a, b, c[j]);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kProducts; ++j) sum += c[j].x[0];
  if (sum == -1.0F) out[0] = sum;
#endif
}

__global__ void triad(float4* a, const float4* b, const float4* c, float s, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const float4 x = b[i];
    const float4 y = c[i];
    a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
  }
}

// Reads `count` groups of four floats. fma > 0: that many multiply-adds a float; else one
// multiply-add for `group` groups of four, which an exclusive or has joined.
__global__ void intensity(const float4* data, size_t count, int fma, int group, float* out) {
  float x = 0, y = 0, z = 0, w = 0;
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (fma > 0) {
    for (size_t i = first; i < count; i += stride) {
      const float4 v = data[i];
      for (int m = 0; m < fma; ++m) {
        x = fmaf(x, v.x, 1.0F);
        y = fmaf(y, v.y, 1.0F);
        z = fmaf(z, v.z, 1.0F);
        w = fmaf(w, v.w, 1.0F);
      }
    }
  } else {
    for (size_t i = first; i < count; i += stride * group) {
      int jx = 0, jy = 0, jz = 0, jw = 0;
      for (int g = 0; g < group; ++g) {
        const size_t at = i + g * stride;
        if (at >= count) break;
        const float4 v = data[at];
        jx ^= __float_as_int(v.x);
        jy ^= __float_as_int(v.y);
        jz ^= __float_as_int(v.z);
        jw ^= __float_as_int(v.w);
      }
      x = fmaf(__int_as_float(jx), 0.5F, x);
      y = fmaf(__int_as_float(jy), 0.5F, y);
      z = fmaf(__int_as_float(jz), 0.5F, z);
      w = fmaf(__int_as_float(jw), 0.5F, w);
    }
  }
  if (x + y + z + w == -1.0F) out[0] = x;
}

__global__ void empty() {}

struct Failure {
  cudaError_t code;
};

void check(cudaError_t code) {
  if (code != cudaSuccess) throw Failure{code};
}

struct Memory {
  explicit Memory(size_t bytes) {
    check(cudaMalloc(&data, bytes));
    check(cudaMemset(data, 0, bytes));
  }
  ~Memory() { cudaFree(data); }
  void* data = nullptr;
};

struct Event {
  Event() { check(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
  cudaEvent_t event{};
};

// Launches until `seconds` are over; fastest and median time of one launch.
template <typename Launch>
void repeat(double seconds, const Launch& launch, ridgewatt_cuda_point* point) {
  Event start, stop;
  std::vector<float> times_ms;
  launch();  // warm up
  check(cudaDeviceSynchronize());
  double total_s = 0;
  while (times_ms.size() < 3 || total_s < seconds) {
    float elapsed_ms = 0;
    check(cudaEventRecord(start.event));
    launch();
    check(cudaEventRecord(stop.event));
    check(cudaEventSynchronize(stop.event));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&elapsed_ms, start.event, stop.event));
    times_ms.push_back(elapsed_ms);
    total_s += elapsed_ms / 1e3 + 1e-6;
  }
  std::sort(times_ms.begin(), times_ms.end());
  point->time_s = times_ms.front() / 1e3;
  point->median_time_s = times_ms[times_ms.size() / 2] / 1e3;
  point->repetitions = static_cast<int>(times_ms.size());
}

void run(const char* kernel, int fma, int group, size_t footprint, double seconds,
         ridgewatt_cuda_point* point) {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  const int blocks = properties.multiProcessorCount * 8;
  const double threads = static_cast<double>(blocks) * kThreads;
  Memory sink(sizeof(float));
  auto* out = static_cast<float*>(sink.data);
  const std::string_view name(kernel);
  if (name == "fma_fp32" || name == "fma_fp16") {
    const int rounds = 8192;
    const bool half = name == "fma_fp16";
    point->work_flop = 2.0 * kChains * rounds * threads * (half ? 2 : 1);
    repeat(
        seconds,
        [&] {
          if (half)
            fma_fp16<<<blocks, kThreads>>>(rounds, 0.5F, 1.0F, out);
          else
            fma_fp32<<<blocks, kThreads>>>(rounds, 0.5F, 1.0F, out);
        },
        point);
  } else if (name == "tensor_fp16") {
    if (properties.major < 7) throw Failure{cudaErrorNotSupported};
    const int rounds = 2048;
    point->work_flop = 2.0 * 16 * 16 * 16 * 4 * rounds * threads / 32;
    repeat(
        seconds, [&] { tensor_fp16<<<blocks, kThreads>>>(rounds, out); }, point);
  } else if (name == "triad") {
    const size_t count = footprint / 3 / sizeof(float4);
    Memory a(count * sizeof(float4)), b(count * sizeof(float4)), c(count * sizeof(float4));
    point->work_flop = 8.0 * static_cast<double>(count);
    point->traffic_bytes = 48.0 * static_cast<double>(count);
    repeat(
        seconds,
        [&] {
          triad<<<blocks, kThreads>>>(static_cast<float4*>(a.data),
                                      static_cast<const float4*>(b.data),
                                      static_cast<const float4*>(c.data), 3.0F, count);
        },
        point);
  } else if (name == "intensity") {
    const size_t count = footprint / sizeof(float4);
    Memory data(count * sizeof(float4));
    point->traffic_bytes = 16.0 * static_cast<double>(count);
    point->work_flop = 4.0 * static_cast<double>(count) * (fma > 0 ? 2.0 * fma : 2.0 / group);
    repeat(
        seconds,
        [&] {
          intensity<<<blocks, kThreads>>>(static_cast<const float4*>(data.data), count, fma, group,
                                          out);
        },
        point);
  } else if (name == "launch") {
    const int launches = 1000;
    repeat(
        seconds,
        [&] {
          for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
        },
        point);
    point->time_s /= launches;
    point->median_time_s /= launches;
  } else {
    throw Failure{cudaErrorInvalidValue};
  }
}

}  // namespace

extern "C" {

int ridgewatt_cuda_device_name(int device, char* name, int size) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return 1;
  std::snprintf(name, static_cast<size_t>(size), "%s", properties.name);
  return 0;
}

int ridgewatt_cuda_run(int device, const char* kernel, int fma, int group, size_t footprint_bytes,
                       double seconds, ridgewatt_cuda_point* point, char* error, int error_size) {
  std::memset(point, 0, sizeof *point);
  try {
    check(cudaSetDevice(device));
    run(kernel, fma, group, footprint_bytes, seconds, point);
    return 0;
  } catch (const Failure& failure) {
    std::snprintf(error, static_cast<size_t>(error_size), "%s", cudaGetErrorString(failure.code));
    return failure.code == cudaErrorNotSupported ? 2 : 1;
  }
}

}  // extern "C"
