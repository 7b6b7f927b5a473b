// Describes the API as OpenAPI 3.1. The description is generated from the tables of endpoints
// (ask/endpoints.h) and from the program's help on its options, so it always matches the actual
// API.
//
//   const Json description = describe_api(commands);  // of `ridgewatt help --format json`
#pragma once

#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {

Json describe_api(const Json& commands);

}  // namespace ridgewatt::serve
