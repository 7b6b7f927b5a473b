#include "ridgewatt/serve/security/secret.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <cerrno>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt::serve {
namespace {

std::string hex_text(const unsigned char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw IoError("cannot compute SHA-256");
  }
  return std::string(reinterpret_cast<const char*>(digest), size);
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    throw_errno(errno, "cannot get random numbers for a token", "getrandom");
  }
  return hex_text(random.data(), bytes);
}

// Compares digests of equal length, so that the time reveals neither the length nor the position of
// a difference.
bool equal_secrets(std::string_view a, std::string_view b) {
  const std::string left = sha256(a), right = sha256(b);
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string content_hash(std::string_view bytes) {
  static constexpr std::size_t kShown = 16;
  const std::string digest = sha256(bytes);
  return hex_text(reinterpret_cast<const unsigned char*>(digest.data()), kShown);
}

}  // namespace ridgewatt::serve
