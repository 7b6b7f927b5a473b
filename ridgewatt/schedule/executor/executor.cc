#include "ridgewatt/schedule/executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/cycle.h"

namespace ridgewatt::schedule {
namespace {

// Maximum read from one worker before the others have a turn.
constexpr std::size_t kBytesPerTurn = 512;
constexpr double kPollWithoutPidfdS = 0.02;

}  // namespace

void ExecutorOptions::check() const {
  const auto require = [](bool good, const char* what) {
    if (!good) throw UsageError(what);
  };
  require(!socket_path.empty(), "the path of the socket is empty");
  if (socket_path.size() >= sizeof(sockaddr_un{}.sun_path)) {
    throw UsageError("the path of the socket is longer than 107 bytes", socket_path,
                     "give a shorter --socket");
  }
  require(batch >= 1 && training_per_cycle >= 0,
          "the batch must be at least 1, and the training minibatches per cycle 0 or more");
  require(period_s >= 0 && period_s < 1e6, "the period must be from 0 to 10^6 s");
  require(infer_time_s >= 0 && train_time_s >= 0,
          "the planned times of minibatches must be 0 or more");
  require(deadline_factor >= 1 && least_deadline_s > 0 && grace_s >= 0,
          "the deadline factor must be at least 1, the least deadline above 0 and the grace time 0 "
          "or more");
  require(duration_s >= 0 && hello_timeout_s > 0 && native_from_s >= 0,
          "the time limit of the first message of a worker must be above 0, and the duration 0 or "
          "more");
  require(max_workers >= 1 && max_faults >= 1,
          "the maximum numbers of workers and of faults must be at least 1");
}

Executor::Executor(ExecutorOptions options) : options_(std::move(options)) {
  options_.check();
  stop_event_ = OwnedFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_event_)
    throw_errno(errno, "cannot create an event descriptor for the socket", options_.socket_path);
  open_socket();
}

Executor::~Executor() {
  if (listener_) ::unlink(options_.socket_path.c_str());
  // The lock file stays: removing it could release the lock of another controller.
}

void Executor::open_socket() {
  const std::string& path = options_.socket_path;
  const std::string lock_path = path + ".lock";
  lock_ = OwnedFd(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) throw_errno(errno, "cannot create the lock file of the socket", lock_path);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error("another `ridgewatt schedule run` serves this socket", path,
                "stop it, or give another --socket");
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) {
      throw InputError("is a file, not a socket", path, "give another --socket");
    }
    ::unlink(path.c_str());  // left by a controller that died: we hold the lock
  }
  OwnedFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) throw_errno(errno, "cannot create the socket", path);
  // Set before bind, so that other users can never open the socket, whatever the umask.
  ::fchmod(listener.get(), 0600);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw_errno(errno, "cannot create the socket", path);
  }
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(listener.get(), 16) != 0) {
    const int error_number = errno;
    ::unlink(path.c_str());
    throw_errno(error_number, "cannot listen on the socket", path);
  }
  listener_ = std::move(listener);
}

double Executor::now_s() const {
  return monotonic_s() - start_s_;
}

void Executor::event(const std::string& text) const {
  if (options_.on_event) options_.on_event(now_s(), text);
}

void Executor::stop() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_event_.get(), &one, sizeof one);
}

ExecutorSummary Executor::run() {
  start_s_ = monotonic_s();
  while (true) {
    if (options_.duration_s > 0 && now_s() >= options_.duration_s) stopping_ = true;
    watch_holders();
    drop_closing();
    if (!stopping_) grant_next();
    const auto given_up = [&](const Holder& holder) {
      return holder.killed && !options_.kill_hung;
    };
    if (stopping_ && std::all_of(holders_.begin(), holders_.end(), given_up)) break;
    wait_for_events();
  }
  for (const auto& link : workers_) link.send("bye\n");
  summary_.running_s = now_s();
  return summary_;
}

double Executor::next_timeout_s() const {
  double until_s = 1;
  const double now = now_s();
  const auto at = [&](double time_s) { until_s = std::min(until_s, time_s - now); };
  if (options_.duration_s > 0 && !stopping_) at(options_.duration_s);
  if (options_.native_from_s > now) at(options_.native_from_s);
  for (const auto& holder : holders_) {
    if (!holder.killed) at(holder.revoked ? holder.kill_s : holder.deadline_s);
  }
  if (holders_.empty() && options_.period_s > 0) {
    // An overdue cycle lets training run again.
    const double overdue_s = cycle_start_s_ + kOverduePeriods * options_.period_s;
    if (overdue_s > now) at(overdue_s);
  }
  if (options_.policy != nullptr && !stopping_) at(ask_again_s_);
  for (const auto& holder : holders_) {
    if (holder.peer->pidfd() < 0) until_s = std::min(until_s, kPollWithoutPidfdS);
  }
  return std::max(0.0, until_s);
}

void Executor::wait_for_events() {
  std::vector<pollfd> fds;
  fds.push_back({stop_event_.get(), POLLIN, 0});
  fds.push_back({listener_.get(), POLLIN, 0});
  for (const auto& link : workers_) fds.push_back({link.socket.get(), POLLIN, 0});
  for (const auto& holder : holders_) fds.push_back({holder.peer->pidfd(), POLLIN, 0});
  const double wait_s = next_timeout_s();
  const timespec timeout{static_cast<time_t>(wait_s),
                         static_cast<long>((wait_s - std::floor(wait_s)) * 1e9)};
  const int count = ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
  if (count < 0 && errno != EINTR) throw_errno(errno, "cannot wait for workers", "poll");
  if (count <= 0) return;
  if (fds[0].revents != 0) {
    std::uint64_t value = 0;
    [[maybe_unused]] const ssize_t got = ::read(stop_event_.get(), &value, sizeof value);
    stopping_ = true;
  }
  std::size_t i = 2;
  for (auto& link : workers_) {
    if (fds[i++].revents != 0) read_worker(link);
  }
  if (fds[1].revents != 0) accept_workers();
}

void Executor::accept_workers() {
  for (int turn = 0; turn < 8; ++turn) {
    OwnedFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    WorkerLink link(std::move(socket), now_s());
    // The mode of the socket file excludes other users except root. Root may connect, but only a
    // controller of root accepts workers of root.
    const bool full = workers_.size() >= options_.max_workers;
    if (full || link.peer.uid() != ::geteuid()) {
      link.send(full ? "error too many workers\n" : "error another user\n");
      ++summary_.dropped;
      continue;
    }
    workers_.push_back(std::move(link));
  }
}

void Executor::read_worker(WorkerLink& link) {
  if (!link.receive(kBytesPerTurn)) {
    link.closing = true;
  }
  while (const auto line = link.lines.next()) {
    const auto message =
        line->too_long ? std::optional<WorkerMessage>() : parse_worker_message(line->text);
    if (message) {
      handle(link, *message);
    } else {
      fault(link, line->too_long ? "line too long" : "not a message");
    }
  }
}

void Executor::handle(WorkerLink& link, const WorkerMessage& message) {
  using State = WorkerLink::State;
  switch (message.type) {
    case WorkerMessage::Type::kHello:
      if (link.state != State::kNew) return fault(link, "hello said twice");
      link.kind = message.kind;
      link.name = message.name;
      link.state = State::kIdle;
      link.idle_s = now_s();
      if (options_.policy != nullptr) {
        if (const auto reason = options_.policy->joining(link.view(), now_s()); !reason.empty()) {
          link.send("error " + reason + "\n");
          event(fmt::format("worker {} refused: {}", link.name, reason));
          link.name.clear();
          link.closing = true;
          ++summary_.dropped;
          return;
        }
      }
      if (!link.send(fmt::format("welcome {} {} {:.0f}\n", kProtocolVersion, options_.batch,
                                 options_.period_s * 1e6))) {
        link.closing = true;
      }
      event(fmt::format("{} worker {} joined, process {}", name_of(link.kind), link.name,
                        link.peer.pid()));
      return;
    case WorkerMessage::Type::kReady:
      if (link.state != State::kIdle) return fault(link, "'ready' while it holds a grant");
      link.state = State::kReady;
      link.ready_s = now_s();
      if (options_.policy != nullptr) {
        options_.policy->asked(link.view(), message.requests, now_s());
      }
      return;
    case WorkerMessage::Type::kCounting:
    case WorkerMessage::Type::kArrived:
      return count_requests(link, message);
    case WorkerMessage::Type::kDone:
      if (Holder* holder = held_by(link);
          holder != nullptr && holder->record.sequence == message.sequence) {
        link.state = State::kIdle;
        link.idle_s = now_s();
        release(*holder, holder->revoked ? "late" : "done");
        return;
      }
      return fault(link, "'done' for a grant that this worker does not hold");
    case WorkerMessage::Type::kBye:
      link.closing = true;
      return;
  }
}

void Executor::count_requests(WorkerLink& link, const WorkerMessage& message) {
  if (link.state == WorkerLink::State::kNew || link.kind != WorkloadKind::kInference) {
    return fault(link, "'arrived' or 'counting' from a worker that is not an inference worker");
  }
  if (message.type == WorkerMessage::Type::kCounting) {
    link.counting = true;
    if (!link.send("counting\n")) link.closing = true;
    return;
  }
  const int count = message.requests.value_or(0);
  summary_.requests += static_cast<std::uint64_t>(count);
  if (options_.policy == nullptr) return;
  options_.policy->arrived(link.view(), count, std::max(0.0, now_s() - message.age_s));
}

void Executor::fault(WorkerLink& link, const std::string& text) {
  ++summary_.faults;
  ++link.faults;
  const bool sent = link.send("error " + text + "\n");
  if (link.faults >= options_.max_faults || !sent) link.closing = true;
}

void Executor::drop_closing() {
  const double now = now_s();
  for (auto link = workers_.begin(); link != workers_.end();) {
    const bool silent = link->state == WorkerLink::State::kNew &&
                        now > link->connected_s + options_.hello_timeout_s;
    if (!link->closing && !silent) {
      ++link;
      continue;
    }
    if (Holder* holder = held_by(*link)) {
      // The connection closed before the minibatch ended, and the process may still use the device.
      // The device stays occupied until the process is dead; the deadline now has it killed.
      holder->orphan = std::move(link->peer);
      holder->peer = &holder->orphan;
      holder->link = nullptr;
      holder->deadline_s = std::min(holder->deadline_s, now);
    }
    if (silent || link->faults >= options_.max_faults) ++summary_.dropped;
    if (!link->name.empty()) {
      event(fmt::format("worker {} left", link->name));
      if (options_.policy != nullptr) options_.policy->left(link->view(), now);
    }
    link = workers_.erase(link);
  }
}

Executor::Holder* Executor::held_by(const WorkerLink& link) {
  const auto found = std::find_if(holders_.begin(), holders_.end(),
                                  [&](const Holder& holder) { return holder.link == &link; });
  return found == holders_.end() ? nullptr : &*found;
}

void Executor::watch_holders() {
  for (auto holder = holders_.begin(); holder != holders_.end();) {
    const auto next = std::next(holder);
    watch(*holder);
    holder = next;
  }
}

void Executor::watch(Holder& holder) {
  if (!holder.peer->alive()) {
    ++summary_.deaths;
    event(fmt::format("worker {} ended during minibatch {}", holder.record.worker,
                      holder.record.sequence));
    if (holder.link != nullptr) {
      holder.link->closing = true;
      holder.link->state = WorkerLink::State::kIdle;
    }
    release(holder, holder.killed ? "killed" : "died");
    return;
  }
  const double now = now_s();
  if (!holder.revoked && now >= holder.deadline_s) {
    holder.revoked = true;
    holder.kill_s = now + options_.grace_s;
    ++summary_.revocations;
    event(fmt::format("worker {} is late with minibatch {}: revoked", holder.record.worker,
                      holder.record.sequence));
    if (holder.link != nullptr) {
      holder.link->send(fmt::format("revoke {}\n", holder.record.sequence));
    }
  }
  if (holder.revoked && !holder.killed && now >= holder.kill_s) {
    holder.killed = true;
    if (options_.kill_hung) holder.peer->kill();
    event(fmt::format("worker {} does not stop: {}", holder.record.worker,
                      options_.kill_hung ? "killed" : "the device stays held"));
  }
}

void Executor::release(Holder& holder, const std::string& outcome) {
  holder.record.released_s = now_s();
  holder.record.outcome = outcome;
  if (options_.on_grant) options_.on_grant(holder.record);
  if (options_.policy != nullptr) options_.policy->released(holder.record);
  holders_.remove_if([&](const Holder& other) { return &other == &holder; });
}

bool Executor::native() const {
  return options_.native_from_s > 0 && now_s() >= options_.native_from_s;
}

bool Executor::has_inference() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& link) {
    return link.state != WorkerLink::State::kNew && link.kind == WorkloadKind::kInference;
  });
}

WorkerLink* Executor::longest_waiting(WorkloadKind kind) {
  WorkerLink* first = nullptr;
  for (auto& link : workers_) {
    if (link.closing || link.state != WorkerLink::State::kReady || link.kind != kind) continue;
    if (first == nullptr || link.ready_s < first->ready_s) first = &link;
  }
  return first;
}

// Makes grants while the policy gives any: one at a time, unless the driver shares the device.
void Executor::ask_policy() {
  GrantPolicy& policy = *options_.policy;
  while (holders_.empty() || policy.shares_device(now_s())) {
    std::vector<WorkerView> views;
    std::vector<WorkerLink*> links;
    for (auto& link : workers_) {
      if (link.closing || link.state == WorkerLink::State::kNew) continue;
      views.push_back(link.view());
      links.push_back(&link);
    }
    const GrantDecision decision = policy.next(now_s(), views);
    ask_again_s_ = decision.ask_again_s;
    if (!decision.grant) return;
    grant(*links.at(decision.grant->worker), *decision.grant);
  }
}

void Executor::grant_next() {
  if (options_.policy != nullptr) return ask_policy();
  if (native()) {
    for (auto& link : workers_) {
      if (!link.closing && link.state == WorkerLink::State::kReady) grant(link);
    }
    return;
  }
  if (!holders_.empty()) return;
  if (WorkerLink* inference = longest_waiting(WorkloadKind::kInference)) {
    cycle_start_s_ = now_s();
    training_in_cycle_ = 0;
    grant(*inference);
    return;
  }
  WorkerLink* training = longest_waiting(WorkloadKind::kTraining);
  if (training == nullptr) return;
  if (has_inference() && training_in_cycle_ >= options_.training_per_cycle) {
    if (options_.period_s <= 0 || now_s() < cycle_start_s_ + kOverduePeriods * options_.period_s) {
      return;
    }
    cycle_start_s_ = now_s();
    training_in_cycle_ = 0;
  }
  ++training_in_cycle_;
  grant(*training);
}

void Executor::grant(WorkerLink& link) {
  const bool inference = link.kind == WorkloadKind::kInference;
  grant(link, {.planned_s = inference ? options_.infer_time_s : options_.train_time_s});
}

void Executor::grant(WorkerLink& link, const Grant& grant) {
  const bool inference = link.kind == WorkloadKind::kInference;
  const double allowed_s =
      std::max(options_.least_deadline_s, options_.deadline_factor * grant.planned_s);
  Holder& holder = holders_.emplace_back();
  holder.link = &link;
  holder.peer = &link.peer;
  holder.record = {next_sequence_++, link.name,  link.kind, link.peer.pid(), now_s(), 0, "",
                   grant.requests,   grant.aside};
  holder.deadline_s = holder.record.granted_s + allowed_s;
  // From here on, the worker counts as a holder even if the grant does not reach it.
  link.state = WorkerLink::State::kHolding;
  ++summary_.grants;
  ++(inference ? summary_.inference_minibatches : summary_.training_minibatches);
  std::string line = fmt::format("grant {} {:.0f}", holder.record.sequence, allowed_s * 1e6);
  if (link.counting) line += fmt::format(" {} {}", grant.requests, grant.aside);
  if (!link.send(line + "\n")) link.closing = true;
}

}  // namespace ridgewatt::schedule
