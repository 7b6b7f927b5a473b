// Roofs and balance points of power modes, and where the layers of a model lie.
#include "ridgewatt/answer/roofline.h"

#include <utility>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/report/twin_report.h"

namespace ridgewatt::python {
namespace {

// The roofs of a class of kernels in a mode.
struct Roof {
  PowerMode mode;
  report::ClassRoof roof;
};

struct BoundRoofline {
  answer::RooflineAnswer found;
  std::vector<Roof> rows;
  report::RooflineReport report;
  Json json() const { return report::roofline_json(found, report).whole(); }
};

// What is known only where the roof has energies.
std::optional<double> with_energy(const Roof& row, double value) {
  return row.roof.time_only() ? std::nullopt : std::optional(value);
}

const Fields<Roof>& roof_fields() {
  using R = Roof;
  static const Fields<R> fields = {
      {"mode", [](const R& r) { return r.mode; }, "the PowerMode"},
      {"roof", [](const R& r) { return r.roof.name; },
       "class of kernels: convolution, product, depthwise, vector; or \"measured\""},
      {"arithmetic", [](const R& r) { return r.roof.arithmetic; }, "of the unit that it runs in"},
      {"gpu_share", [](const R& r) { return r.roof.share; },
       "of the model's time on the GPU; 0 without a model"},
      {"ceiling_flop_per_s", [](const R& r) { return r.roof.ceiling_flop_per_s; },
       "what no kernel of the class passes (FLOP/s)"},
      {"ceiling_bytes_per_s", [](const R& r) { return r.roof.ceiling_bandwidth_bytes_per_s; },
       "and its memory traffic (bytes/s)"},
      {"reached_flop_per_s", [](const R& r) { return r.roof.reached.peak_flop_per_s; },
       "what the twin was fitted to (FLOP/s)"},
      {"reached_bytes_per_s", [](const R& r) { return r.roof.reached.bandwidth_bytes_per_s; },
       "and its memory traffic (bytes/s)"},
      {"time_balance", [](const R& r) { return r.roof.reached.time_balance(); },
       "intensity at which compute and memory take the same time (FLOP/byte)"},
      {"energy_per_flop_j",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_per_flop_j); },
       "dynamic energy of an operation (J); None: not known"},
      {"energy_per_byte_j",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_per_byte_j); },
       "dynamic energy of a byte (J)"},
      {"static_power_w", [](const R& r) { return with_energy(r, r.roof.reached.static_power_w); },
       "what is spent for time alone (W)"},
      {"energy_balance",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_balance_dynamic()); },
       "intensity at which operations and bytes take the same dynamic energy (FLOP/byte)"},
      {"race_to_halt_ratio",
       [](const R& r) { return with_energy(r, r.roof.reached.race_to_halt_ratio()); },
       "at most 1: finishing fast inside the mode is what spends least"},
      {"compute_from", [](const R& r) { return r.roof.compute_from; },
       "where the ceiling of compute comes from"},
      {"bandwidth_from", [](const R& r) { return r.roof.bandwidth_from; },
       "where the ceiling of traffic comes from"}};
  return fields;
}

const Fields<report::RooflineLayer>& layer_fields() {
  using L = report::RooflineLayer;
  static const Fields<L> fields = {
      {"name", [](const L& l) { return l.name; }, "of the kernel"},
      {"op", [](const L& l) { return l.op; }, "operator"},
      {"roof", [](const L& l) { return l.roof; }, "the class whose roofs it lies under"},
      {"bound", [](const L& l) { return l.bound; },
       "what its time on the GPU goes to: compute, memory, launch"},
      {"work_flop", [](const L& l) { return l.work_flop; }, "operations per minibatch"},
      {"traffic_bytes", [](const L& l) { return l.traffic_bytes; }, "as modelled (bytes)"},
      {"counted_bytes", [](const L& l) { return l.counted_bytes; },
       "operands read and results written (bytes)"},
      {"gpu_s", [](const L& l) { return l.gpu_s; }, "time on the GPU (s)"},
      {"launch_s", [](const L& l) { return l.launch_s; }, "CPU time of its launches (s)"},
      {"time_s", [](const L& l) { return l.time_s; }, "its share of the minibatch (s)"},
      {"power_w", [](const L& l) { return l.power_w; }, "of the board while it runs (W)"},
      {"ceiling_flop_per_s", [](const L& l) { return l.ceiling_flop_per_s; },
       "that its ceiling allows at its intensity (FLOP/s)"},
      {"reached_flop_per_s", [](const L& l) { return l.reached_flop_per_s; },
       "that kernels like it reach at its intensity (FLOP/s)"}};
  return fields;
}

const Fields<BoundRoofline>& answer_fields() {
  using A = BoundRoofline;
  static const Fields<A> fields = {
      {"device", [](const A& a) { return a.found.device; }, "as it was asked"},
      {"provenance", [](const A& a) { return std::string(name_of(a.found.origin.provenance)); },
       "always \"modelled\""},
      {"ground", [](const A& a) { return a.found.twin.provenance(); },
       "what the figures rest on, in words"},
      {"batch", [](const A& a) { return a.found.model ? a.found.estimator()->cost().batch : 0; },
       "that the layers are shown at; 0 without a model"},
      {"ceilings", [](const A& a) { return a.report.ceilings; },
       "where the ceilings come from, a sentence each"}};
  return fields;
}

std::shared_ptr<BoundRoofline> bound_roofline(answer::RooflineAnswer found) {
  std::vector<Roof> rows;
  const auto roofs = report::roofs_of(found);
  for (const PowerMode& mode : found.modes) {
    for (const auto& roof : roofs) rows.push_back({mode, report::class_roof(found, mode, roof)});
    if (auto measured = report::measured_class_roof(found, mode)) {
      rows.push_back({mode, *std::move(measured)});
    }
  }
  auto report = report::twin_report(found);
  return std::make_shared<BoundRoofline>(
      BoundRoofline{std::move(found), std::move(rows), std::move(report)});
}

std::shared_ptr<BoundRoofline> roofline(const py::kwargs& given) {
  Arguments asked(given);
  answer::RooflineQuestion question;
  const answer::ParameterTable& table = answer::roofline_parameters();
  fill(asked, table, &question);
  const auto workload = workload_of(asked, question.workload);
  check(asked, table, &question);
  const py::object progress = asked.progress();
  asked.done();
  const std::string board = device_or_local(question.device);
  return without_gil(
      [&] { return bound_roofline(answer::roofline_on_board(question, workload, board)); },
      progress);
}

}  // namespace

void bind_roofline(py::module_& module) {
  record<Roof>(module, "Roof", "The roofs of a class of kernels in a power mode.", roof_fields());
  record<report::RooflineLayer>(module, "RooflineLayer",
                                "Where a layer lies in the first of the modes.", layer_fields());
  auto made = answer_class<BoundRoofline>(
      module, "Roofline", "Roofs of power modes: a sequence of Roof, one per mode and class.",
      answer_fields(), roof_fields());
  made.def_property_readonly(
      "layers",
      [](Self<BoundRoofline> self) {
        py::list list;
        for (const auto& layer : self->report.layers) list.append(layer);
        return list;
      },
      "of the model in the first mode, a list of RooflineLayer in order of execution");
  made.def_property_readonly(
      "time_parts",
      [](Self<BoundRoofline> self) {
        py::dict parts;
        for (const auto& part : self->report.parts) parts[py::str(part.name)] = part.time_s;
        return parts;
      },
      "what the minibatch's time goes to (s), by name");
  module.def("roofline", &roofline);
}

}  // namespace ridgewatt::python
