// The device that a user names on the command line, as a root of kernel files.
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
  // Of what is measured on it.
  Provenance provenance() const { return fake ? Provenance::kFake : Provenance::kMeasured; }
};

// True for "local" and "fake:BOARD".
bool is_local_device(const std::string& device);

// The board of the library that this machine is, "orin-nano-8gb@super"; nothing when it is not a
// Jetson. NotFoundError for a Jetson that has no board file.
std::optional<std::string> local_board(const Sysfs& sysfs);

// Which of the boards of its kind this is: what the device tree says (Jetsons carry one), without
// characters that are not printable. Empty: it does not say.
std::string board_serial(const Sysfs& sysfs);

// "local" is this machine, or the tree in `sysroot` when that is not empty; "fake:BOARD" is the
// fake board in $RIDGEWATT_FAKE, or $XDG_STATE_HOME/ridgewatt/fake (~/.local/state/..), which is
// laid out with `seed` the first time, as the specimen that $RIDGEWATT_FAKE_SPECIMEN describes.
// Throws UsageError, NotFoundError, IoError.
LocalDevice open_local_device(const std::string& device, const std::string& sysroot = "",
                              std::uint64_t seed = 1);

}  // namespace ridgewatt::platform
