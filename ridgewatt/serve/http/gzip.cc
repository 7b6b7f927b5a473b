#include "ridgewatt/serve/http/gzip.h"

#include <zlib.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::serve {

std::string gzip(std::string_view bytes, int level) {
  static constexpr int kGzipWindow = 15 + 16;  // zlib: largest window, with a gzip header
  static constexpr int kMemory = 8;            // zlib's default
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw IoError("cannot compress a response", "zlib");
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int end = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) throw IoError("cannot compress a response", "zlib");
  return packed;
}

std::string gzip_worthwhile(std::string_view bytes) {
  static constexpr std::size_t kShortBytes = 1400;  // chosen: one packet
  return bytes.size() <= kShortBytes ? std::string() : gzip(bytes, 1);
}

}  // namespace ridgewatt::serve
