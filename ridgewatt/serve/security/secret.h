// Secrets: made of the kernel's random numbers, compared in a time that does not depend on where
// they differ.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgewatt::serve {

// `bytes` random bytes as hexadecimal digits.
std::string random_hex(std::size_t bytes);

bool equal_secrets(std::string_view a, std::string_view b);

// Of bytes, for the ETag of what is sent: the first 128 bits of SHA-256, in hexadecimal.
std::string content_hash(std::string_view bytes);

}  // namespace ridgewatt::serve
