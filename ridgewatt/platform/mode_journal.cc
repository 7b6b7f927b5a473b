#include "ridgewatt/platform/mode_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "ridgewatt mode journal 1";
constexpr std::size_t kLimitBytes = std::size_t{4} << 20;

bool file_exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

ModeSnapshot take_snapshot(const Sysfs& sysfs, const JetsonLayout& layout,
                           const std::vector<FileSetting>& others) {
  ModeSnapshot snapshot;
  const FileReader record = [&](const std::string& path) {
    auto text = sysfs.text(path);
    // A value of several lines is no knob.
    if (text && text->find_first_of("\n\t") == std::string::npos) snapshot[path] = *text;
    return text;
  };
  read_mode_settings(layout, record);
  for (const auto& other : others) record(other.path);
  return snapshot;
}

WriteSummary restore_snapshot(Sysfs& sysfs, const JetsonLayout& layout,
                              const ModeSnapshot& snapshot) {
  ModeSnapshot rest = snapshot;
  const FileReader read = [&](const std::string& path) -> std::optional<std::string> {
    const auto found = snapshot.find(path);
    if (found == snapshot.end()) return std::nullopt;
    rest.erase(path);
    return found->second;
  };
  ModeSettings settings = read_mode_settings(layout, read);
  for (const auto& [path, value] : rest) settings.others.push_back({path, value});
  return write_mode_settings(sysfs, layout, settings);
}

std::string ModeJournal::default_folder(const Sysfs& sysfs) {
  if (!sysfs.root().empty()) return fs::absolute(sysfs.root()).string() + ".ridgewatt";
  if (::geteuid() == 0) return "/var/lib/ridgewatt";
  if (const char* state = std::getenv("XDG_STATE_HOME")) return std::string(state) + "/ridgewatt";
  if (const char* home = std::getenv("HOME")) return std::string(home) + "/.local/state/ridgewatt";
  throw NotFoundError("no folder for the mode journal", "", "set XDG_STATE_HOME");
}

ModeJournal::ModeJournal(const Sysfs& sysfs, const std::string& folder, double wait_s)
    : folder_(folder), boot_id_(sysfs.text("/proc/sys/kernel/random/boot_id").value_or("-")) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw_errno(error.value(), "cannot create the folder of the mode journal", folder_);
  const std::string path = folder_ + "/mode.lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) throw_errno(errno, "cannot open the lock of the mode journal", path);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  while (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    if ((error_number != EWOULDBLOCK && error_number != EINTR) ||
        std::chrono::steady_clock::now() > deadline) {
      ::close(lock_);
      if (error_number != EWOULDBLOCK) throw_errno(error_number, "cannot lock", path);
      throw IoError("another process is changing the power mode", path, "wait until it ends");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

ModeJournal::~ModeJournal() {
  ::close(lock_);
}

void ModeJournal::sync_folder() const {
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_errno(errno, "cannot open folder", folder_);
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (result != 0 && error != EINVAL) throw_errno(error, "cannot write folder to disk", folder_);
}

bool ModeJournal::valid(const std::string& path, ModeSnapshot* snapshot) const {
  if (!file_exists(path)) return false;
  const auto lines = split(read_file(path, kLimitBytes), '\n');
  if (lines.size() < 3 || lines[0] != kHeader || lines[1] != "boot " + boot_id_) return false;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (lines[i] == fmt::format("end {}", i - 2)) return true;
    const auto tab = lines[i].find('\t');
    if (tab == std::string::npos || lines[i][0] != '/') return false;
    if (snapshot != nullptr) (*snapshot)[lines[i].substr(0, tab)] = lines[i].substr(tab + 1);
  }
  return false;
}

bool ModeJournal::pending() const {
  return valid(folder_ + "/mode.journal", nullptr);
}

bool ModeJournal::saved() const {
  return valid(folder_ + "/mode.saved", nullptr);
}

ModeSnapshot ModeJournal::read_pending() const {
  ModeSnapshot snapshot;
  valid(folder_ + "/mode.journal", &snapshot);
  return snapshot;
}

ModeSnapshot ModeJournal::read_saved() const {
  ModeSnapshot snapshot;
  if (!valid(folder_ + "/mode.saved", &snapshot)) {
    throw NotFoundError("there is no saved mode to restore", folder_,
                        "nothing was changed by 'ridgewatt mode apply' since boot");
  }
  return snapshot;
}

void ModeJournal::begin(const ModeSnapshot& snapshot) {
  std::string text = fmt::format("{}\nboot {}\n", kHeader, boot_id_);
  for (const auto& [path, value] : snapshot) text += fmt::format("{}\t{}\n", path, value);
  text += fmt::format("end {}\n", snapshot.size());
  write_file_atomically(folder_ + "/mode.journal", text);
  sync_folder();
}

void ModeJournal::end() {
  const std::string path = folder_ + "/mode.journal";
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_errno(errno, "cannot remove", path);
  sync_folder();
}

void ModeJournal::commit() {
  if (saved()) {  // the first state is what `mode restore` brings back
    end();
    return;
  }
  const std::string from = folder_ + "/mode.journal";
  const std::string to = folder_ + "/mode.saved";
  if (::rename(from.c_str(), to.c_str()) != 0) throw_errno(errno, "cannot rename", from);
  sync_folder();
}

void ModeJournal::forget_saved() {
  const std::string path = folder_ + "/mode.saved";
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_errno(errno, "cannot remove", path);
  sync_folder();
}

}  // namespace ridgewatt
