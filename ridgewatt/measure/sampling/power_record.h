// Power samples of a run of any length in bounded memory. The newest are kept as they came; of
// older ones two neighbors become one with the same energy whenever there is no more room, so that
// all of them stay equally fine: at 100 Hz every sample of the first hour, one for each 0.64 s of
// the old ones after a day.
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
    // Half of them become old at a time, which is the most that one old sample can be made of:
    // room for most_old x most_new / 2 samples, five years at 100 Hz. Both are powers of two.
    std::size_t most_new = std::size_t{1} << 17;
  };
  // `means`: each power is the mean since the value before (PowerSource::tells_means). Then samples
  // in which none of the `channels` has a value are left out, but for the first.
  PowerRecord(bool means, Options options, std::size_t channels = 1)
      : means_(means), options_(options), channels_(channels) {}
  explicit PowerRecord(bool means, std::size_t channels = 1)
      : PowerRecord(means, Options(), channels) {}

  // Where new samples are appended, their times ascending; settle() bounds them afterwards.
  std::vector<PowerSample>& incoming() { return new_; }
  void settle();

  // The newest, in the order of time: all that there are of at least `most_new` / 2.
  const std::vector<PowerSample>& newest() const { return new_; }
  // Those in [begin_s, end_s], with two more on either side where there are two.
  std::vector<PowerSample> between(double begin_s, double end_s) const;
  std::vector<PowerSample> all() const;

 private:
  void make_old(std::vector<PowerSample> samples);

  bool means_;
  Options options_;
  std::size_t channels_;
  std::size_t settled_ = 0;  // of new_
  std::size_t group_ = 1;    // samples in one old one
  std::vector<PowerSample> old_, new_;
};

}  // namespace ridgewatt::measure
