// Does the roofline of this machine predict the time of real work? Compares a matrix product and a
// convolution with Eigen, on one thread, with the roofline that `ridgewatt microbench` measured:
//
//   ridgewatt microbench --threads 1 -o points.csv && roofline_check points.csv
//
// An estimate is the sum of max(work / (peak x efficiency), traffic / bandwidth) over the passes.
// The product is one pass. The convolution has two: unfolding the image (im2col), which only moves
// data, and a product. The efficiency of products is one number, as for a kernel class of a twin.
// It is measured once, on a product of another size than the estimated ones.
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "ridgewatt/io/csv.h"

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Roof {
  double peak_flop_per_s = 0;
  double bandwidth_bytes_per_s = 0;
  double efficiency = 1;  // of matrix products, relative to the peak
  double time_s(double work_flop, double traffic_bytes) const {
    return std::max(work_flop / (peak_flop_per_s * efficiency),
                    traffic_bytes / bandwidth_bytes_per_s);
  }
};

Roof read_roof(const std::string& path) {
  const auto table = ridgewatt::read_csv(path);
  const auto kernel = table.require_column("kernel");
  Roof roof;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double time_s = table.number(row, table.require_column("time_ms")) / 1e3;
    const auto rate = [&](const char* column) {
      return table.number(row, table.require_column(column)) / time_s;
    };
    if (table.rows[row][kernel] == "fma_fp32") roof.peak_flop_per_s = rate("work_flop");
    if (table.rows[row][kernel] == "triad") roof.bandwidth_bytes_per_s = rate("traffic_bytes");
  }
  return roof;
}

// The fastest repetition within two seconds, because other programs can only slow it down.
double fastest_s(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best_s = 1e9;
  const auto end = Clock::now() + std::chrono::seconds(2);
  for (int i = 0; i < 5 || Clock::now() < end; ++i) {
    const auto start = Clock::now();
    work();
    best_s = std::min(best_s, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best_s;
}

void report(const char* name, double estimate_s, double measured_s) {
  std::printf("%-28s estimate %8.3f ms, measured %8.3f ms, estimate / measured %.3f\n", name,
              estimate_s * 1e3, measured_s * 1e3, estimate_s / measured_s);
}

double product_s(Eigen::Index size) {
  const Matrix a = Matrix::Random(size, size);
  const Matrix b = Matrix::Random(size, size);
  Matrix c(size, size);
  return fastest_s([&] { c.noalias() = a * b; });
}

double product_flop(Eigen::Index size) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

void check_product(const Roof& roof, Eigen::Index size) {
  const auto n = static_cast<double>(size);
  char name[40];
  std::snprintf(name, sizeof name, "product %ld x %ld", static_cast<long>(size),
                static_cast<long>(size));
  report(name, roof.time_s(product_flop(size), 3 * 4 * n * n), product_s(size));
}

// A 3 x 3 convolution with stride 1, zero padding and a square image. Input and output have
// `channels` channels.
void check_convolution(const Roof& roof, Eigen::Index channels, Eigen::Index side) {
  const Eigen::Index kernel = 3;
  Matrix image = Matrix::Random((side + 2) * (side + 2), channels);  // pixels by channels
  const Matrix weights = Matrix::Random(kernel * kernel * channels, channels);
  Matrix unfolded(side * side, kernel * kernel * channels);
  Matrix result(side * side, channels);
  const double measured_s = fastest_s([&] {
    for (Eigen::Index y = 0; y < side; ++y) {
      for (Eigen::Index x = 0; x < side; ++x) {
        float* row = unfolded.row(y * side + x).data();
        for (Eigen::Index ky = 0; ky < kernel; ++ky) {  // three adjacent pixels
          const float* from = image.row((y + ky) * (side + 2) + x).data();
          std::copy(from, from + kernel * channels, row + ky * kernel * channels);
        }
      }
    }
    result.noalias() = unfolded * weights;
  });
  const auto pixels = static_cast<double>(side * side);
  const auto c = static_cast<double>(channels);
  const double unfolded_bytes = 4 * pixels * 9 * c;
  const double multiply_s = roof.time_s(2 * pixels * 9 * c * c, unfolded_bytes + 8 * pixels * c);
  char name[40];
  std::snprintf(name, sizeof name, "convolution %ld, %ld x %ld", static_cast<long>(channels),
                static_cast<long>(side), static_cast<long>(side));
  report(name, roof.time_s(0, unfolded_bytes + 4 * pixels * c) + multiply_s, measured_s);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: roofline_check POINTS.csv");
  Roof roof = read_roof(argv[1]);
  const Eigen::Index fitted_size = 512;
  roof.efficiency = product_flop(fitted_size) / product_s(fitted_size) / roof.peak_flop_per_s;
  std::printf(
      "roof: %.1f GFLOP/s, %.1f GB/s; efficiency of products, measured at %ld x %ld: %.2f\n",
      roof.peak_flop_per_s / 1e9, roof.bandwidth_bytes_per_s / 1e9, static_cast<long>(fitted_size),
      static_cast<long>(fitted_size), roof.efficiency);
  check_product(roof, 1024);
  check_product(roof, 2048);
  check_convolution(roof, 64, 56);
  check_convolution(roof, 256, 56);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
