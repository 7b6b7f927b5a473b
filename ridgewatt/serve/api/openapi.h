// The API described as OpenAPI 3.1, made of the table of endpoints (ask/endpoints.h) and of what
// the program's help says about its options, so that it cannot say anything else than what is
// served.
//
//   const Json description = describe_api(commands);  // of `ridgewatt help --format json`
#pragma once

#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {

Json describe_api(const Json& commands);

}  // namespace ridgewatt::serve
