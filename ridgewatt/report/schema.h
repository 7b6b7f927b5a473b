// Which form a JSON result has: its first key is "schema", "ridgewatt.COMMAND/1"
// ("ridgewatt.tune/1", "ridgewatt.schedule.plan/1"). The number rises when a key is renamed, is
// removed or means something else; keys that are added do not count.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"

namespace ridgewatt::report {

// `result` of the command ("schedule.plan") with its schema first; an array becomes the `rows` of
// an object.
Json with_schema(const std::string& command, Json result);

// Whether a command of this program wrote it: it names its schema.
bool has_schema(const Json& result);

// A result as it was before: without the schema, and the bare array where `rows` is all there is.
// What has no schema, as older results, comes back as it is.
Json without_schema(Json result);

}  // namespace ridgewatt::report
