#include "ridgewatt/report/caveats_json.h"

namespace ridgewatt {

void add_caveats(const CostCaveats& caveats, Json& json) {
  json["unsupported"] = Json::array();
  for (const Uncounted& one : caveats.uncounted) {
    json["unsupported"].push_back({{"op", one.full_name()},
                                   {"domain", one.domain},
                                   {"nodes", one.nodes},
                                   {"reason", one.reason},
                                   {"share", one.share}});
  }
  CostCaveats assumed = caveats;
  assumed.uncounted.clear();
  json["assumed"] = assumed.lines();
}

}  // namespace ridgewatt
