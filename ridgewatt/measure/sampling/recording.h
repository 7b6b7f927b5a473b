// Power and state of the machine while something runs, and what the run cost by them: the common
// part of measuring a command and of measuring this program.
//
//   Recording recording(sysfs, meter, options);   // power is sampled from here on
//   recording.begin();                            // so far the idle baseline; the run begins
//   ..; recording.drain();                        // now and then: the sampler's ring is finite
//   recording.stop();
//   recording.add_costs(marks, window, steady, result);
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/sampling/power_record.h"

namespace ridgewatt::measure {

class Recording {
 public:
  // All must outlive this. Throws what Sampler throws.
  Recording(const platform::Sysfs& sysfs, platform::PowerMeter& meter,
            const MeasureOptions& options);

  void begin();
  void drain();
  // Waits for one more sample, to interpolate at the end, and ends the threads.
  void stop();

  bool has_power() const { return source_ != nullptr; }
  const platform::PowerSource* source() const { return source_; }
  const PowerRecord& power() const { return power_; }
  // From begin() on.
  std::vector<Disturbance> disturbances() { return series_->disturbances(); }
  // Of the total, by the samples so far.
  std::optional<EnergyEstimate> energy(double begin_s, double end_s) const;

  // After stop(): everything in `result` that follows from samples, looks and marks; its beginning
  // and end are filled in already. `steady`: the program's power was when `window` begins.
  void add_costs(const std::vector<TimedMark>& marks, WindowOptions window, bool steady,
                 Measurement& result);

 private:
  std::vector<PowerTrace> traces(const std::vector<PowerSample>& samples) const;
  void add_meter(Measurement& result, std::vector<PowerTrace>& traces) const;
  void add_windows(const std::vector<TimedMark>& marks, WindowOptions window, bool steady,
                   const PowerTrace& total, Measurement& result);
  void add_sampler(Measurement& result) const;
  void add_machine_use(Measurement& result) const;

  const platform::Sysfs& sysfs_;
  const MeasureOptions& options_;
  platform::PowerSource* source_;
  std::string description_;
  double rate_hz_;
  double sampling_s_, stopped_s_ = 0;
  PowerRecord power_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<MachineSeries> series_;
  platform::JetsonLayout layout_;
  std::vector<platform::ClockTimes> clocks_before_, clocks_after_;
  std::optional<DiskIo> disks_before_, disks_after_;
};

}  // namespace ridgewatt::measure
