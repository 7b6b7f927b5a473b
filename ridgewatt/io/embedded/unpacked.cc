#include "ridgewatt/io/embedded.h"

#include <zlib.h>

#include <array>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

std::string unpacked(std::string_view gzip) {
  constexpr int kGzip = 15 + 16;  // zlib's largest window, plus 16 for the gzip format
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK)
    throw Error("cannot unpack a file that is embedded in the program", "",
                "install ridgewatt again");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string text;
  std::array<char, 1 << 16> part{};
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    code = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END)
    throw Error("a file that is embedded in the program is damaged", "", "install ridgewatt again");
  return text;
}

}  // namespace ridgewatt
