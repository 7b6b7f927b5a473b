// The samples of the loader harness: files of any kind, read and preprocessed as a vision loader
// does, decode, resize and normalize. `generate_samples` writes a data set of small files.
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

// Regular files below `folder`, sorted by path. Throws NotFoundError when there are none.
std::vector<std::string> list_samples(const std::string& folder);

// Writes `count` files of about `bytes` each, in folders of 1,000. A folder that holds such a data
// set already is left as it is; one that holds anything else is an InputError.
void generate_samples(const std::string& folder, std::size_t count, std::size_t bytes,
                      std::uint64_t seed);

// Decodes, resizes and normalizes: bytes as run-length coded coefficients of 8 x 8 blocks, each
// block transformed back (inverse DCT), the image resized (bilinear) to kSampleSide and scaled to
// mean 0 and deviation 1 by channel. Any bytes will do; work grows with their number. `sample` has
// kSampleFloats.
void preprocess_sample(std::span<const unsigned char> bytes, std::span<float> sample);

}  // namespace ridgewatt::pipeline
