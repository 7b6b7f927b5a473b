// Roofs and balance points of power modes, and the position of a model's layers under the roofs.
#include "ridgewatt/answer/roofline.h"

#include <utility>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
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
  std::string_view command_name() const { return answer::roofline_parameters().command; }
  Json json() const { return report::roofline_json(found, report).whole(); }
  std::vector<std::string> remarks() const {
    std::vector<std::string> lines;
    if (found.model) lines = found.estimator()->cost().caveats.lines();
    if (found.left_out > 0) {
      lines.push_back("left out, because the clocks vary: " +
                      counted(static_cast<std::int64_t>(found.left_out), "mode") +
                      " with a power limit or a governor");
    }
    return lines;
  }
};

// The value, or empty if the energies of the roof are unknown.
std::optional<double> with_energy(const Roof& row, double value) {
  return row.roof.time_only() ? std::nullopt : std::optional(value);
}

const Fields<Roof>& roof_fields() {
  using R = Roof;
  static const Fields<R> fields = {
      {"mode", [](const R& r) { return r.mode; }, "power mode"},
      {"roof", [](const R& r) { return r.roof.name; },
       "class of kernels: convolution, product, depthwise or vector; \"measured\" for roofs fitted "
       "to microbenchmarks"},
      {"arithmetic", [](const R& r) { return r.roof.arithmetic; },
       "arithmetic of the unit that computes this class, such as \"tf32\""},
      {"gpu_share", [](const R& r) { return r.roof.share; },
       "share of this class in the model's time on the GPU; 0 without a model"},
      {"ceiling_flop_per_s", [](const R& r) { return r.roof.ceiling_flop_per_s; },
       "compute ceiling that no kernel of this class exceeds (FLOP/s)"},
      {"ceiling_bytes_per_s", [](const R& r) { return r.roof.ceiling_bandwidth_bytes_per_s; },
       "memory bandwidth that no kernel of this class exceeds (bytes/s)"},
      {"reached_flop_per_s", [](const R& r) { return r.roof.reached.peak_flop_per_s; },
       "compute rate that kernels of this class reach, according to the twin (FLOP/s)"},
      {"reached_bytes_per_s", [](const R& r) { return r.roof.reached.bandwidth_bytes_per_s; },
       "memory bandwidth that kernels of this class reach, according to the twin (bytes/s)"},
      {"time_balance", [](const R& r) { return r.roof.reached.time_balance(); },
       "arithmetic intensity at which computation and memory traffic take the same time "
       "(FLOP/byte)"},
      {"energy_per_flop_j",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_per_flop_j); },
       "dynamic energy of an operation (J); None if unknown"},
      {"energy_per_byte_j",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_per_byte_j); },
       "dynamic energy of a byte of memory traffic (J); None if unknown"},
      {"static_power_w", [](const R& r) { return with_energy(r, r.roof.reached.static_power_w); },
       "power that does not depend on the work (W); None if unknown"},
      {"energy_balance",
       [](const R& r) { return with_energy(r, r.roof.reached.energy_balance_dynamic()); },
       "arithmetic intensity at which operations and memory traffic take the same dynamic energy "
       "(FLOP/byte); None if unknown"},
      {"race_to_halt_ratio",
       [](const R& r) { return with_energy(r, r.roof.reached.race_to_halt_ratio()); },
       "if at most 1, the fastest execution within this mode also uses the least energy; None if "
       "unknown"},
      {"compute_from", [](const R& r) { return r.roof.compute_from; },
       "source of the compute ceiling"},
      {"bandwidth_from", [](const R& r) { return r.roof.bandwidth_from; },
       "source of the bandwidth ceiling"}};
  return fields;
}

const Fields<report::RooflineLayer>& roofline_layer_fields() {
  using L = report::RooflineLayer;
  static const Fields<L> fields = {
      {"name", [](const L& l) { return l.name; }, "name of the kernel"},
      {"op", [](const L& l) { return l.op; }, "operator"},
      {"roof", [](const L& l) { return l.roof; }, "class of kernels whose roofs apply to it"},
      {"bound", [](const L& l) { return l.bound; },
       "what limits its time on the GPU: compute, memory or launch"},
      {"work_flop", [](const L& l) { return l.work_flop; },
       "floating-point operations per minibatch"},
      {"traffic_bytes", [](const L& l) { return l.traffic_bytes; },
       "memory traffic per minibatch, as modelled (bytes)"},
      {"counted_bytes", [](const L& l) { return l.counted_bytes; },
       "size of the operands and results (bytes)"},
      {"gpu_s", [](const L& l) { return l.gpu_s; }, "time on the GPU (s)"},
      {"launch_s", [](const L& l) { return l.launch_s; }, "CPU time of its launches (s)"},
      {"time_s", [](const L& l) { return l.time_s; }, "its part of the minibatch time (s)"},
      {"power_w", [](const L& l) { return l.power_w; }, "power of the board while it runs (W)"},
      {"ceiling_flop_per_s", [](const L& l) { return l.ceiling_flop_per_s; },
       "compute rate that its ceilings permit at its arithmetic intensity (FLOP/s)"},
      {"reached_flop_per_s", [](const L& l) { return l.reached_flop_per_s; },
       "compute rate that kernels of its class reach at its arithmetic intensity (FLOP/s)"}};
  return fields;
}

const Fields<BoundRoofline>& roofline_fields() {
  using A = BoundRoofline;
  static const Fields<A> fields = {
      {"device", [](const A& a) { return a.found.device; }, "board, as given"},
      {"provenance", [](const A& a) { return std::string(name_of(a.found.origin.provenance)); },
       "always \"modelled\""},
      {"ground", [](const A& a) { return a.found.twin.provenance(); },
       "what the figures are based on, as text"},
      {"batch", [](const A& a) { return a.found.model ? a.found.estimator()->cost().batch : 0; },
       "batch size of the layers; 0 without a model"},
      {"ceilings", [](const A& a) { return a.report.ceilings; },
       "sources of the ceilings, one sentence each"}};
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
  record<Roof>(module, "Roof",
               "The roofs of a class of kernels in a power mode: the ceilings, which no kernel "
               "exceeds, and the roofs that kernels reach.",
               roof_fields());
  record<report::RooflineLayer>(module, "RooflineLayer",
                                "A layer under the roofs of the first power mode.",
                                roofline_layer_fields());
  auto made = answer_class<BoundRoofline>(
      module, "Roofline",
      "Roofs of power modes: a sequence of Roof, one per mode and class of kernels.",
      roofline_fields(), roof_fields());
  made.def_property_readonly(
      "origin", [](Self<BoundRoofline> self) { return self->found.origin; }, "origin of the roofs");
  made.def_property_readonly(
      "layers",
      [](Self<BoundRoofline> self) {
        py::list list;
        for (const auto& layer : self->report.layers) list.append(layer);
        return list;
      },
      "layers of the model in the first mode, a list of RooflineLayer in the order of execution");
  made.def_property_readonly(
      "time_parts",
      [](Self<BoundRoofline> self) {
        py::dict parts;
        for (const auto& part : self->report.parts) parts[py::str(part.name)] = part.time_s;
        return parts;
      },
      "parts of the minibatch time in the first mode: dict from name to time (s)");
  module.def("roofline", &roofline);
}

}  // namespace ridgewatt::python
