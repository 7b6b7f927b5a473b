#include "ridgewatt/platform/local_device.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::platform {
namespace {

namespace fs = std::filesystem;

std::string fake_folder() {
  if (const auto folder = environment_variable("RIDGEWATT_FAKE")) return *folder;
  return user_state_folder().value_or("/root/.local/state") + "/ridgewatt/fake";
}

// Suggests "local" or the fake board that is most similar to a mistyped device or board name.
std::string device_hint(const std::string& device) {
  NameSet known{{"local"}};
  for (const auto& board : fake_board_names()) {
    known.names.push_back("fake:" + board);
    known.synonyms.push_back({board, "fake:" + board});
  }
  return did_you_mean(device, known, "give local or fake:BOARD");
}

}  // namespace

bool is_local_device(const std::string& device) {
  return device == "local" || fake_name(device);
}

std::optional<std::string> local_board(const Sysfs& sysfs) {
  const auto identity = identify_jetson(sysfs);
  if (!identity) return std::nullopt;
  if (!identity->board.empty()) return identity->board;
  throw NotFoundError("there is no built-in board file for this Jetson",
                      fmt::format("{}{}{}", identity->model, identity->module.empty() ? "" : ", ",
                                  identity->module),
                      "write a board file (docs/reference/board_file.md) and give its path");
}

std::string board_serial(const Sysfs& sysfs) {
  constexpr std::size_t kLongest = 64;
  std::string serial;
  for (const char c : sysfs.text("/proc/device-tree/serial-number").value_or("")) {
    if (c > ' ' && c < 0x7f && serial.size() < kLongest) serial += c;
  }
  return serial;
}

LocalDevice open_local_device(const std::string& device, const std::string& sysroot,
                              std::uint64_t seed) {
  LocalDevice result;
  result.name = device;
  if (device == "local") {
    const std::string root = sysroot.empty() ? "/" : sysroot;
    struct stat status {};
    if (::stat(root.c_str(), &status) != 0) throw_errno(errno, "cannot open the folder", root);
    if (!S_ISDIR(status.st_mode))
      throw NotFoundError("is not a folder", root, "give the root folder of a recorded board");
    result.fake = !fake_board_mark(root).name.empty();
    result.sysfs = open_sysfs(root);
    return result;
  }
  const auto fake = fake_name(device);
  if (!fake) {
    throw UsageError("is neither local (this machine) nor a fake board", device,
                     device_hint(device));
  }
  if (!sysroot.empty())
    throw UsageError("a fake board and --sysroot cannot be combined", device, "omit one of them");
  const FakeBoardSpec spec = fake_board_spec(*fake);
  const std::string folder = fake_folder() + "/" + spec.name;
  std::error_code unseen;
  if (!fs::exists(folder, unseen)) {
    // Created next to the target and then renamed, so that two programs that start at the same time
    // see a complete board or none.
    const std::string temporary = fmt::format("{}.{}", folder, ::getpid());
    create_fake_board(spec, temporary, seed, fake_specimen_of_environment());
    heat_fake_board(temporary, fake_heat_of_environment());
    std::error_code error;
    fs::rename(temporary, folder, error);
    if (error) fs::remove_all(temporary);
  }
  result.fake = true;
  result.sysfs = open_sysfs(folder);
  return result;
}

}  // namespace ridgewatt::platform
