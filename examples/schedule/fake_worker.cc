// A worker of `ridgewatt schedule run` on a fake board. The time of its minibatches comes from the
// board's perturbed twin at the current clocks, divided by SPEED.
//
//   fake_worker BOARD MODEL training [SPEED]
//   fake_worker BOARD MODEL inference SPEED BATCHES ARRIVALS BEGIN SERVED
//
// BOARD is the folder of `ridgewatt fake-board`; BATCHES is a list such as "1,4,16". Requests
// arrive at the times in the file ARRIVALS (column time_s) after BEGIN (CLOCK_MONOTONIC). The file
// SERVED gets a line with number and time of each served request, and a line "joined" with the time
// at which the worker connected. A worker that is started again serves the requests that are not in
// SERVED, as if the client had sent them again. Socket and name: $RIDGEWATT_SOCKET,
// $RIDGEWATT_NAME.
#include <poll.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "include/ridgewatt_worker.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace {

using ridgewatt::monotonic_s;

void sleep_until_s(double time_s) {
  const double left_s = time_s - monotonic_s();
  if (left_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left_s));
}

// The load on the fake board: sets its power and computes the time of a minibatch.
class Device {
 public:
  Device(const std::string& folder, const std::string& model, ridgewatt::WorkloadKind kind,
         const std::vector<int>& batches)
      : sysfs_(ridgewatt::platform::open_sysfs(folder)),
        layout_(ridgewatt::platform::find_jetson_layout(*sysfs_)),
        rails_(*sysfs_) {
    const auto mark = ridgewatt::platform::fake_board_mark(folder);
    const auto twin = ridgewatt::twin::load_twin(
        ridgewatt::load_board(ridgewatt::platform::board_of_fake(mark.name)));
    const ridgewatt::workload::DeployedWorkload workload(model, {.kind = kind});
    for (const int batch : batches) {
      loads_.try_emplace(batch, twin, *workload.at(batch), mark.seed, mark.specimen);
    }
  }
  // Starts a minibatch with the smallest batch that fits `requests`, and returns its time (s).
  double start(int requests) {
    auto found = loads_.lower_bound(requests);
    if (found == loads_.end()) found = std::prev(loads_.end());
    auto& load = found->second;
    const auto at = load.at(ridgewatt::platform::fake_clocks(*sysfs_, layout_));
    rails_.set(at.power_w);
    return at.time_s * load.next();
  }

 private:
  std::unique_ptr<ridgewatt::platform::Sysfs> sysfs_;
  ridgewatt::platform::JetsonLayout layout_;
  ridgewatt::platform::FakeRails rails_;
  std::map<int, ridgewatt::platform::FakeLoad> loads_;
};

// The requests of a trace, except those that an earlier worker served.
class Requests {
 public:
  Requests(const std::string& trace, const std::string& served, double begin_s, double speed)
      : begin_s_(begin_s), speed_(speed), trace_s_(ridgewatt::schedule::read_arrivals(trace)) {
    done_.resize(trace_s_.size());
    std::ifstream before(served);
    for (std::string line; std::getline(before, line);) {
      if (line.starts_with("joined")) continue;
      const auto index = static_cast<std::size_t>(std::strtoull(line.c_str(), nullptr, 10));
      if (index < done_.size()) done_[index] = true;
    }
    file_ = std::fopen(served.c_str(), "ae");
  }
  ~Requests() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  void joined() {
    std::fprintf(file_, "joined,%.6f\n", (monotonic_s() - begin_s_) * speed_);
    std::fflush(file_);
  }
  bool writable() const { return file_ != nullptr; }

  double next_s() const {
    return next_ < trace_s_.size() ? begin_s_ + trace_s_[next_] / speed_ : HUGE_VAL;
  }
  // Reports the requests that have arrived.
  int report(ridgewatt_worker& worker) {
    while (next_s() <= monotonic_s()) {
      const double at_s = next_s();
      const std::size_t index = next_++;
      if (done_[index]) continue;
      waiting_.push_back(index);
      const double age_us = (monotonic_s() - at_s) * 1e6;
      if (ridgewatt_worker_arrived(&worker, 1, std::llround(age_us)) != 0) return -1;
    }
    return 0;
  }
  void served(int count, int aside) {
    const double at_s = (monotonic_s() - begin_s_) * speed_;
    for (int i = 0; i < count && static_cast<std::size_t>(aside) < waiting_.size(); ++i) {
      const auto place = waiting_.begin() + aside;
      std::fprintf(file_, "%zu,%.6f\n", *place, at_s);
      waiting_.erase(place);
    }
    std::fflush(file_);
  }

 private:
  double begin_s_, speed_;
  std::vector<double> trace_s_;
  std::vector<bool> done_;
  std::deque<std::size_t> waiting_;
  std::size_t next_ = 0;
  std::FILE* file_ = nullptr;
};

int train(ridgewatt_worker& worker, Device& device, double speed) {
  while (ridgewatt_worker_begin(&worker) == 0) {
    const double begun_s = monotonic_s();
    sleep_until_s(begun_s + device.start(1) / speed);
    if (ridgewatt_worker_end(&worker) != 0) break;
  }
  return 0;
}

int serve(ridgewatt_worker& worker, Device& device, Requests& requests, double speed) {
  if (ridgewatt_worker_count(&worker) != 0) return 1;
  requests.joined();
  bool asked = false;
  while (true) {
    if (requests.report(worker) != 0) return 0;
    if (!asked && ridgewatt_worker_ask(&worker) != 0) return 0;
    asked = true;
    pollfd polled{worker.fd, POLLIN, 0};
    const double wait_s = std::min(requests.next_s() - monotonic_s(), 1.0);
    const timespec timeout{0, static_cast<long>(std::max(0.0, std::min(wait_s, 0.999)) * 1e9)};
    if (worker.pending_size == 0 && ppoll(&polled, 1, &timeout, nullptr) <= 0) continue;
    if (ridgewatt_worker_granted(&worker) != 0) return 0;
    const double begun_s = monotonic_s();
    sleep_until_s(begun_s + device.start(worker.requests) / speed);
    requests.served(worker.requests, worker.aside);
    if (requests.report(worker) != 0 || ridgewatt_worker_end(&worker) != 0) return 0;
    asked = false;
  }
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> result;
  for (std::size_t at = 0; at < text.size();) {
    result.push_back(std::atoi(text.c_str() + at));
    at = std::min(text.find(',', at), text.size() - 1) + 1;
  }
  return result;
}

int run(int argc, char** argv) {
  const bool inference = argc > 3 && std::string(argv[3]) == "inference";
  if (argc < 4 || (inference && argc < 9)) {
    std::fprintf(stderr,
                 "usage: %s BOARD MODEL training [SPEED]\n"
                 "       %s BOARD MODEL inference SPEED BATCHES ARRIVALS BEGIN SERVED\n",
                 argv[0], argv[0]);
    return 2;
  }
  const double speed = argc > 4 ? std::atof(argv[4]) : 1;
  const auto kind =
      inference ? ridgewatt::WorkloadKind::kInference : ridgewatt::WorkloadKind::kTraining;
  Device device(argv[1], argv[2], kind, inference ? numbers(argv[5]) : std::vector<int>{16});
  const char* name = std::getenv("RIDGEWATT_NAME");
  ridgewatt_worker worker;
  if (ridgewatt_worker_connect(&worker, nullptr, inference ? "inference" : "training",
                               name != nullptr ? name : "fake") != 0) {
    std::perror("fake_worker");
    return 1;
  }
  if (!inference) return train(worker, device, speed);
  Requests requests(argv[6], argv[8], std::atof(argv[7]), speed);
  if (!requests.writable()) {
    std::perror(argv[8]);
    return 1;
  }
  return serve(worker, device, requests, speed);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ridgewatt::Error& error) {
    std::fprintf(stderr, "fake_worker: %s\n", error.what());
    return 1;
  }
}
