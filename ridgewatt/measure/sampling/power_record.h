// Power samples of a run of any length in bounded memory. The newest samples are stored unchanged.
// When space runs out, pairs of neighboring old samples are merged without changing their energy,
// so all old samples have the same interval: at 100 Hz, 10 ms during the first hour, 0.64 s after a
// day.
//
//   PowerRecord record(source.tells_means());
//   sampler.drain(record.incoming());
//   record.settle();
#pragma once

#include <cstddef>
#include <vector>

#include "ridgewatt/measure/sampler.h"

namespace ridgewatt::measure {

class PowerRecord {
 public:
  struct Options {
    std::size_t most_old = std::size_t{1} << 18;
    // When this number is reached, half of the samples become old. An old sample can represent at
    // most most_new / 2 samples. Therefore a run can have most_old x most_new / 2 samples, five
    // years at 100 Hz. Both sizes must be powers of two.
    std::size_t most_new = std::size_t{1} << 17;
  };
  // `means`: each power is the mean since the previous sample (PowerSource::tells_means). In this
  // case, samples without a value in any of the `channels` are dropped, except the first.
  PowerRecord(bool means, Options options, std::size_t channels = 1)
      : means_(means), options_(options), channels_(channels) {}
  explicit PowerRecord(bool means, std::size_t channels = 1)
      : PowerRecord(means, Options(), channels) {}

  // Append new samples here, in the order of time, then call settle() to bound the memory.
  std::vector<PowerSample>& incoming() { return new_; }
  void settle();

  // The newest, unmerged samples in the order of time: at least `most_new` / 2, or all.
  const std::vector<PowerSample>& newest() const { return new_; }
  // Samples in [begin_s, end_s], and up to two more on either side.
  std::vector<PowerSample> between(double begin_s, double end_s) const;
  std::vector<PowerSample> all() const;

 private:
  void make_old(std::vector<PowerSample> samples);

  bool means_;
  Options options_;
  std::size_t channels_;
  std::size_t settled_ = 0;  // number of samples of new_ that settle() has handled
  std::size_t group_ = 1;    // original samples in one old sample
  std::vector<PowerSample> old_, new_;
};

}  // namespace ridgewatt::measure
