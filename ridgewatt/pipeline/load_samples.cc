#include "ridgewatt/pipeline/load_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/input_files.h"

namespace ridgewatt::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabel = "ridgewatt-samples.txt";  // marks a generated data set
constexpr int kBlock = 8;
constexpr int kBlockSide = kDecodedSide / kBlock;
constexpr int kBlocks = 3 * kBlockSide * kBlockSide;

// cosines[x][u]: row x of the inverse 8-point DCT.
std::array<std::array<float, kBlock>, kBlock> make_cosines() {
  std::array<std::array<float, kBlock>, kBlock> cosines{};
  for (int x = 0; x < kBlock; ++x) {
    for (int u = 0; u < kBlock; ++u) {
      const double scale = u == 0 ? std::sqrt(1.0 / kBlock) : std::sqrt(2.0 / kBlock);
      cosines[static_cast<std::size_t>(x)][static_cast<std::size_t>(u)] =
          static_cast<float>(scale * std::cos((2 * x + 1) * u * std::numbers::pi / (2 * kBlock)));
    }
  }
  return cosines;
}

using Block = std::array<float, static_cast<std::size_t>(kBlock* kBlock)>;

// Transforms rows, then columns.
Block inverse_dct(const Block& coefficients) {
  static const auto kCosines = make_cosines();
  Block rows{};
  Block pixels{};
  const auto pass = [](const Block& from, Block& to) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      for (std::size_t x = 0; x < kBlock; ++x) {
        float sum = 0;
        for (std::size_t u = 0; u < kBlock; ++u) sum += kCosines[x][u] * from[i * kBlock + u];
        to[x * kBlock + i] = sum;  // transposed, so that two passes transform both directions
      }
    }
  };
  pass(coefficients, rows);
  pass(rows, pixels);
  return pixels;
}

using Image = std::vector<float>;  // by channel, row, column

Image decode(std::span<const unsigned char> bytes) {
  Image image(static_cast<std::size_t>(3) * kDecodedSide * kDecodedSide);
  std::size_t at = 0;
  for (std::size_t block = 0; at < bytes.size(); block = (block + 1) % kBlocks) {
    Block coefficients{};
    std::size_t place = 0;
    // Pairs of a run of zeros and a value. A run beyond the end of the block ends the block.
    while (at + 1 < bytes.size() && place < coefficients.size()) {
      place += bytes[at] % 8;
      if (place < coefficients.size()) {
        coefficients[place++] = static_cast<float>(static_cast<signed char>(bytes[at + 1]));
      }
      at += 2;
    }
    at += at + 1 == bytes.size() ? 1 : 0;
    const Block pixels = inverse_dct(coefficients);
    const std::size_t channel = block / (kBlockSide * kBlockSide);
    const std::size_t top = block / kBlockSide % kBlockSide * kBlock;
    const std::size_t left = block % kBlockSide * kBlock;
    for (std::size_t y = 0; y < kBlock; ++y) {
      std::copy_n(pixels.begin() + static_cast<std::ptrdiff_t>(y * kBlock), kBlock,
                  image.begin() + static_cast<std::ptrdiff_t>(
                                      (channel * kDecodedSide + top + y) * kDecodedSide + left));
    }
  }
  return image;
}

}  // namespace

std::vector<std::string> list_samples(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file() && entry->path().filename() != kLabel) {
      paths.push_back(entry->path().string());
      note_input(paths.back());
    }
  }
  if (paths.empty())
    throw NotFoundError("the folder has no files to load", folder,
                        "generate files with --generate N");
  std::sort(paths.begin(), paths.end());
  return paths;
}

void generate_samples(const std::string& folder, std::size_t count, std::size_t bytes,
                      std::uint64_t seed) {
  const std::string label = fmt::format("{} samples of {} bytes, seed {}\n", count, bytes, seed);
  const fs::path label_path = fs::path(folder) / kLabel;
  if (fs::exists(label_path)) {
    if (read_file(label_path.string()) == label) return;
    throw InputError("has another generated data set", folder, "remove the folder or give another");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError("cannot create the folder", folder, error.message());
  if (!fs::is_empty(folder)) throw InputError("is not empty", folder, "give a new folder");
  std::vector<unsigned char> content(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    Random random = Random(seed).fork(i);
    for (auto& byte : content) byte = static_cast<unsigned char>(random.below(256));
    const fs::path part = fs::path(folder) / fmt::format("{:03}", i / 1000);
    if (i % 1000 == 0) fs::create_directories(part, error);
    std::ofstream out(part / fmt::format("{:06}.img", i), std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(bytes));
    if (!out) throw IoError("cannot write a sample", part.string(), "is the disk full?");
  }
  // Written last: an incomplete data set has no label.
  write_file_atomically(label_path.string(), label);
}

void preprocess_sample(std::span<const unsigned char> bytes, std::span<float> sample) {
  const Image image = decode(bytes);
  static constexpr float kStep = static_cast<float>(kDecodedSide) / kSampleSide;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const float* plane = image.data() + channel * kDecodedSide * kDecodedSide;
    float* out = sample.data() + channel * kSampleSide * kSampleSide;
    float sum = 0;
    float squares = 0;
    for (int y = 0; y < kSampleSide; ++y) {
      const float at_y = (static_cast<float>(y) + 0.5f) * kStep - 0.5f;
      const int y0 = static_cast<int>(at_y);
      const float fy = at_y - static_cast<float>(y0);
      for (int x = 0; x < kSampleSide; ++x) {
        const float at_x = (static_cast<float>(x) + 0.5f) * kStep - 0.5f;
        const int x0 = static_cast<int>(at_x);
        const float fx = at_x - static_cast<float>(x0);
        const float* corner = plane + y0 * kDecodedSide + x0;
        const float value = (1 - fy) * ((1 - fx) * corner[0] + fx * corner[1]) +
                            fy * ((1 - fx) * corner[kDecodedSide] + fx * corner[kDecodedSide + 1]);
        out[y * kSampleSide + x] = value;
        sum += value;
        squares += value * value;
      }
    }
    static constexpr float kPixels = static_cast<float>(kSampleSide) * kSampleSide;
    const float mean = sum / kPixels;
    const float deviation = std::sqrt(std::max(squares / kPixels - mean * mean, 1e-12f));
    for (int i = 0; i < kSampleSide * kSampleSide; ++i) out[i] = (out[i] - mean) / deviation;
  }
}

}  // namespace ridgewatt::pipeline
