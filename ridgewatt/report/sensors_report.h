// What a machine's sensors say, as JSON and as a table.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// board, rails (name, device, power_w, voltage_v, current_a, in_total), skipped (name, where,
// reason), total (power_w, rule, note), gpus, rapl, cpus, clocks, loads, temperatures, throttling,
// memory, swap, fans (name, duty, rpm).
Json sensors_to_json(const platform::MachineSensors& sensors,
                     const platform::MachineReading& reading);

// One row per quantity: kind, name, value, unit, note.
Table sensors_table(const platform::MachineSensors& sensors,
                    const platform::MachineReading& reading);

}  // namespace ridgewatt::report
