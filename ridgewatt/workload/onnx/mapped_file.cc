#include "ridgewatt/workload/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/input_files.h"

namespace ridgewatt::workload {

MappedFile::MappedFile(const std::string& path) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw_errno(errno, "cannot read the file", path);
  struct stat facts {};
  const bool regular = fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (regular && facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapping != MAP_FAILED) {
      note_input(file.get());
      mapping_ = mapping;
      bytes_ = {static_cast<const char*>(mapping), size};
    }
  }
  if (mapping_ == nullptr && !(regular && facts.st_size == 0)) {
    content_ = read_file(path);
    bytes_ = content_;
  }
}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) munmap(mapping_, bytes_.size());
}

}  // namespace ridgewatt::workload
