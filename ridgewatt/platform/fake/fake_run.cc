// Runs a workload on a fake board, minibatch by minibatch.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "ridgewatt/device/board.h"
#include "ridgewatt/io/marks.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_disturbance.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::platform {
namespace {

// Set by signals: the run must end in order, so that the board returns to its power at rest.
volatile std::sig_atomic_t load_must_end = 0;

using MarkClock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

// A load that a busy machine delays catches up by this much. A longer delay makes the minibatch
// longer, as it does for a real program. Otherwise marks would fall behind the clock without end.
constexpr std::chrono::milliseconds kMostLate{100};

double seconds_of(MarkClock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

int run_fake_load(const Sysfs& sysfs, const FakeBoardMark& name, const workload::WorkloadCost& cost,
                  int minibatches, double speed) {
  const Board board = load_board(board_of_fake(name.name));
  const JetsonLayout layout = find_jetson_layout(sysfs);
  FakeLoad load(twin::load_twin(board), cost, name.seed, name.specimen);
  const FakeRails rails(sysfs);
  auto heat = FakeHeat::open(sysfs);
  std::optional<FakeActivity> activity(std::in_place, sysfs);
  FakeDisturbances disturbances(sysfs);
  auto end = MarkClock::now();
  const auto started = end;
  for (const int ending : {SIGTERM, SIGINT, SIGHUP}) {
    std::signal(ending, [](int) { load_must_end = 1; });
  }
  int done = 0;
  while (done < minibatches && load_must_end == 0) {
    // Clocks may change during a minibatch, which then continues at the new speed.
    const auto begin = end;
    double stall_share = 0;
    for (double left = load.next(); left > 1e-9 && load_must_end == 0;) {
      const PowerMode clocks = activity->clocks();
      load.set_sms(sms_left_on(sysfs, layout, board));
      twin::TimePower at = load.at(clocks);
      if (heat) {
        const double power_w = load.truth(clocks).power_w;
        at.power_w = heat->warm_power_w(power_w);
        activity->throttle(heat->load(power_w));
      }
      const std::chrono::duration<double> running = end - started;
      at = disturbances.disturbed(at, speed * running.count());
      const double slice_s = std::min(left * at.time_s, FakeActivity::kTickS);
      rails.set(at.power_w);
      end += std::chrono::duration_cast<MarkClock::duration>(
          std::chrono::duration<double>(slice_s / speed));
      std::this_thread::sleep_until(end);
      end = std::max(end, MarkClock::now() - kMostLate);
      left -= slice_s / at.time_s;
      load.warm(slice_s);
      stall_share = load.stall_share(clocks);
      activity->step(load.use(clocks));
    }
    if (load_must_end != 0) break;
    if (stall_share > 0) {
      const double begin_s = seconds_of(begin);
      write_mark("fetched", begin_s + stall_share * (seconds_of(end) - begin_s));
    }
    write_mark("minibatch", seconds_of(end));
    ++done;
  }
  activity.reset();
  FakeRest(sysfs, name).set();
  return done;
}

}  // namespace ridgewatt::platform
