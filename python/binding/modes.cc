// Real and fake boards: their settings, their sensors, and setting a power mode.
#include <unistd.h>

#include <algorithm>

#include "python/binding/arguments.h"
#include "python/binding/record.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/sensors_report.h"

namespace ridgewatt::python {
namespace {

using platform::JetsonModeControl;
using platform::ModeState;

const Fields<ModeState>& state_fields() {
  static const Fields<ModeState> fields = {
      {"mode", [](const ModeState& s) { return s.limits; },
       "PowerMode of the upper limits of all knobs; its governor is that of the CPU"},
      {"cpu_fixed", [](const ModeState& s) { return s.cpu_fixed; },
       "whether the CPU clock is fixed at its upper limit"},
      {"gpu_fixed", [](const ModeState& s) { return s.gpu_fixed; },
       "whether the GPU clock is fixed at its upper limit"},
      {"mem_fixed", [](const ModeState& s) { return s.mem_fixed; },
       "whether the memory clock is fixed at its upper limit"},
      {"gpu_governor", [](const ModeState& s) { return s.gpu_governor; },
       "name of the GPU's governor"},
      {"preset", [](const ModeState& s) { return s.preset; },
       "name of the preset with these limits; empty if there is none"}};
  return fields;
}

// The board of this machine; only reads.
class BoundDevice {
 public:
  BoundDevice(const std::string& name, const std::string& sysroot)
      : device_(platform::open_local_device(name, sysroot)) {}
  const platform::LocalDevice& device() const { return device_; }
  JetsonModeControl control() const {
    JetsonModeControl::Options options;
    options.dry_run = true;  // only reads
    return JetsonModeControl(*device_.sysfs, options);
  }
  py::dict levels() const {
    const auto levels = control().levels();
    py::dict knobs;
    for (const Knob knob : kKnobs) {
      auto values = levels[knob];
      std::sort(values.begin(), values.end());
      const py::str name(power_mode_fields()[static_cast<std::size_t>(knob)].name);
      py::list list;
      for (const double value : values) {
        list.append(knob == Knob::kCpuCores ? value_to_python(static_cast<int>(value))
                                            : value_to_python(value));
      }
      knobs[name] = list;
    }
    return knobs;
  }
  py::dict presets() const {
    py::dict presets;
    const auto control = this->control();
    if (!control.presets()) return presets;
    for (const auto& preset : control.presets()->modes) {
      presets[py::str(preset.name)] = platform::limits_of(*control.presets(), preset);
    }
    return presets;
  }
  Json sensors() const {
    platform::MachineSensors sensors(*device_.sysfs);
    return report::sensors_to_json(sensors, sensors.read());
  }

 private:
  platform::LocalDevice device_;
};

// A power mode that is held by this process. Forked processes cannot use the object.
class HeldMode {
 public:
  explicit HeldMode(const py::kwargs& given) {
    Arguments asked(given);
    const std::string device = asked.text("device", "local"), sysroot = asked.path("sysroot");
    JetsonModeControl::Options options;
    options.state_folder = asked.path("state_folder");
    options.max_celsius = asked.quantity("max_celsius", units::celsius().within(-50, 200), 100);
    options.full_fan = asked.flag("full_fan");
    options.no_idle_states = asked.flag("no_idle_states");
    asked.done();
    const py::gil_scoped_release released;
    device_ = platform::open_local_device(device, sysroot);
    control_ = std::make_unique<JetsonModeControl>(*device_.sysfs, options);
  }
  // Return the mode as read back from the board.
  PowerMode apply(const PowerMode& mode) {
    const PowerMode applied = control().apply(mode).applied;
    rounded_ = rounded_clocks(mode, applied);
    return applied;
  }
  PowerMode apply_text(const std::string& text) {
    if (text.find('=') != std::string::npos) return apply(parse_mode_text(text));
    rounded_.clear();
    return control().apply_preset(text).applied;
  }
  // A line for each clock that the last apply() rounded.
  std::vector<std::string> rounded() const { return rounded_; }
  void check_safety() { control().check_safety(); }
  ModeState state() { return control().state(); }
  // Does nothing in a forked process and when called again.
  void restore() {
    if (!control_ || ::getpid() != owner_) return;
    const auto control = std::move(control_);
    control->restore();
  }

 private:
  JetsonModeControl& control() {
    if (!control_) throw UsageError("the mode was restored", device_.name, "set it again");
    if (::getpid() != owner_) {
      throw UsageError("the mode belongs to the process that set it", device_.name);
    }
    return *control_;
  }

  const pid_t owner_ = ::getpid();
  platform::LocalDevice device_;
  std::unique_ptr<JetsonModeControl> control_;
  std::vector<std::string> rounded_;
};

// Throws UsageError for None and for an object that was created by __new__ without __init__.
const PowerMode& required(Self<PowerMode> mode) {
  if (!mode)
    throw UsageError("one of the modes is not a PowerMode", "", "PowerMode(gpu_clock_hz=..)");
  return *mode;
}

}  // namespace

void bind_modes(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  record<ModeState>(module, "ModeState", "The current settings of a board.", state_fields());
  Class<BoundDevice>(module, "_Device")
      .def(py::init<const std::string&, const std::string&>(), Free())
      .def_property_readonly("name", [](Self<BoundDevice> d) { return d->device().name; })
      .def_property_readonly(
          "provenance",
          [](Self<BoundDevice> d) { return std::string(name_of(d->device().provenance())); })
      .def("state", [](Self<BoundDevice> d) { return d->control().state(); })
      .def("levels", [](Self<BoundDevice> d) { return d->levels(); })
      .def("presets", [](Self<BoundDevice> d) { return d->presets(); })
      .def("governors",
           [](Self<BoundDevice> d) { return value_to_python(d->control().governors()); })
      .def("sensors", [](Self<BoundDevice> d) { return to_python(d->sensors()); });
  Class<HeldMode>(module, "_HeldMode")
      .def(py::init([](const py::kwargs& given) { return std::make_shared<HeldMode>(given); }))
      .def(
          "apply", [](Self<HeldMode> h, Self<PowerMode> m) { return h->apply(required(m)); },
          Free())
      .def(
          "apply_text", [](Self<HeldMode> h, const std::string& t) { return h->apply_text(t); },
          Free())
      .def("rounded", [](Self<HeldMode> h) { return value_to_python(h->rounded()); })
      .def(
          "check_safety", [](Self<HeldMode> h) { h->check_safety(); }, Free())
      .def("state", [](Self<HeldMode> h) { return h->state(); })
      .def(
          "restore", [](Self<HeldMode> h) { h->restore(); }, Free());
}

}  // namespace ridgewatt::python
