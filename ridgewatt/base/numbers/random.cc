#include "ridgewatt/base/random.h"

#include <cmath>
#include <numbers>

namespace ridgewatt {
namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9E3779B97F4A7C15u;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t rotate_left(std::uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = splitmix64(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double Random::normal() {
  // Box-Muller. The second value of each pair is dropped, so that no state has to be stored for it.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::exponential() {
  return -std::log(1.0 - uniform());
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t threshold = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < threshold) value = next();
  return value % bound;
}

Random Random::fork(std::uint64_t stream) const {
  std::uint64_t mixed = stream;
  std::uint64_t seed = splitmix64(mixed);
  for (const auto word : state_) seed = splitmix64(seed) ^ word;
  return Random(seed);
}

std::vector<std::size_t> Random::sample(std::size_t size, std::size_t count) {
  std::vector<std::size_t> indices(size);
  for (std::size_t i = 0; i < size; ++i) indices[i] = i;
  for (std::size_t i = 0; i < count; ++i) std::swap(indices[i], indices[i + below(size - i)]);
  indices.resize(count);
  return indices;
}

}  // namespace ridgewatt
