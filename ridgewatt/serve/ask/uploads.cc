#include "ridgewatt/serve/ask/uploads.h"

#include <sys/mman.h>

#include "ridgewatt/serve/http/http_error.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

constexpr std::size_t kIdBytes = 16;

OwnedFd sealed_memory(std::string_view bytes) {
  OwnedFd memory(::memfd_create("ridgewatt-upload", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) throw_errno(errno, "cannot create memory for an upload", "memfd");
  while (!bytes.empty()) {
    const ssize_t written = ::write(memory.get(), bytes.data(), bytes.size());
    if (written <= 0) throw_errno(errno, "cannot create memory for an upload", "memfd");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return memory;
}

}  // namespace

std::string Upload::word() const {
  if (name.empty()) return "upload:" + id;
  return name.front() == '-' ? "./" + name : name;
}

std::string Upload::label() const {
  std::string text = word();
  for (char& c : text) {
    if (std::string_view("\"\\,;<>&").find(c) != std::string_view::npos) c = '_';
  }
  return text;
}

std::shared_ptr<const Upload> Uploads::add(std::string_view bytes, std::string_view name) {
  static constexpr std::size_t kNameBytes = 255;  // limit for file names on Linux
  if (name.size() > kNameBytes) throw HttpError(400, "name: is longer than a file name can be");
  if (name.find('/') != std::string_view::npos) {
    throw HttpError(400, "name: must be the name of a file, without folders");
  }
  if (bytes.empty()) throw HttpError(400, "the upload is empty");
  if (bytes.size() > limits_.each_bytes || bytes.size() > limits_.all_bytes) {
    throw HttpError(413, "the upload is larger than " + std::to_string(limits_.each_bytes) +
                             " bytes (--max-upload)");
  }
  auto upload = std::make_shared<Upload>();
  upload->id = random_hex(kIdBytes);
  upload->name = name;
  upload->fd = sealed_memory(bytes);
  upload->bytes = bytes.size();
  upload->used = std::chrono::steady_clock::now();
  const std::lock_guard<std::mutex> lock(mutex_);
  forget_old(bytes.size());
  kept_.push_back(upload);
  bytes_ += bytes.size();
  return upload;
}

std::shared_ptr<const Upload> Uploads::find(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  forget_old(0);
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    if ((*it)->id != id) continue;
    (*it)->used = std::chrono::steady_clock::now();
    kept_.splice(kept_.end(), kept_, it);
    return kept_.back();
  }
  return nullptr;
}

std::size_t Uploads::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

void Uploads::forget_old(std::size_t coming_bytes) {
  const auto now = std::chrono::steady_clock::now();
  const auto is_old = [&](const Upload& upload) {
    return std::chrono::duration<double>(now - upload.used).count() > limits_.kept_s;
  };
  while (!kept_.empty() && (is_old(*kept_.front()) ||
                            (coming_bytes > 0 && (bytes_ + coming_bytes > limits_.all_bytes ||
                                                  kept_.size() >= limits_.number)))) {
    bytes_ -= kept_.front()->bytes;
    kept_.pop_front();
  }
}

}  // namespace ridgewatt::serve
