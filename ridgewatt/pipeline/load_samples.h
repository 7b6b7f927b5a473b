// The samples for the data loader: files of any kind, read and preprocessed like images in a vision
// data loader (decode, resize, normalize). `generate_samples` writes a data set of small files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt::pipeline {

inline constexpr int kDecodedSide = 96;  // pixels per side, three channels
inline constexpr int kSampleSide = 64;   // after resizing
inline constexpr std::size_t kSampleFloats = 3 * kSampleSide * kSampleSide;

// Returns the regular files below `folder`, sorted by path. Throws NotFoundError if there are none.
std::vector<std::string> list_samples(const std::string& folder);

// Writes `count` files of about `bytes` each, in subfolders of 1,000. A folder that already
// contains the same data set is not changed. Throws InputError if it contains anything else.
void generate_samples(const std::string& folder, std::size_t count, std::size_t bytes,
                      std::uint64_t seed);

// Decodes, resizes and normalizes a sample. The bytes are read as run-length coded coefficients of
// 8 x 8 blocks; each block is transformed by an inverse DCT. The image is resized (bilinear) to
// kSampleSide and scaled to mean 0 and deviation 1 per channel. Any bytes are valid. The work grows
// with the number of bytes. `sample` has kSampleFloats elements.
void preprocess_sample(std::span<const unsigned char> bytes, std::span<float> sample);

}  // namespace ridgewatt::pipeline
