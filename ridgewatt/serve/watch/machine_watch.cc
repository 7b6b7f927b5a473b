#include "ridgewatt/serve/watch/machine_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/monitor/metrics.h"
#include "ridgewatt/platform/nvpmodel_conf.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/sensors_report.h"

namespace ridgewatt::serve {
namespace {

constexpr std::ptrdiff_t kOpenWindows = 50;  // chosen: each open window is a running sum

std::vector<std::string> preset_names(const platform::Sysfs& sysfs) {
  static constexpr char kConf[] = "/etc/nvpmodel.conf";
  std::vector<std::string> names;
  const auto text = sysfs.text(kConf);
  if (!text) return names;
  try {
    const platform::NvpConf conf = platform::parse_nvpmodel_conf(*text, kConf);
    for (const auto& mode : conf.modes) names.push_back(mode.name);
  } catch (const InputError&) {
    names.clear();  // the mode can still be set as text
  }
  return names;
}

}  // namespace

MachineWatch::MachineWatch(const ServeOptions& options)
    : device_(platform::open_local_device(options.device, options.sysroot)),
      presets_(preset_names(*device_.sysfs)) {
  // The holder must fork before the monitor starts threads.
  if (options.allow_control) holder_ = std::make_unique<platform::ModeHolder>(*device_.sysfs);
  monitor::MonitorOptions watching;
  watching.rate_hz = options.rate_hz;
  watching.look_s = options.look_s;
  monitor_ = std::make_unique<monitor::Monitor>(*device_.sysfs, watching);
}

std::shared_ptr<const LookEvent> MachineWatch::next(std::uint64_t after, double timeout_s) {
  const auto look = monitor_->wait(after, timeout_s);
  if (!look) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!newest_ || newest_->number < look->number) {
    const Json json = report::monitor_to_json(monitor_->sensors(), *look, device_.provenance(),
                                              monitor_->windows());
    auto event = std::make_shared<LookEvent>();
    event->number = look->number;
    event->event = fmt::format("event: monitor\nid: {}\ndata: {}\n\n", look->number,
                               json.dump(-1, ' ', false, Json::error_handler_t::replace));
    newest_ = std::move(event);
  }
  return newest_;
}

Json MachineWatch::snapshot() const {
  return report::monitor_to_json(monitor_->sensors(), monitor_->snapshot(), device_.provenance(),
                                 monitor_->windows());
}

Json MachineWatch::sensors() const {
  return report::with_schema(
      "sensors", report::sensors_to_json(monitor_->sensors(), monitor_->snapshot().machine));
}

Json MachineWatch::history() const {
  return report::with_schema("history", report::history_to_json(monitor_->history()));
}

Json MachineWatch::windows() const {
  return {
      {"schema", "ridgewatt.windows/1"},
      {"windows", report::windows_to_json(monitor_->windows(), monitor_->snapshot().has_total)}};
}

std::string MachineWatch::metrics() const {
  monitor::MetricsOptions options;
  options.provenance = device_.provenance();
  options.windows = monitor_->windows();
  return monitor::metrics_text(monitor_->sensors(), monitor_->snapshot(), options);
}

Json MachineWatch::begin_window(const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto windows = monitor_->windows();
  const auto open = std::count_if(windows.begin(), windows.end(),
                                  [](const monitor::Window& window) { return !window.ended; });
  if (open >= kOpenWindows)
    throw UsageError("too many measurement windows are open", "", "end one of them first");
  const std::size_t number = monitor_->begin_window(name);
  return json_object({{"schema", "ridgewatt.window/1"}, {"number", number}, {"name", name}});
}

Json MachineWatch::end_window(std::size_t number) {
  const monitor::Window window = monitor_->end_window(number);
  Json json = report::windows_to_json({window}, monitor_->snapshot().has_total).front();
  json["schema"] = "ridgewatt.window/1";
  return json;
}

Json MachineWatch::mark() {
  monitor_->mark();
  return json_object(
      {{"schema", "ridgewatt.mark/1"}, {"minibatches", monitor_->snapshot().minibatches}});
}

Json MachineWatch::mode() {
  const auto now = monitor_->snapshot().mode;
  Json json = json_object({{"schema", "ridgewatt.serve.mode/1"},
                           {"control", can_control()},
                           {"preset", now.preset},
                           {"mode_text", now.text},
                           {"mode", now.mode ? report::mode_to_json(*now.mode) : Json()},
                           {"presets", presets_}});
  if (!holder_) return json;
  const auto state = holder_->state();
  json["holding"] = state.holding;
  json["first_preset"] = state.first_preset;
  json["fault"] = state.fault;
  return json;
}

// Waits for a reading in the new mode, since mode() answers from the newest reading.
void MachineWatch::see_change() {
  constexpr double kLongestS = 3;  // chosen: several intervals of the monitor
  monitor_->wait(monitor_->snapshot().number, kLongestS);
}

Json MachineWatch::set_mode(const std::string& text) {
  const auto held = holder_->set(text);
  see_change();
  return json_object({{"schema", "ridgewatt.serve.set_mode/1"},
                      {"preset", held.preset},
                      {"applied", report::mode_to_json(held.applied)},
                      {"writes", held.writes},
                      {"remarks", text.find('=') == std::string::npos
                                      ? std::vector<std::string>{}
                                      : rounded_clocks(parse_mode_text(text), held.applied)}});
}

Json MachineWatch::restore_mode() {
  holder_->restore();
  see_change();
  return json_object({{"schema", "ridgewatt.serve.set_mode/1"}, {"restored", true}});
}

}  // namespace ridgewatt::serve
