// Points per second that a store accepts: with one commit per point, without raw samples and with
// 2,000 of them, and copied from the file of a board. RIDGEWATT_STORE is a file or the address of a
// PostgreSQL database (bench/store_million.py starts one); default: a file in the folder for
// temporary files. The time of a sync depends on the disk.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

std::string location() {
  const char* given = std::getenv("RIDGEWATT_STORE");
  if (given != nullptr) return given;
  return (std::filesystem::temp_directory_path() / "ridgewatt_store_bench.db").string();
}

Series a_new_series(const char* name) {
  static std::atomic<int> number = 0;
  return {"board", name, "training", Provenance::kFake,
          std::to_string(getpid()) + "-" + std::to_string(++number)};
}

PointRecord numbered(int number, std::int64_t samples) {
  PointRecord point;
  point.observation = {{{12, 2201.6e6, 1300.5e6, 3199e6, ""}, number}, 0.1, 20.0};
  point.energy_j = 42;
  point.window_s = 10;
  point.minibatches = 100;
  for (std::int64_t i = 0; i < samples; ++i) {
    static const char* const kChannels[] = {"power:a", "power:b", "power:c", "clock:gpu",
                                            "minibatch"};
    point.samples.push_back({kChannels[i % 5], 0.01 * static_cast<double>(i), 20.5});
  }
  return point;
}

void one_point_per_commit(benchmark::State& state) {
  Store store(location());
  const auto series = store.series(a_new_series("commits"));
  PointRecord point = numbered(0, state.range(0));
  int number = 0;
  for (auto _ : state) {
    point.observation.point.batch = ++number;
    store.add(series, point);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_point_per_commit)->Arg(0)->Arg(2000)->UseRealTime()->Unit(benchmark::kMicrosecond);
// Boards that write at the same time share the syncs of a server.
BENCHMARK(one_point_per_commit)->Arg(0)->Threads(8)->Threads(32)->UseRealTime();

void hand_in(benchmark::State& state) {
  const auto file = std::filesystem::temp_directory_path() / "ridgewatt_spool_bench.db";
  constexpr int kPoints = 2000;
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(file);
    Store spool(file.string());
    Sweep sweep{"", "hand-in", "training", {}, {}};
    for (int i = 1; i <= kPoints; ++i) sweep.observations.push_back(numbered(i, 0).observation);
    spool.import(sweep, std::to_string(getpid()) + a_new_series("").serial, Provenance::kFake);
    Store store(location());
    state.ResumeTiming();
    if (store.take_from(spool).added != kPoints) state.SkipWithError("points were there");
  }
  std::filesystem::remove(file);
  state.SetItemsProcessed(state.iterations() * kPoints);
}
BENCHMARK(hand_in)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgewatt::store
