// Simulates the kernel for the files of a fake board: rounds clocks to the table, rejects what the
// kernel rejects, and updates dependent values (current clocks, the CPUs of a policy). All state is
// in the files. Therefore several processes see the same board, and a killed process leaves the
// same state as on a real board.
//
// Modeled after the behavior of the drivers:
//   cpu0 cannot be taken offline (EBUSY); limits of a policy without an online CPU: EBUSY
//   scaling_min_freq above scaling_max_freq and the reverse: EINVAL; limits are rounded
//   devfreq limits on the wrong side: EINVAL on older kernels, silently clamped on newer ones
//   the memory rate is rounded down to a supported one, limited by the cap, and held only if locked
//   tpc_pg_mask after the GPU was used: EBUSY; unknown masks: EINVAL
//   files without write permission: EACCES; content "!EIO", "!EAGAIN", "!ENODATA": that error
//   the time at each clock is counted: cpufreq's time_in_state, devfreq's trans_stat
//   with simulated heat (fake_heat.h), thermal zones show its temperatures
//   an idle board draws the idle power of its mode (FakeRest), whatever CPU idle states and fans do
// Not modeled: delays between a write and its effect, and values that drift without a cause.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

class FakeRest;

class FakeSysfs : public Sysfs {
 public:
  // `root` is the tree of the fake board that `board` describes.
  FakeSysfs(const std::string& root, FakeBoardMark board);
  ~FakeSysfs() override;
  Text read(const std::string& path) const override;
  int write(const std::string& path, std::string_view value) override;
  // After this call the TPC mask cannot change. Creating a new tree is like a reboot.
  void use_gpu();
  // Sets the rails to the idle power of the current mode. Every write() calls it.
  void rest() const;

 private:
  void warm(const std::string& path, Text& content) const;
  int write_knob(const std::string& path, const std::string& value);
  int store(const std::string& path, const std::string& value);
  int write_online(const std::string& path, const std::string& value);
  int write_cpufreq(const std::string& path, const std::string& value);
  int write_devfreq(const std::string& path, const std::string& value);
  int write_emc(const std::string& path, const std::string& value);
  int write_tpc_mask(const std::string& path, const std::string& value);
  // Writes a limit of a clock domain by the rules above. Returns 0 or errno.
  int write_limit(const std::string& path, const std::string& folder, const char* minimum,
                  const char* maximum, const std::string& value, const char* table);
  void update_policies();
  void update_clock(const std::string& folder, bool cpu);

  FakeBoardMark board_;
  bool legacy_;
  mutable std::unique_ptr<platform::FakeRest> rest_;
  enum class Heated { kUnknown, kNo, kYes };
  mutable std::atomic<Heated> heated_ = Heated::kUnknown;
};

// Opens the files under `root`: as a fake board if `root` contains one, otherwise as plain files.
std::unique_ptr<Sysfs> open_sysfs(const std::string& root);

// Changes a file as the board's hardware would, bypassing the simulated kernel. Works for read-only
// files of the current user. Returns 0 or errno.
int overwrite_board_file(const std::string& host_path, const std::string& content);

}  // namespace ridgewatt::platform
