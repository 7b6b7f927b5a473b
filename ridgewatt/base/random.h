// Random numbers that are the same on every machine and with every standard library: xoshiro256**
// (Blackman and Vigna 2018), seeded by splitmix64, with our own distributions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ridgewatt {

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();                      // 64 uniform bits
  double uniform();                          // [0, 1)
  double uniform(double low, double high);   // [low, high)
  double normal();                           // mean 0, variance 1
  double exponential();                      // mean 1
  std::uint64_t below(std::uint64_t bound);  // uniform in 0 .. bound - 1 without bias; bound > 0
  // Returns an independent generator for part `stream` of the work, so that results depend neither
  // on the order of parts nor on the number of threads. Does not advance this generator.
  Random fork(std::uint64_t stream) const;

  // Permutes the values uniformly at random.
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
  // Returns `count` distinct indices from 0 .. size - 1 in random order; count <= size.
  std::vector<std::size_t> sample(std::size_t size, std::size_t count);

 private:
  std::uint64_t state_[4];
};

}  // namespace ridgewatt
