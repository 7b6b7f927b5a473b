#include "ridgewatt/io/published.h"

#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/embedded.h"

namespace ridgewatt {

CsvReader open_published(std::string_view name) {
  for (const auto& file : embedded::published()) {
    if (file.name == name) return {file.content, "studies/published/" + std::string(name)};
  }
  throw NotFoundError("the program has no embedded file of published figures of this name",
                      std::string(name));
}

}  // namespace ridgewatt
