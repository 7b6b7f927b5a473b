#include "ridgewatt/io/published.h"

#include <map>
#include <mutex>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/embedded.h"

namespace ridgewatt {

CsvReader open_published(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string_view, std::string> texts;  // readers do not own their text
  for (const auto& file : embedded::published()) {
    if (file.name != name) continue;
    const std::lock_guard lock(mutex);
    std::string& text = texts[file.name];
    if (text.empty()) text = unpacked(file.content);
    return {text, "studies/published/" + std::string(name)};
  }
  throw NotFoundError("the program has no embedded file of published figures of this name",
                      std::string(name));
}

}  // namespace ridgewatt
