// Secrets: generated from random numbers of the kernel, and compared in a time that does not depend
// on the position of a difference.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt::serve {

// Returns `bytes` random bytes as hexadecimal digits.
std::string random_hex(std::size_t bytes);

bool equal_secrets(std::string_view a, std::string_view b);

// Returns a hash for the header ETag: the first 128 bits of SHA-256, in hexadecimal.
std::string content_hash(std::string_view bytes);

}  // namespace ridgewatt::serve
