#include "ridgewatt/screen/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/platform/mode_holder.h"
#include "ridgewatt/screen/layout.h"
#include "ridgewatt/screen/terminal.h"

namespace ridgewatt::screen {
namespace {

constexpr double kMessageS = 6;
constexpr double kKeyS = 0.25;  // between two checks of the clock
constexpr std::array<double, 9> kLooksS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};

volatile std::sig_atomic_t ended_by = 0;

// While an object of this class exists, ending signals are only recorded.
class NotedSignals {
 public:
  NotedSignals() {
    ended_by = 0;
    struct sigaction action {};
    action.sa_handler = [](int number) { ended_by = number; };
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kNoted.size(); ++i) ::sigaction(kNoted[i], &action, &before_[i]);
  }
  ~NotedSignals() {
    for (std::size_t i = 0; i < kNoted.size(); ++i) ::sigaction(kNoted[i], &before_[i], nullptr);
  }
  NotedSignals(const NotedSignals&) = delete;
  NotedSignals& operator=(const NotedSignals&) = delete;

 private:
  static constexpr std::array<int, 4> kNoted = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, 4> before_{};
};

std::string mode_words(const PowerMode& mode, const std::string& preset) {
  return preset.empty() ? mode_text(mode) : preset;
}

// The list of presets, and the reason if the mode cannot be set.
ModeDesk open_desk(const platform::LocalDevice& device, const TopOptions& options) {
  ModeDesk desk;
  try {
    platform::JetsonModeControl::Options look;
    look.dry_run = true;  // does not touch the journal of another process
    const platform::JetsonModeControl control(*device.sysfs, look);
    control.levels();
    if (control.presets()) {
      for (const auto& preset : control.presets()->modes) desk.presets.push_back(preset.name);
    }
    desk.refusal = control.warning();
  } catch (const Error& error) {
    desk.refusal = error.what();
  }
  if (options.read_only) desk.refusal = "this view is read-only (--read-only)";
  return desk;
}

class TopView {
 public:
  TopView(platform::LocalDevice& device, const TopOptions& options)
      : device_(device), options_(options) {
    scene_.desk = open_desk(device, options);
    if (scene_.desk.refusal.empty()) {
      platform::JetsonModeControl::Options control;
      control.state_folder = options.state_folder;
      holder_ = std::make_unique<platform::ModeHolder>(*device.sysfs, control);
    }
    terminal_ = std::make_unique<Terminal>();
    monitor_ = std::make_unique<monitor::Monitor>(*device.sysfs, options.monitor);
    scene_.board = board_facts(monitor_->sensors(), *device.sysfs, device.fake);
    scene_.look_s = options.monitor.look_s;
    scene_.glyphs = terminal_->glyphs();
  }

  void run() {
    while (ended_by == 0 && !quit_) {
      look();
      if (dirty_) draw();
      const double next_s = looked_s_ + scene_.look_s - monotonic_s();
      const auto key = terminal_->key(std::clamp(next_s, 0.02, kKeyS));
      if (!key) continue;
      dirty_ = true;
      act(dialog_.press(*key, scene_.desk, open_window_.has_value()));
    }
  }

 private:
  void draw() {
    terminal_->draw(lay_out(scene_, dialog_, message_, terminal_->size()));
    dirty_ = false;
  }
  void say(std::string text, Tone tone) {
    message_ = {std::move(text), tone};
    said_.restart();
    dirty_ = true;
  }
  void look();
  void look_at_holder();
  void act(const Command& command);
  void set_mode(const std::string& mode);
  void restore();
  void end_window();
  void change_rate(bool faster);

  platform::LocalDevice& device_;
  TopOptions options_;
  Scene scene_;
  // Created first: it must fork before threads start.
  std::unique_ptr<platform::ModeHolder> holder_;
  std::unique_ptr<Terminal> terminal_;
  std::unique_ptr<monitor::Monitor> monitor_;
  ThrottleLog throttling_;
  Dialog dialog_;
  Message message_;
  Stopwatch said_;
  std::optional<std::size_t> open_window_;
  std::uint64_t seen_ = 0;
  double looked_s_ = 0;
  bool dirty_ = true;
  bool quit_ = false;
};

void TopView::look() {
  if (!message_.text.empty() && said_.s() > kMessageS) {
    message_ = {};
    dirty_ = true;
  }
  const auto next = monitor_->wait(seen_, 0);
  if (!next) return;
  seen_ = next->number;
  looked_s_ = next->time_s;
  throttling_.look(*next);
  look_at_holder();
  if (scene_.paused) return;
  scene_.now = *next;
  scene_.history = monitor_->history();
  scene_.windows = monitor_->windows();
  scene_.throttling = throttling_.entries();
  dirty_ = true;
}

void TopView::look_at_holder() {
  if (!scene_.desk.holding) return;
  try {
    const auto state = holder_->state();
    scene_.desk.holding = state.holding;
    if (!state.fault.empty()) say("mode: " + state.fault, Tone::kBad);
  } catch (const Error& error) {
    scene_.desk.holding = false;
    scene_.desk.refusal = error.what();
    say(error.what(), Tone::kBad);
  }
}

void TopView::set_mode(const std::string& mode) {
  say("setting " + mode + " ..", Tone::kWarn);
  draw();
  try {
    const auto held = holder_->set(mode);
    const auto state = holder_->state();
    scene_.desk.holding = state.holding;
    scene_.desk.first = mode_words(state.first, state.first_preset);
    const std::string verified =
        held.changed.empty() ? "read back as written"
                             : fmt::format("{} changed by the board, {} is {}", held.changed.size(),
                                           held.changed[0].path, held.changed[0].found);
    say(fmt::format("set {}: {}, {}", mode_words(held.applied, held.preset),
                    counted(held.writes, "file"), verified),
        held.changed.empty() ? Tone::kGood : Tone::kWarn);
  } catch (const Error& error) {
    say(error.what(), Tone::kBad);
    look_at_holder();
  }
}

void TopView::restore() {
  try {
    holder_->restore();
    scene_.desk.holding = false;
    say("restored: " + scene_.desk.first, Tone::kGood);
  } catch (const Error& error) {
    say(error.what(), Tone::kBad);
  }
}

void TopView::end_window() {
  const auto window = monitor_->end_window(*std::exchange(open_window_, std::nullopt));
  scene_.windows = monitor_->windows();
  const auto& [energy_j, error_j] = window.energy;
  const std::string error =
      std::isfinite(error_j) ? fmt::format("error {:.2g} J", error_j) : "error unknown";
  say(fmt::format("window '{}': {:.2f} s, {:.4g} J, {}", window.name, window.end_s - window.begin_s,
                  energy_j, error),
      Tone::kGood);
}

// Selects the next shorter or longer of the usual intervals.
void TopView::change_rate(bool faster) {
  double look_s = scene_.look_s;
  for (const double one : kLooksS) {
    if (faster && one < scene_.look_s) look_s = one;
    if (!faster && one > scene_.look_s && look_s == scene_.look_s) look_s = one;
  }
  monitor_->set_look(look_s);
  scene_.look_s = look_s;
}

void TopView::act(const Command& command) {
  switch (command.action) {
    case Action::kQuit:
      quit_ = true;
      break;
    case Action::kMark:
      monitor_->mark();
      say("marked: a minibatch ended", Tone::kGood);
      break;
    case Action::kBeginWindow:
      open_window_ = monitor_->begin_window(command.text);
      scene_.windows = monitor_->windows();
      break;
    case Action::kEndWindow:
      end_window();
      break;
    case Action::kSetMode:
      set_mode(command.text);
      break;
    case Action::kRestore:
      restore();
      break;
    case Action::kPause:
      scene_.paused = !scene_.paused;
      break;
    case Action::kFaster:
    case Action::kSlower:
      change_rate(command.action == Action::kFaster);
      break;
    case Action::kNextView:
      scene_.view = static_cast<View>((static_cast<int>(scene_.view) + 1) % 4);
      break;
    case Action::kNone:
      break;
  }
}

// After cleanup, ends the program by the recorded signal, as its sender expects.
void end_by_noted_signal() {
  if (ended_by == 0) return;
  ::signal(ended_by, SIG_DFL);
  ::raise(ended_by);
}

}  // namespace

void watch(platform::LocalDevice& device, const TopOptions& options) {
  {
    const NotedSignals noted;
    TopView(device, options).run();
  }
  end_by_noted_signal();
}

void watch_plainly(const platform::LocalDevice& device, const TopOptions& options,
                   std::int64_t count, const PrintLook& print) {
  {
    const NotedSignals noted;
    const monitor::Monitor monitor(*device.sysfs, options.monitor);
    const Stopwatch since_start;
    std::uint64_t seen = 0;
    std::int64_t printed = 0;
    while (ended_by == 0 && (count == 0 || printed < count)) {
      const auto next = monitor.wait(seen, kKeyS);
      if (!next) continue;
      seen = next->number;
      // The first readings have no energies and no loads.
      if (printed == 0 && next->since_s < std::min(1.0, options.monitor.look_s)) continue;
      if (!print(monitor, *next)) return;
      ++printed;
    }
  }
  end_by_noted_signal();
}

std::string look_text(const platform::LocalDevice& device, const monitor::Monitor& monitor,
                      const monitor::Snapshot& now, std::size_t width) {
  Scene scene;
  scene.board = board_facts(monitor.sensors(), *device.sysfs, device.fake);
  scene.now = now;
  scene.history = monitor.history();
  scene.windows = monitor.windows();
  scene.glyphs = Glyphs::kBlocks;
  ThrottleLog throttling;
  throttling.look(now);
  scene.throttling = throttling.entries();
  return plain_text(scene, width);
}

}  // namespace ridgewatt::screen
