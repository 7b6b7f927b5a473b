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
  for (int j = 0; j < kChains; ++j) {
    chains[j] = __float2half2_rn(static_cast<float>(threadIdx.x + j));
  }
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < kChains; ++j) chains[j] = __hfma2(chains[j], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kChains; ++j) sum += __low2float(chains[j]) + __high2float(chains[j]);
  if (sum == -1.0F) out[0] = sum;
}

// A number that looks random, the same for the same `index`.
__device__ unsigned hashed(unsigned index) {
  index = (index ^ (index >> 16)) * 0x7feb352dU;
  index = (index ^ (index >> 15)) * 0x846ca68bU;
  return index ^ (index >> 16);
}

// In [-1, 1). Power depends on the bits that change, so the kernels do not compute with zeros.
__device__ float random_float(unsigned index) {
  return static_cast<float>(hashed(index) >> 8) * 0x1p-23F - 1.0F;
}

__global__ void fill(float4* data, size_t count, unsigned seed) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const unsigned first = 4 * static_cast<unsigned>(i) + seed;
    data[i] = make_float4(random_float(first), random_float(first + 1), random_float(first + 2),
                          random_float(first + 3));
  }
}

// Products of 16 x 16 x 16 matrices, FP16 in and FP32 out, four independent ones a warp.
__global__ void tensor_fp16(int rounds, float* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  using namespace nvcuda;
  constexpr int kProducts = 4;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[kProducts];
  for (int i = 0; i < a.num_elements; ++i) {
    a.x[i] = __float2half(random_float(threadIdx.x * 64 + i));
    b.x[i] = __float2half(random_float(threadIdx.x * 64 + 32 + i));
  }
#pragma unroll
  for (int j = 0; j < kProducts; ++j) wmma::fill_fragment(c[j], static_cast<float>(j));
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < kProducts; ++j) wmma::mma_sync(c[j], a, b, c[j]);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kProducts; ++j) {
    // All of them: the compiler leaves out products of which no element is used.
    for (int i = 0; i < c[j].num_elements; ++i) sum += c[j].x[i];
  }
  if (sum == -1.0F) out[0] = sum;
#endif
}

// Hopper's tensor cores reach their peak only through wgmma: four warps multiply 64 x 16 by 16 x
// 256 matrices in shared memory. This needs code for sm_90a; other code leaves the kernel empty.
constexpr int kRows = 64, kColumns = 256, kDepth = 16, kSteps = 4;  // kSteps: matrices in turn
constexpr int kGroupThreads = 128;
#define R4(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)

__global__ void __launch_bounds__(kThreads, 1) tensor_fp16_hopper(int rounds, float* out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  __shared__ __align__(128) __half a[kSteps * kRows * kDepth];
  __shared__ __align__(128) __half b[kSteps * kColumns * kDepth];
  for (int i = threadIdx.x; i < kSteps * kRows * kDepth; i += kThreads) {
    a[i] = __float2half(random_float(i));
  }
  for (int i = threadIdx.x; i < kSteps * kColumns * kDepth; i += kThreads) {
    b[i] = __float2half(random_float(i + kSteps * kRows * kDepth));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  // PTX: matrix descriptor without swizzle, in units of 16 bytes. Blocks of 8 x 16 bytes follow one
  // another; the next in depth is 128 bytes on, the next 8 rows are 256 bytes on.
  const auto descriptor = [](const __half* data) {
    const auto address = static_cast<unsigned long long>(__cvta_generic_to_shared(data));
    return (address >> 4) | (128ULL >> 4) << 16 | (256ULL >> 4) << 32;
  };
  float c[128];
#pragma unroll
  for (int j = 0; j < 128; ++j) c[j] = 0;
  for (int i = 0; i < rounds; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const unsigned long long left = descriptor(a + step * kRows * kDepth);
      const unsigned long long right = descriptor(b + step * kColumns * kDepth);
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
          "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
          "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
          "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
          "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
          "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
          "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
          "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
          "%111, "
          "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "
          "%126, %127}, "
          "%128, %129, 1, 1, 1, 0, 0;"
          : R16(0), R16(16), R16(32), R16(48), R16(64), R16(80), R16(96), R16(112)
          : "l"(left), "l"(right));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 128; ++j) sum += c[j];
  if (sum == -1.0F) out[0] = sum;
#endif
}
#undef R4
#undef R16

// Whether that kernel was compiled for this GPU and not from the PTX of an older one.
bool has_hopper_kernel(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes{};
  if (properties.major != 9 || properties.minor != 0) return false;
  return cudaFuncGetAttributes(&attributes, tensor_fp16_hopper) == cudaSuccess &&
         attributes.ptxVersion >= 90;
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
  explicit Memory(size_t bytes) { check(cudaMalloc(&data, bytes)); }
  ~Memory() { cudaFree(data); }
  void* data = nullptr;
};

// Numbers, so that a kernel does not stream zeros.
struct Floats : Memory {
  Floats(size_t count, unsigned seed) : Memory(count * sizeof(float4)) {
    fill<<<1024, kThreads>>>(static_cast<float4*>(data), count, seed);
    check(cudaGetLastError());
  }
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
            fma_fp16<<<blocks, kThreads>>>(rounds, -0.9995F, 1.37F, out);
          else
            fma_fp32<<<blocks, kThreads>>>(rounds, -0.99997F, 1.37F, out);
        },
        point);
  } else if (name == "tensor_fp16") {
    if (properties.major < 7) throw Failure{cudaErrorNotSupported};
    const int rounds = 2048;
    if (has_hopper_kernel(properties)) {
      const int groups = properties.multiProcessorCount * kThreads / kGroupThreads;
      point->work_flop = 2.0 * kRows * kColumns * kDepth * kSteps * rounds * groups;
      repeat(
          seconds,
          [&] { tensor_fp16_hopper<<<properties.multiProcessorCount, kThreads>>>(rounds, out); },
          point);
      return;
    }
    point->work_flop = 2.0 * 16 * 16 * 16 * 4 * rounds * threads / 32;
    repeat(
        seconds, [&] { tensor_fp16<<<blocks, kThreads>>>(rounds, out); }, point);
  } else if (name == "triad") {
    const size_t count = footprint / 3 / sizeof(float4);
    Floats a(count, 0), b(count, 1), c(count, 2);
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
    Floats data(count, 0);
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
