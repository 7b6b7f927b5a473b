// Measures the current program; ridgewatt/measuring.py is its interface.
#include <cmath>

#include "python/binding/arguments.h"
#include "python/binding/record.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/running.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::python {
namespace {

using measure::ChannelEnergy;
using measure::EnergyEstimate;
using measure::MarkedMinibatch;
using measure::MinibatchSummary;
using measure::PhaseSummary;
using measure::WindowCost;

using Maybe = std::optional<double>;

Maybe of(const std::optional<EnergyEstimate>& energy, double EnergyEstimate::*value) {
  return energy ? Maybe((*energy).*value) : std::nullopt;
}

// A bound that is not finite is unknown.
Maybe bound(const std::optional<EnergyEstimate>& energy) {
  return energy && std::isfinite(energy->error_j) ? Maybe(energy->error_j) : std::nullopt;
}

const Fields<WindowCost>& window_fields() {
  static const Fields<WindowCost> fields = {
      {"name", [](const WindowCost& w) { return w.name; }, "name of the window"},
      {"begin_s", [](const WindowCost& w) { return w.begin_s; },
       "time of its beginning (s, CLOCK_MONOTONIC)"},
      {"end_s", [](const WindowCost& w) { return w.end_s; },
       "time of its end, or the current time while it is open (s, CLOCK_MONOTONIC)"},
      {"ended", [](const WindowCost& w) { return w.ended; }, "whether the window has ended"},
      {"time_s", [](const WindowCost& w) { return w.time_s(); }, "duration (s)"},
      {"energy_j", [](const WindowCost& w) { return of(w.energy, &EnergyEstimate::energy_j); },
       "total energy (J); None without a power sensor"},
      {"settled", [](const WindowCost& w) { return w.settled; },
       "whether a power sample after its end has arrived, so that the values no longer change"},
      {"energy_error_j", [](const WindowCost& w) { return bound(w.energy); },
       "bound on the sampling error of energy_j (J); None with fewer than two power samples"},
      {"mean_power_w", [](const WindowCost& w) { return of(w.energy, &EnergyEstimate::mean_w); },
       "mean power: energy divided by time (W)"},
      {"peak_power_w", [](const WindowCost& w) { return of(w.energy, &EnergyEstimate::peak_w); },
       "highest power sample (W)"}};
  return fields;
}

const Fields<ChannelEnergy>& rail_fields() {
  static const Fields<ChannelEnergy> fields = {
      {"name", [](const ChannelEnergy& c) { return c.name; }, "name of the rail or energy counter"},
      {"in_total", [](const ChannelEnergy& c) { return c.in_total; },
       "whether the rail is a part of the total power"},
      {"energy_j", [](const ChannelEnergy& c) { return c.energy.energy_j; },
       "energy over the run (J)"},
      {"energy_error_j", [](const ChannelEnergy& c) { return bound(c.energy); },
       "bound on the sampling error of energy_j (J); None with fewer than two power samples"},
      {"mean_power_w", [](const ChannelEnergy& c) { return c.energy.mean_w; }, "mean power (W)"},
      {"peak_power_w", [](const ChannelEnergy& c) { return c.energy.peak_w; },
       "highest power sample (W)"}};
  return fields;
}

const Fields<PhaseSummary>& phase_fields() {
  static const Fields<PhaseSummary> fields = {
      {"name", [](const PhaseSummary& p) { return p.span.name; }, "name of the phase"},
      {"begin_s", [](const PhaseSummary& p) { return p.span.begin_s; },
       "time of its beginning (s, CLOCK_MONOTONIC)"},
      {"end_s", [](const PhaseSummary& p) { return p.span.end_s; },
       "time of its end (s, CLOCK_MONOTONIC)"},
      {"time_s", [](const PhaseSummary& p) { return p.span.end_s - p.span.begin_s; },
       "duration (s)"},
      {"energy_j", [](const PhaseSummary& p) { return of(p.energy, &EnergyEstimate::energy_j); },
       "total energy (J); None without a power sensor"},
      {"energy_error_j", [](const PhaseSummary& p) { return bound(p.energy); },
       "bound on the sampling error of energy_j (J); None with fewer than two power samples"},
      {"mean_power_w", [](const PhaseSummary& p) { return of(p.energy, &EnergyEstimate::mean_w); },
       "mean power: energy divided by time (W)"}};
  return fields;
}

// A minibatch. Without a power source its energy is absent.
struct Minibatch {
  MarkedMinibatch marked;
  double begin_s = 0;  // since the run began
  Maybe energy_j;
};

const Fields<Minibatch>& minibatch_fields() {
  static const Fields<Minibatch> fields = {
      {"begin_s", [](const Minibatch& m) { return m.begin_s; },
       "time of its beginning since the beginning of the run (s)"},
      {"time_s", [](const Minibatch& m) { return m.marked.time_s(); },
       "time from the previous mark to the mark of this minibatch (s)"},
      {"fetch_stall_s", [](const Minibatch& m) { return m.marked.fetch_s; },
       "part of the time until fetched() (s); 0 if the program does not call it"},
      {"energy_j", [](const Minibatch& m) { return m.energy_j; },
       "total energy (J); None without a power sensor"},
      {"slow", [](const Minibatch& m) { return m.marked.slow; },
       "whether it is much slower than the median; it counts nevertheless"},
      {"excluded", [](const Minibatch& m) { return m.marked.excluded; },
       "external reason why it does not count; empty if it counts"}};
  return fields;
}

// Means over the minibatches that count.
struct MinibatchMeans {
  MinibatchSummary summary;
  bool power = false;
  bool any() const { return summary.count > 0; }
  Maybe known(double value) const { return any() ? Maybe(value) : std::nullopt; }
  Maybe with_power(double value) const { return any() && power ? Maybe(value) : std::nullopt; }
};

const Fields<MinibatchMeans>& means_fields() {
  using M = MinibatchMeans;
  static const Fields<M> fields = {
      {"count", [](const M& m) { return static_cast<std::int64_t>(m.summary.count); },
       "number of minibatches that count; the first one never counts"},
      {"slow", [](const M& m) { return static_cast<std::int64_t>(m.summary.slow); },
       "number of slow minibatches among those that count"},
      {"excluded", [](const M& m) { return static_cast<std::int64_t>(m.summary.excluded); },
       "number of minibatches that do not count for an external reason"},
      {"time_s", [](const M& m) { return m.known(m.summary.time_s); }, "mean time (s)"},
      {"time_lo_s", [](const M& m) { return m.known(m.summary.time_lo_s); },
       "lower end of the 95 % interval of the mean time (s)"},
      {"time_hi_s", [](const M& m) { return m.known(m.summary.time_hi_s); },
       "upper end of the 95 % interval of the mean time (s)"},
      {"median_s", [](const M& m) { return m.known(m.summary.median_s); }, "median time (s)"},
      {"fetch_stall_s",
       [](const M& m) {
         return m.summary.fetch_marked ? m.known(m.summary.fetch_s) : std::nullopt;
       },
       "mean fetch stall (s); None if the program does not call fetched()"},
      {"power_w", [](const M& m) { return m.with_power(m.summary.power_w); },
       "mean power: energy divided by time (W)"},
      {"energy_j", [](const M& m) { return m.with_power(m.summary.energy_j); }, "mean energy (J)"},
      {"energy_lo_j", [](const M& m) { return m.with_power(m.summary.energy_lo_j); },
       "lower end of the 95 % interval of the mean energy (J)"},
      {"energy_hi_j", [](const M& m) { return m.with_power(m.summary.energy_hi_j); },
       "upper end of the 95 % interval of the mean energy (J)"}};
  return fields;
}

struct Measured {
  measure::Measurement measurement;
  std::vector<std::string> command;
  Provenance provenance = Provenance::kMeasured;
  std::size_t forgotten = 0;
  std::vector<WindowCost> windows;
  std::vector<Minibatch> rows;

  void fill_rows() {
    for (const auto& marked : measurement.minibatches) {
      rows.push_back({marked, marked.begin_s - measurement.begin_s,
                      measurement.total ? Maybe(marked.energy_j) : std::nullopt});
    }
  }
  MinibatchMeans means() const { return {measurement.summary, measurement.total.has_value()}; }
  std::string_view command_name() const { return "measure"; }
  Json json() const { return report::measurement_to_json(measurement, command, provenance); }
  std::vector<std::string> remarks() const { return report::measurement_remarks(measurement); }
};

const Fields<Measured>& measured_fields() {
  using M = Measured;
  static const Fields<M> fields = {
      {"provenance", [](const M& m) { return std::string(name_of(m.provenance)); },
       "\"measured\", or \"fake\" on a fake (simulated) board"},
      {"status", [](const M& m) { return m.measurement.status; },
       "exit status: 0, or 1 if an exception ended the run"},
      {"begin_s", [](const M& m) { return m.measurement.begin_s; },
       "time of the beginning of the run (s, CLOCK_MONOTONIC)"},
      {"time_s", [](const M& m) { return m.measurement.end_s - m.measurement.begin_s; },
       "duration of the run (s)"},
      {"source", [](const M& m) { return m.measurement.source; },
       "power source, or \"none: \" and the reason why there is none"},
      {"energy_j", [](const M& m) { return of(m.measurement.total, &EnergyEstimate::energy_j); },
       "energy of the run (J); None without a power sensor"},
      {"energy_error_j", [](const M& m) { return bound(m.measurement.total); },
       "bound on the sampling error of energy_j (J); None with fewer than two power samples"},
      {"mean_power_w", [](const M& m) { return of(m.measurement.total, &EnergyEstimate::mean_w); },
       "mean power: energy divided by time (W)"},
      {"peak_power_w", [](const M& m) { return of(m.measurement.total, &EnergyEstimate::peak_w); },
       "highest power sample (W)"},
      {"idle_w", [](const M& m) { return m.measurement.idle_w; },
       "mean total power of the idle baseline before the run (W); None if idle_s is 0"},
      {"stall_share",
       [](const M& m) {
         const auto& summary = m.measurement.summary;
         return summary.fetch_marked && summary.count > 0 ? Maybe(summary.fetch_s / summary.time_s)
                                                          : std::nullopt;
       },
       "mean fetch stall divided by the mean time of a minibatch; None if the program does not "
       "call fetched()"},
      {"throttled", [](const M& m) { return m.measurement.throttled; },
       "throttling signals that became active during the run"},
      {"sampler_cpu_share", [](const M& m) { return m.measurement.sampler_cpu_share; },
       "CPU time for sampling power, as a share of one core"},
      {"forgotten_minibatches", [](const M& m) { return static_cast<std::int64_t>(m.forgotten); },
       "number of the oldest minibatches that a very long run dropped; they are not in the "
       "result"}};
  return fields;
}

// For each channel and the total: times since the beginning of the run and powers, as arrays.
py::dict power_of(Self<Measured> self) {
  py::dict channels;
  const auto add = [&](const measure::PowerTrace& trace) {
    py::array_t<double> times(static_cast<py::ssize_t>(trace.times_s.size()));
    double* out = times.mutable_data();
    for (const double time_s : trace.times_s) *out++ = time_s - self->measurement.begin_s;
    const py::array_t<double> powers(static_cast<py::ssize_t>(trace.powers_w.size()),
                                     trace.powers_w.data());
    channels[py::str(trace.name)] = py::make_tuple(times, powers);
  };
  for (const auto& trace : self->measurement.traces) add(trace);
  const auto total = measure::total_of(self->measurement.traces);
  if (!total.times_s.empty()) add(total);
  return channels;
}

// A running measurement together with its options and device.
class Run {
 public:
  explicit Run(const py::kwargs& given) {
    Arguments asked(given);
    const std::string device = asked.text("device", "local"), sysroot = asked.path("sysroot");
    options_.command = asked.texts("command");
    options_.rate_hz = asked.quantity("rate_hz", units::hertz().within(1, 1000), 100);
    options_.series_rate_hz = asked.quantity("series_rate_hz", units::hertz().within(0.1, 50), 0.5);
    options_.idle_s = asked.quantity("idle_s", units::seconds().within(0, 3600), 0);
    options_.window.warm_up = asked.whole("warm_up", kCounts, 1);
    options_.meter = asked.path("meter");
    options_.meter_is_total = asked.flag("meter_is_total");
    asked.done();
    const py::gil_scoped_release released;
    device_ = platform::open_local_device(device, sysroot);
    running_ = std::make_unique<measure::RunningMeasurement>(*device_.sysfs, options_);
  }
  measure::RunningMeasurement& running() { return *running_; }
  const platform::LocalDevice& device() const { return device_; }

  Measured stop(int status) {
    Measured measured;
    measured.measurement = running_->stop(status);
    measured.command = options_.command;
    measured.provenance = device_.provenance();
    measured.forgotten = running_->forgotten_marks();
    measured.windows = running_->windows();
    measured.fill_rows();
    return measured;
  }

 private:
  measure::MeasureOptions options_;
  platform::LocalDevice device_;
  std::unique_ptr<measure::RunningMeasurement> running_;
};

void bind_run(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  Class<Run>(module, "_Run")
      .def(py::init([](const py::kwargs& given) { return std::make_shared<Run>(given); }))
      .def_property_readonly("ours", [](Self<Run> run) { return run->running().ours(); })
      .def_property_readonly("source", [](Self<Run> run) { return run->running().source(); })
      .def_property_readonly("has_power", [](Self<Run> run) { return run->running().has_power(); })
      .def(
          "begin", [](Self<Run> run) { run->running().begin(); }, Free())
      .def("mark", [](Self<Run> run) { run->running().mark(); })
      .def("fetched", [](Self<Run> run) { run->running().fetched(); })
      .def("begin_phase",
           [](Self<Run> run, const std::string& n) { run->running().begin_phase(n); })
      .def("end_phase", [](Self<Run> run, const std::string& n) { run->running().end_phase(n); })
      .def("begin_window",
           [](Self<Run> run, const std::string& n) { return run->running().begin_window(n); })
      .def(
          "end_window", [](Self<Run> run, std::size_t w) { return run->running().end_window(w); },
          Free())
      .def(
          "window", [](Self<Run> run, std::size_t w) { return run->running().window(w); }, Free())
      .def(
          "so_far", [](Self<Run> run) { return run->running().so_far(); }, Free())
      .def(
          "stop", [](Self<Run> run, int status) { return run->stop(status); }, Free());
}

}  // namespace

void bind_measure(py::module_& module) {
  record<WindowCost>(module, "Window", "Time, energy and power of a part of a run.",
                     window_fields());
  record<ChannelEnergy>(module, "Rail", "Energy and power of one rail over a run.", rail_fields());
  record<PhaseSummary>(module, "Phase", "Time, energy and power of a phase of a run.",
                       phase_fields());
  record<Minibatch>(module, "Minibatch", "One marked minibatch of a run.", minibatch_fields());
  record<MinibatchMeans>(
      module, "MinibatchMeans",
      "Means over the minibatches of a run that count. The 95 % intervals take the autocorrelation "
      "of the times into account. Values are None if no minibatch counts.",
      means_fields());
  answer_class<Measured, Minibatch>(module, "Measurement",
                                    "Time, energy and power of a run: a sequence of Minibatch in "
                                    "chronological order, without the warm-up.",
                                    measured_fields(), minibatch_fields())
      .def_property_readonly(
          "rails", [](Self<Measured> m) { return list_of(m->measurement.channels); },
          "list of Rail; an external meter appears as a rail")
      .def_property_readonly(
          "phases", [](Self<Measured> m) { return list_of(m->measurement.phases); },
          "list of Phase, sorted by the time of their beginning")
      .def_property_readonly(
          "windows", [](Self<Measured> m) { return list_of(m->windows); },
          "list of Window, sorted by the time of their end; only the newest 65,536")
      .def_property_readonly(
          "minibatch", [](Self<Measured> m) { return m->means(); }, "the means, a MinibatchMeans")
      .def("power", &power_of,
           "Returns power over time: a dict from the name of each rail, and \"total\", to two "
           "arrays of equal length. The first contains seconds since the beginning of the run, "
           "negative in the idle baseline; the second contains power (W), NaN where the sensor "
           "gave no value.");
  bind_run(module);
}

}  // namespace ridgewatt::python
