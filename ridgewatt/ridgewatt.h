// Ridgewatt in one include: every question and its answer, and what they are made of.
//
//   #include "ridgewatt/ridgewatt.h"
//
// docs/library.md explains it with examples. A program that asks one question compiles faster with
// only the header of that question.
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
