// Stands where the kernel stands in front of a fake board's files: rounds clocks to the table,
// refuses what the kernel refuses, and keeps the values that follow from others (current clocks,
// the CPUs that a policy affects) in step. All state is in the files, so several processes see the
// same board, and one that is killed leaves what a real kernel would have left.
//
// Modelled after the drivers' behavior:
//   cpu0 cannot be taken offline (EBUSY); limits of a policy without an online CPU: EBUSY
//   scaling_min_freq above scaling_max_freq and the reverse: EINVAL; limits are rounded
//   devfreq limits on the wrong side: EINVAL on older kernels, silently clamped on newer ones
//   the memory rate is rounded down to a legal one, clamped by the cap, and holds only when locked
//   tpc_pg_mask after the GPU was used: EBUSY; masks that the chip does not know: EINVAL
//   files without write permission: EACCES; a content "!EIO", "!EAGAIN", "!ENODATA": that error
//   clocks are counted as time goes by: cpufreq's time_in_state, devfreq's trans_stat
//   the zones of a board with heat (fake_heat.h) follow it: they are as warm as the board is now
//   an idle board draws what its mode draws (FakeRest); CPU idle states and fans do not change it
// Not modelled: delays between a write and its effect, and values that drift by themselves.
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
  // The fake board that `board` names, whose tree is `root`.
  FakeSysfs(const std::string& root, FakeBoardMark board);
  ~FakeSysfs() override;
  Text read(const std::string& path) const override;
  int write(const std::string& path, std::string_view value) override;
  // After this the TPC mask cannot change until the "reboot" of a new tree.
  void use_gpu();
  // Lets the rails show what the idle board draws in its mode; every write does.
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
  // New limit of a clock domain, or errno: see the rules above.
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

// The files under `root`: a fake board when it holds one, else plain files.
std::unique_ptr<Sysfs> open_sysfs(const std::string& root);

// What the board itself changes, below the rules of its kernel: a file that is read-only to users
// too, as long as it belongs to the caller. 0, or errno.
int overwrite_board_file(const std::string& host_path, const std::string& content);

}  // namespace ridgewatt::platform
