// Opens a device that a user names on the command line, to access its kernel files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::platform {

struct LocalDevice {
  std::string name;  // "local", "fake:agx-orin"
  std::unique_ptr<Sysfs> sysfs;
  bool fake = false;
  // Provenance of measurements on this device.
  Provenance provenance() const { return fake ? Provenance::kFake : Provenance::kMeasured; }
};

// Whether `device` is "local" or starts with "fake:".
bool is_local_device(const std::string& device);

// The name of the board file for this machine, such as "orin-nano-8gb@super"; empty if it is not a
// Jetson. Throws NotFoundError for a Jetson without a board file.
std::optional<std::string> local_board(const Sysfs& sysfs);

// The serial number in the device tree, without unprintable characters. Empty if there is none.
std::string board_serial(const Sysfs& sysfs);

// Opens "local" (this machine or, if set, the tree in `sysroot`) or "fake:BOARD". A fake board is
// in the folder $RIDGEWATT_FAKE, by default in $XDG_STATE_HOME/ridgewatt/fake or
// ~/.local/state/ridgewatt/fake. A new fake board is created with `seed`, as the specimen that
// $RIDGEWATT_FAKE_SPECIMEN describes. Throws UsageError, NotFoundError, IoError.
LocalDevice open_local_device(const std::string& device, const std::string& sysroot = "",
                              std::uint64_t seed = 1);

}  // namespace ridgewatt::platform
