// Includes the main headers of the library: all questions (measure, estimate, predict, tune) with
// their answers, and the types that these use.
//
//   #include "ridgewatt/ridgewatt.h"
//
// docs/library.md has an introduction with examples. A program that uses only one of these headers
// compiles faster if it includes that header alone.
#pragma once

#include "ridgewatt/answer/epochs.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/answer/profile.h"
#include "ridgewatt/answer/tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/choice.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/workload/deployed_workload.h"
