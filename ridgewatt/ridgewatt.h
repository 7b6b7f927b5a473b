// Ridgewatt in one include: everything that answers a question, and what the answers are made of.
//
//   #include <ridgewatt/ridgewatt.h>
//
// docs/library.md goes through it with examples. Rooms that few programs need have their own
// headers: `store`, `study`, `schedule`, `platform`, `measure`, `report`.
#pragma once

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/pareto.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/sweep/replay.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/choice.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/twin/twin_profiler.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/workload_cost.h"
#include "ridgewatt/workload/zoo.h"
