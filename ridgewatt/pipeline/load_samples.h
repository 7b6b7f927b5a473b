// The samples of the loader harness: files of any kind, read and preprocessed like images in a
// vision loader (decode, resize, normalize). `generate_samples` writes a data set of small files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt::pipeline {

inline constexpr int kDecodedSide = 96;  // pixels of a side, three channels
inline constexpr int kSampleSide = 64;   // after resizing
inline constexpr std::size_t kSampleFloats = 3 * kSampleSide * kSampleSide;

// Regular files below `folder`, sorted by path. Throws NotFoundError if there are none.
std::vector<std::string> list_samples(const std::string& folder);

// Writes `count` files of about `bytes` each, in folders of 1,000. A folder that already holds the
// same data set is left unchanged; any other content is an InputError.
void generate_samples(const std::string& folder, std::size_t count, std::size_t bytes,
                      std::uint64_t seed);

// Decodes, resizes and normalizes. The bytes are read as run-length coded coefficients of 8 x 8
// blocks; each block is transformed back (inverse DCT), and the image is resized (bilinear) to
// kSampleSide and scaled to mean 0 and deviation 1 per channel. Any bytes are valid; the work grows
// with their number. `sample` has kSampleFloats elements.
void preprocess_sample(std::span<const unsigned char> bytes, std::span<float> sample);

}  // namespace ridgewatt::pipeline
