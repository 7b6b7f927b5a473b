// Models, power modes, boards, and the cost of a model.
#include <algorithm>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/report/board_report.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::python {

using workload::DeployedWorkload;

const Fields<PowerMode>& power_mode_fields() {
  static const Fields<PowerMode> fields = {
      {"cpu_cores", [](const PowerMode& m) { return m.cpu_cores; },
       "number of online CPU cores; 0 if not set"},
      {"cpu_clock_hz", [](const PowerMode& m) { return m.cpu_clock_hz; },
       "CPU clock (Hz); 0 if not set"},
      {"gpu_clock_hz", [](const PowerMode& m) { return m.gpu_clock_hz; },
       "GPU clock (Hz); 0 if not set"},
      {"mem_clock_hz", [](const PowerMode& m) { return m.mem_clock_hz; },
       "memory clock (Hz); 0 if not set"},
      {"governor", [](const PowerMode& m) { return m.governor; },
       "name of a DVFS governor; empty if the clocks are fixed"}};
  return fields;
}

const Fields<RowOrigin>& origin_fields() {
  static const Fields<RowOrigin> fields = {
      {"workload", [](const RowOrigin& o) { return o.workload; }, "name of the model or program"},
      {"kind", [](const RowOrigin& o) { return o.kind; },
       "\"inference\", \"training\", or the name of a phase"},
      {"board", [](const RowOrigin& o) { return o.board; }, "name of the board; empty if unknown"},
      {"provenance", [](const RowOrigin& o) { return std::string(name_of(o.provenance)); },
       "measured, replayed, profiled, predicted, modelled or fake"},
      {"runtime",
       [](const RowOrigin& o) { return std::string(o.runtime ? name_of(*o.runtime) : ""); },
       "runtime of modelled rows; otherwise empty"},
      {"twin", [](const RowOrigin& o) { return o.twin; },
       "for modelled rows, \"fitted\" or \"scaled, not validated\"; otherwise empty"}};
  return fields;
}

workload::DeployOptions deploy_options(Arguments& asked) {
  workload::DeployOptions options;
  if (asked.flag("training")) options.kind = WorkloadKind::kTraining;
  options.precision = asked.choice<workload::Precision>("precision", "precision")
                          .value_or(workload::Precision::kFp32);
  options.runtime = asked.choice<Runtime>("runtime", "runtime").value_or(Runtime::kPytorchEager);
  if (options.kind != WorkloadKind::kTraining) {
    asked.refuse({"optimizer"}, "without training=True");
  }
  options.optimizer = asked.choice<workload::Optimizer>("optimizer", "optimizer")
                          .value_or(workload::Optimizer::kSgd);
  options.dims = asked.dims();
  return options;
}

std::shared_ptr<const DeployedWorkload> workload_of(Arguments& asked, const char* name) {
  const py::object given = asked.object(name);
  if (py::isinstance<DeployedWorkload>(given)) {
    asked.refuse({"training", "precision", "runtime", "optimizer", "dims"}, "with a Model",
                 "it was given when the Model was made");
    return given.cast<std::shared_ptr<DeployedWorkload>>();
  }
  const workload::DeployOptions options = deploy_options(asked);
  if (given.is_none()) return nullptr;
  const std::string path = read_text(name, given, true);
  return without_gil([&] { return std::make_shared<const DeployedWorkload>(path, options); });
}

void require_kind_of(const DeployedWorkload* workload, Sweep& rows) {
  if (workload == nullptr) return;
  if (!rows.kind_stated) rows.kind = name_of(workload->options().kind);
  const auto needed = find_name<WorkloadKind>(rows.kind);  // absent: a phase
  if (!needed || workload->options().kind == *needed) return;
  const bool training = *needed == WorkloadKind::kTraining;
  throw UsageError("the Model is for " + std::string(name_of(workload->options().kind)) +
                       ", but the rows are of " + rows.kind,
                   workload->name(),
                   std::string("make it with training=") + (training ? "True" : "False"));
}

std::string device_or_local(const std::string& device) {
  if (!device.empty()) return device;
  const auto board = platform::local_board(*platform::open_local_device("local").sysfs);
  if (!board) throw UsageError("no board given", "device=NAME", "ridgewatt.boards() lists them");
  return *board;
}

std::string joined_texts(Arguments& asked, const char* name) {
  std::string text;
  for (const auto& one : asked.texts(name)) text += (text.empty() ? "" : ",") + one;
  return text;
}

namespace {

PowerMode make_mode(const py::kwargs& given) {
  Arguments asked(given);
  PowerMode mode;
  mode.cpu_cores = asked.whole("cpu_cores", kCores, 0);
  mode.cpu_clock_hz = asked.quantity("cpu_clock_hz", kClock, 0);
  mode.gpu_clock_hz = asked.quantity("gpu_clock_hz", kClock, 0);
  mode.mem_clock_hz = asked.quantity("mem_clock_hz", kClock, 0);
  const py::object governor = asked.object("governor");
  const bool empty =
      governor.is_none() || (py::isinstance<py::str>(governor) && py::len(governor) == 0);
  if (!empty) mode.governor = read_text("governor", governor);
  asked.done();
  return mode;
}

void bind_mode(py::module_& module) {
  auto made = record<PowerMode>(
      module, "PowerMode",
      "PowerMode(*, cpu_cores=None, cpu_clock_hz=None, gpu_clock_hz=None, mem_clock_hz=None, "
      "governor=\"\")\n\nA power mode: values for the knobs of a board. A knob that is not set has "
      "the value 0. Raises UsageError for a value that is out of range.",
      power_mode_fields());
  made.def(py::init([](const py::kwargs& given) { return make_mode(given); }));
  made.def(py::pickle(
      [](Self<PowerMode> mode) {
        py::dict given;
        for (const auto& field : power_mode_fields()) {
          const py::object value =
              std::visit([&](auto get) { return value_to_python(get(*mode)); }, field.get);
          if (py::bool_(value)) given[py::str(field.name)] = value;
        }
        return given;
      },
      [](const py::dict& given) { return make_mode(py::reinterpret_borrow<py::kwargs>(given)); }));
  made.def("__str__", [](Self<PowerMode> mode) { return describe(*mode); });
  made.def("__eq__", [](Self<PowerMode> a, const py::object& b) -> py::object {
    if (!py::isinstance<PowerMode>(b)) {
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
    return py::bool_(*a == *held<PowerMode>(b));
  });
  made.def("__hash__", [](Self<PowerMode> mode) {
    return py::hash(py::make_tuple(mode->cpu_cores, mode->cpu_clock_hz, mode->gpu_clock_hz,
                                   mode->mem_clock_hz, mode->governor));
  });
}

const Fields<Preset>& preset_fields() {
  static const Fields<Preset> fields = {
      {"name", [](const Preset& p) { return p.name; },
       "name given by the vendor, such as \"MODE_30W\""},
      {"mode", [](const Preset& p) { return p.mode; }, "power mode of the preset"},
      {"sms", [](const Preset& p) { return p.sms; },
       "number of active streaming multiprocessors; 0 if unknown"}};
  return fields;
}

// A board with the name or path by which the caller named it.
struct NamedBoard {
  std::string asked;
  Board board;
};

const Fields<NamedBoard>& board_fields() {
  static const Fields<NamedBoard> fields = {
      {"name", [](const NamedBoard& b) { return b.board.name; }, "name, such as \"agx-orin\""},
      {"title", [](const NamedBoard& b) { return b.board.title; }, "full name of the product"},
      {"bsp", [](const NamedBoard& b) { return b.board.bsp; }, "selected board support package"},
      {"cpu_cores", [](const NamedBoard& b) { return b.board.cpu_cores; },
       "number of CPU cores of the board"},
      {"memory_bytes", [](const NamedBoard& b) { return b.board.memory_bytes; },
       "memory of the board (bytes)"}};
  return fields;
}

py::dict knobs_of(Self<NamedBoard> named) {
  const KnobSpace space = knob_space(named->board);
  py::dict knobs;
  for (std::size_t i = 0; i < kKnobs.size(); ++i) {
    const auto& levels = space.levels(kKnobs[i]);
    if (levels.empty()) continue;
    py::array_t<double> values(static_cast<py::ssize_t>(levels.size()));
    std::copy(levels.begin(), levels.end(), values.mutable_data());
    knobs[py::str(power_mode_fields()[i].name)] = values;
  }
  return knobs;
}

void bind_board(py::module_& module) {
  record<Preset>(module, "Preset", "A power mode that the vendor defines.", preset_fields());
  auto made = record<NamedBoard>(
      module, "Board",
      "Board(name)\n\nThe description of a board. `name` is one of boards(), optionally with a "
      "board support package (NAME@BSP), or the path of a board file. Raises NotFoundError if "
      "there is no such board, and InputError if the file is malformed.",
      board_fields());
  made.def(py::init([](const py::object& name) {
             const std::string text = read_text("name", name, true);
             return NamedBoard{text, load_board(text)};
           }),
           py::arg("name"));
  made.def(py::pickle([](Self<NamedBoard> board) { return py::make_tuple(board->asked); },
                      [](const py::tuple& state) {
                        const auto asked = state[0].cast<std::string>();
                        return NamedBoard{asked, load_board(asked)};
                      }));
  made.def_property_readonly(
      "presets", [](Self<NamedBoard> b) { return list_of(presets(b->board)); },
      "presets of the vendor, a list of Preset");
  made.def_property_readonly("knobs", &knobs_of,
                             "dict from the name of each knob in PowerMode to its possible values "
                             "(cores, Hz), an ascending float64 array");
  made.def(
      "modes",
      [](Self<NamedBoard> b, const py::object& select) {
        return list_of(select_modes(b->board, read_text("select", select)));
      },
      py::arg("select") = "all",
      "Returns power modes as a list of PowerMode. `select` is \"all\", \"presets\", \"maxn\", or "
      "names of presets separated by commas, one mode (\"cores=8,gpu=624.75\"), or the path of a "
      "CSV file of modes.");
  made.def(
      "to_dict", [](Self<NamedBoard> b) { return to_python(report::board_to_json(b->board)); },
      "Returns the whole description as a dict, each number with its source. `ridgewatt device "
      "show` prints the same as JSON.");
}

struct Layer {
  std::string name, op, domain;
  double count = 1;
  workload::NodeCost cost;
};
// The analysis points into the model, so objects of this class may not be moved.
struct Analyzed : answer::AnalyzeAnswer {
  explicit Analyzed(const answer::AnalyzeQuestion& question) : AnalyzeAnswer(question) {
    for (std::size_t i = 0; i < analysis.nodes.size(); ++i) {
      const workload::Step& step = analysis.plan.steps[i];
      rows.push_back({step.node->name, step.node->op, step.node->domain,
                      static_cast<double>(step.count), analysis.nodes[i]});
    }
  }
  std::vector<Layer> rows;
  std::string_view command_name() const { return answer::analyze_parameters().command; }
  Json json() const { return report::analysis_json(model, analysis, options).whole(); }
  std::vector<std::string> remarks() const { return analysis.workload.caveats.lines(); }
};

const Fields<Layer>& layer_fields() {
  static const Fields<Layer> fields = {
      {"name", [](const Layer& l) { return l.name; }, "name of the node"},
      {"op", [](const Layer& l) { return l.op; }, "operator, such as \"Conv\""},
      {"domain", [](const Layer& l) { return l.domain; },
       "domain of the operator; empty for ai.onnx"},
      {"count", [](const Layer& l) { return l.count; }, "number of executions per minibatch"},
      {"macs", [](const Layer& l) { return l.cost.macs; }, "multiply-accumulates per minibatch"},
      {"flops", [](const Layer& l) { return l.cost.flops; },
       "floating-point operations per minibatch, by the given counting convention"},
      {"int_ops", [](const Layer& l) { return l.cost.int_ops; },
       "integer operations per minibatch"},
      {"bytes_read", [](const Layer& l) { return l.cost.read_bytes; },
       "bytes read from memory per minibatch"},
      {"bytes_written", [](const Layer& l) { return l.cost.write_bytes; },
       "bytes written to memory per minibatch"}};
  return fields;
}

const Fields<Analyzed>& analysis_fields() {
  static const Fields<Analyzed> fields = {
      {"model", [](const Analyzed& a) { return a.model.name; }, "name of the model"},
      {"kind", [](const Analyzed& a) { return std::string(name_of(a.analysis.workload.kind)); },
       "\"inference\" or \"training\""},
      {"batch", [](const Analyzed& a) { return std::int64_t{a.analysis.shapes.batch}; },
       "samples per minibatch"},
      {"precision",
       [](const Analyzed& a) { return std::string(name_of(a.analysis.workload.precision)); },
       "precision of the computation"},
      {"macs", [](const Analyzed& a) { return a.analysis.macs; },
       "multiply-accumulates per minibatch"},
      {"flops", [](const Analyzed& a) { return a.analysis.flops; },
       "floating-point operations per minibatch, by the given counting convention"},
      {"int_ops", [](const Analyzed& a) { return a.analysis.int_ops; },
       "integer operations per minibatch"},
      {"bytes", [](const Analyzed& a) { return a.analysis.bytes(); },
       "memory traffic per minibatch (bytes)"},
      {"bytes_read", [](const Analyzed& a) { return a.analysis.read_bytes; },
       "part of the memory traffic that is read (bytes)"},
      {"bytes_written", [](const Analyzed& a) { return a.analysis.write_bytes; },
       "part of the memory traffic that is written (bytes)"},
      {"parameters", [](const Analyzed& a) { return a.analysis.parameter_count; },
       "number of parameters"},
      {"parameter_bytes", [](const Analyzed& a) { return a.analysis.parameter_bytes; },
       "size of the parameters (bytes)"},
      {"arithmetic_intensity", [](const Analyzed& a) { return a.analysis.arithmetic_intensity(); },
       "floating-point operations per byte of memory traffic"},
      {"peak_memory_bytes", [](const Analyzed& a) { return a.analysis.peak_memory_bytes; },
       "peak memory: the parameters and the largest set of activations that are needed at the same "
       "time (bytes)"},
      {"kernels", [](const Analyzed& a) { return a.analysis.kernels; },
       "number of kernels that are launched per minibatch"},
      {"provenance", [](const Analyzed&) { return std::string("counted"); },
       "always \"counted\", because only the graph is used"},
      {"caveats", [](const Analyzed& a) { return a.analysis.workload.caveats.lines(); },
       "costs that are not counted, and assumptions, one sentence each"}};
  return fields;
}

std::shared_ptr<Analyzed> analyze(const py::kwargs& given) {
  Arguments asked(given);
  answer::AnalyzeQuestion question;
  fill(asked, answer::analyze_parameters(), &question);
  const py::object model = asked.object("model");
  if (py::isinstance<DeployedWorkload>(model)) {
    asked.refuse({"training", "precision", "optimizer", "dims"}, "with a Model",
                 "it was given when the Model was made");
    const auto deployed = model.cast<std::shared_ptr<DeployedWorkload>>();
    question.model = deployed->name();
    question.cost.kind = deployed->options().kind;
    question.cost.precision = deployed->options().precision;
    question.cost.optimizer = deployed->options().optimizer;
    question.cost.dims = deployed->options().dims;
  }
  if (question.cost.runtime) asked.refuse({"traffic"}, "with a runtime");
  const py::object progress = asked.progress();
  asked.done();
  return without_gil([&] { return std::make_shared<Analyzed>(question); }, progress);
}

const Fields<DeployedWorkload>& model_fields() {
  static const Fields<DeployedWorkload> fields = {
      {"name", [](const DeployedWorkload& m) { return m.name(); }, "name or path, as given"},
      {"training",
       [](const DeployedWorkload& m) { return m.options().kind == WorkloadKind::kTraining; },
       "True for a training step, False for inference"},
      {"precision",
       [](const DeployedWorkload& m) { return std::string(name_of(m.options().precision)); },
       "precision of the computation"},
      {"runtime",
       [](const DeployedWorkload& m) { return std::string(name_of(m.options().runtime)); },
       "runtime that runs the model"},
      {"optimizer",
       [](const DeployedWorkload& m) { return std::string(name_of(m.options().optimizer)); },
       "optimizer of a training step"}};
  return fields;
}

void bind_model(py::module_& module) {
  auto made = record<DeployedWorkload>(
      module, "Model",
      "Model(model, *, training=False, precision=\"fp32\", runtime=\"pytorch-eager\", "
      "optimizer=\"sgd\", dims=None)\n\nA model together with the way it is run. `model` is an "
      "ONNX file or zoo:NAME. `dims` gives the sizes of symbolic axes by name, such as {\"image\": "
      "320}. The file is read once and the cost of each batch size is computed once, so further "
      "questions about the same Model are fast. Raises NotFoundError if there is no such file or "
      "zoo model, InputError if the file is malformed, and UsageError if an argument is wrong.",
      model_fields());
  made.def(py::init([](const py::object& model, const py::kwargs& given) {
             Arguments asked(given);
             const workload::DeployOptions options = deploy_options(asked);
             asked.done();
             const std::string path = read_text("model", model, true);
             return without_gil([&] { return std::make_shared<DeployedWorkload>(path, options); });
           }),
           py::arg("model"));
  made.def(py::pickle(
      [](const py::object& self) {
        const workload::DeployOptions& options = held<DeployedWorkload>(self)->options();
        py::dict given;
        for (const char* name : {"training", "precision", "runtime", "dims"}) {
          given[name] = self.attr(name);
        }
        if (options.kind == WorkloadKind::kTraining) given["optimizer"] = self.attr("optimizer");
        return py::make_tuple(self.attr("name"), given);
      },
      [](const py::tuple& state) {
        Arguments asked(py::reinterpret_borrow<py::kwargs>(state[1]));
        const workload::DeployOptions options = deploy_options(asked);
        return std::make_shared<DeployedWorkload>(state[0].cast<std::string>(), options);
      }));
  made.def_property_readonly(
      "dims",
      [](Self<DeployedWorkload> m) {
        py::dict dims;
        for (const auto& [name, extent] : m->options().dims) dims[py::str(name)] = extent;
        return dims;
      },
      "sizes of the symbolic axes, by name");
}

}  // namespace

std::string device_of(Arguments& asked) {
  const py::object given = asked.object("device");
  if (given.is_none()) return "";
  if (py::isinstance<NamedBoard>(given)) return held<NamedBoard>(given)->asked;
  return read_text("device", given, true);
}

void bind_models(py::module_& module) {
  bind_mode(module);
  record<RowOrigin>(module, "Origin", "The origin of the rows of an answer.", origin_fields())
      .def("__str__", [](Self<RowOrigin> origin) { return describe(*origin); });
  bind_board(module);
  module.def(
      "boards", [] { return list_of(list_boards()); },
      "Returns the names of the built-in boards, sorted.");
  module.def(
      "zoo",
      [] {
        std::vector<std::string> names;
        for (const auto& entry : workload::zoo()) names.push_back("zoo:" + std::string(entry.name));
        return list_of(names);
      },
      "Returns the names of the built-in models, as \"zoo:NAME\".");
  bind_model(module);
  record<Layer>(module, "Layer", "Cost of one node of a model.", layer_fields());
  answer_class<Analyzed>(module, "Analysis",
                         "Cost of a model: a sequence of Layer, one per executed node.",
                         analysis_fields(), layer_fields());
  module.def("analyze", &analyze);
}

}  // namespace ridgewatt::python
