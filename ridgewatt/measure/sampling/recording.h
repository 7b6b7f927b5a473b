// Records power and state of the machine during a run and computes its cost: the common part of
// measure_command() and RunningMeasurement.
//
//   Recording recording(sysfs, meter, options);   // starts sampling power
//   recording.begin();                            // ends the idle baseline and begins the run
//   ..; recording.drain();                        // regularly: the sampler's ring is finite
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
  // The arguments must outlive this object. Throws the errors of Sampler.
  Recording(const platform::Sysfs& sysfs, platform::PowerMeter& meter,
            const MeasureOptions& options);

  void begin();
  void drain();
  // Waits for one more sample, for interpolation at the end, and ends the threads.
  void stop();

  bool has_power() const { return source_ != nullptr; }
  const platform::PowerSource* source() const { return source_; }
  const PowerRecord& power() const { return power_; }
  // Disturbances since begin().
  std::vector<Disturbance> disturbances() { return series_->disturbances(); }
  // Energy of the total, from the samples so far.
  std::optional<EnergyEstimate> energy(double begin_s, double end_s) const;

  // Call after stop(). Computes all fields of `result` that follow from samples and marks.
  // result.begin_s and result.end_s must be set. `steady`: power was steady when `window` began.
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
