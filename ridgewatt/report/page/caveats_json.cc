#include "ridgewatt/report/columns.h"

namespace ridgewatt::report {

void add_caveats(const workload::CostCaveats& caveats, Json& json) {
  json["unsupported"] = Json::array();
  for (const workload::Uncounted& one : caveats.uncounted) {
    json["unsupported"].push_back(json_object({{"op", one.full_name()},
                                               {"domain", one.domain},
                                               {"nodes", one.nodes},
                                               {"reason", one.reason},
                                               {"share", one.share}}));
  }
  workload::CostCaveats assumed = caveats;
  assumed.uncounted.clear();
  json["assumed"] = assumed.lines();
}

}  // namespace ridgewatt::report
