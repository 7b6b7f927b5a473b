#include "ridgewatt/platform/mode_journal.h"
#include "ridgewatt/base/environment.h"
#include "ridgewatt/io/path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle = "ridgewatt mode journal ";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kLimitBytes = std::size_t{4} << 20;

JournalAnswer parse_journal(std::string_view text, const std::string& boot_id,
                            ModeSnapshot& snapshot) {
  const auto lines = split(text, '\n');
  // A truncated header does not mean another version.
  if (lines.size() < 2 || lines[0].substr(0, kTitle.size()) != kTitle) {
    return JournalAnswer::kDamaged;
  }
  if (lines[0].substr(kTitle.size()) != kVersion) return JournalAnswer::kForeign;
  if (lines[1].rfind("boot ", 0) != 0) return JournalAnswer::kDamaged;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (lines[i] == fmt::format("end {}", i - 2)) {
      const bool last = i + 1 == lines.size() || (i + 2 == lines.size() && lines[i + 1].empty());
      if (!last) return JournalAnswer::kDamaged;
      return lines[1] == "boot " + boot_id ? JournalAnswer::kSound : JournalAnswer::kStale;
    }
    const auto parts = split(lines[i], '\t');
    if (parts.size() != 2 || parts[0].substr(0, 1) != "/") return JournalAnswer::kDamaged;
    if (!snapshot.emplace(parts[0], parts[1]).second) return JournalAnswer::kDamaged;
  }
  return JournalAnswer::kDamaged;
}

bool fits_journal(const std::string& path, const std::string& value) {
  return path.substr(0, 1) == "/" && path.find_first_of("\t\n") == std::string::npos &&
         value.find_first_of("\t\n") == std::string::npos;
}

}  // namespace

ParsedJournal parse_mode_journal(std::string_view text, const std::string& boot_id) {
  ParsedJournal journal;
  journal.answer = parse_journal(text, boot_id, journal.snapshot);
  if (journal.answer != JournalAnswer::kSound) journal.snapshot.clear();
  return journal;
}

std::string mode_journal_text(const ModeSnapshot& snapshot, const std::string& boot_id) {
  std::string text = fmt::format("{}{}\nboot {}\n", kTitle, kVersion, boot_id);
  for (const auto& [file, value] : snapshot) {
    if (!fits_journal(file, value))
      throw InputError("the mode journal cannot store this path with its value", file);
    text += fmt::format("{}\t{}\n", file, value);
  }
  return text + fmt::format("end {}\n", snapshot.size());
}

ModeSnapshot take_snapshot(const Sysfs& sysfs, const JetsonLayout& layout,
                           const std::vector<FileSetting>& others) {
  ModeSnapshot snapshot;
  const FileReader record = [&](const std::string& path) {
    auto text = sysfs.text(path);
    // A knob has a single-line value.
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
  if (!sysfs.root().empty()) return absolute_path(sysfs.root()) + ".ridgewatt";
  if (::geteuid() == 0) return "/var/lib/ridgewatt";
  if (const auto state = user_state_folder()) return *state + "/ridgewatt";
  throw NotFoundError("there is no folder for the mode journal", "", "set XDG_STATE_HOME or HOME");
}

ModeJournal::ModeJournal(const Sysfs& sysfs, const std::string& folder, double wait_s)
    : folder_(folder), boot_id_(sysfs.text("/proc/sys/kernel/random/boot_id").value_or("-")) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw_errno(error.value(), "cannot create the folder of the mode journal", folder_);
  const std::string path = folder_ + "/mode.lock";
  lock_ = OwnedFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!lock_) throw_errno(errno, "cannot open the lock of the mode journal", path);
  const Stopwatch waiting;
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    if (error_number != EWOULDBLOCK && error_number != EINTR) {
      throw_errno(error_number, "cannot lock the mode journal", path);
    }
    if (waiting.s() > wait_s) {
      throw IoError("another process is changing the power mode", path, "wait until it ends");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void ModeJournal::sync_folder() const {
  const OwnedFd fd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) throw_errno(errno, "cannot open the folder", folder_);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    throw_errno(errno, "cannot write the folder to disk", folder_);
  }
}

// Renames and keeps an unusable journal. A journal from an earlier boot is dropped.
void ModeJournal::keep_damaged(const std::string& path) const {
  std::string text;
  try {
    text = read_file(path, kLimitBytes);
  } catch (const NotFoundError&) {
    return;
  } catch (const InputError&) {
  }
  if (parse_mode_journal(text, boot_id_).answer != JournalAnswer::kDamaged) return;
  const std::string damaged = path + ".damaged";
  if (::rename(path.c_str(), damaged.c_str()) != 0)
    throw_errno(errno, "cannot rename the file", path);
  fmt::print(stderr, "ridgewatt: a damaged mode journal is kept as {}\n", damaged);
}

std::optional<ModeSnapshot> ModeJournal::read(const std::string& path) const {
  std::string text;
  try {
    text = read_file(path, kLimitBytes);
  } catch (const NotFoundError&) {
    return std::nullopt;
  } catch (const InputError&) {  // larger than any valid journal
    return std::nullopt;
  }
  auto journal = parse_mode_journal(text, boot_id_);
  switch (journal.answer) {
    case JournalAnswer::kSound:
      return std::move(journal.snapshot);
    case JournalAnswer::kForeign:
      throw NotSupportedError("another version of ridgewatt saved the original power mode", path,
                              "restore it with that version, or remove the file");
    case JournalAnswer::kStale:
    case JournalAnswer::kDamaged:
      break;
  }
  return std::nullopt;
}

std::optional<ModeSnapshot> ModeJournal::pending() const {
  return read(folder_ + "/mode.journal");
}

std::optional<ModeSnapshot> ModeJournal::saved() const {
  return read(folder_ + "/mode.saved");
}

void ModeJournal::begin(const ModeSnapshot& snapshot) {
  const std::string path = folder_ + "/mode.journal";
  const std::string text = mode_journal_text(snapshot, boot_id_);
  pending();  // throws for a journal of another version
  saved();    // throws for a saved mode of another version: it must not be lost
  keep_damaged(path);
  write_file_atomically(path, text);
  sync_folder();
}

void ModeJournal::end() {
  const std::string path = folder_ + "/mode.journal";
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw_errno(errno, "cannot remove the file", path);
  sync_folder();
}

void ModeJournal::commit() {
  if (saved()) {  // keep the first saved state: `mode restore` restores it
    end();
    return;
  }
  const std::string from = folder_ + "/mode.journal";
  const std::string to = folder_ + "/mode.saved";
  if (::rename(from.c_str(), to.c_str()) != 0) throw_errno(errno, "cannot rename the file", from);
  sync_folder();
}

void ModeJournal::forget_saved() {
  const std::string path = folder_ + "/mode.saved";
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw_errno(errno, "cannot remove the file", path);
  sync_folder();
}

}  // namespace ridgewatt::platform
