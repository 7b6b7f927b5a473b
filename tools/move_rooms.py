#!/usr/bin/env python3
"""Moves files of ridgewatt/ into rooms and alcoves as MAP says and mends every include of them.
Run in a checkout: what is not there is skipped."""
import fnmatch
import pathlib
import re
import subprocess

# New folder: (old folder, stems; a stem may name its suffix: "figure.cc").
MAP = [
    ("io", "base", "csv csv_reader csv_reader_test embedded file json toml"),
    ("workload/onnx", "workload", "external_data mapped_file onnx_fuzz onnx_record onnx_tensor onnx.proto wire"),
    ("workload/infer", "workload", "attention_lengths bind_symbols clone_body extent_names generation infer.cc "
     "infer_context interpreter op_registry rebatch topological_order"),
    ("workload/ops", "workload", "einsum elementwise_scalars matmul_shape ops_* sliding_window"),
    ("workload/cost", "workload", "cost_rule.cc cost_rules cost_rules_* cost_terms execution_plan.cc explain "
     "kernel_fusion.cc pagoda_convention quantized_graph traffic.cc training_cost.cc training_cost_test element_widths.cc"),
    ("workload/zoo", "workload", "graph_builder.cc zoo_*"),
    ("twin", "roofline", "calibrate.h calibration_runs.h estimate estimate_error estimate_error_test "
     "estimate_test feed memory_footprint memory_footprint_test precision_test published_runs.h twin twin_model "
     "error_calibration.h twin_fit.h twin_home.h twin_roofline twin_roofline_test twin_score.h"),
    ("twin", "platform", "twin_profiler"),
    ("twin/fit", "roofline", "calibrate.cc calibrate_test calibration_runs.cc eager_kernels error_calibration.cc governor governor_test kernel_terms published_runs.cc twin_fit.cc "
     "twin_home.cc twin_score.cc"),
    ("sweep", "platform", "replay replay_test"),
    ("platform/jetson", "platform", "jetson_identity.cc jetson_layout.cc jetson_power.cc jetson_sensors.cc "
     "jetson_sensors_test nvpmodel_conf.cc nvpmodel_conf_* tegrastats.cc tegrastats_fuzz tegrastats_source "
     "tegrastats_test tegrastats_tokens"),
    ("platform/modes", "platform", "mode_control_test mode_guardian.cc mode_guardian_test mode_journal.cc mode_journal_fuzz "
     "mode_settings.cc mode_translate"),
    ("platform/discrete", "platform", "nvml.cc rapl.cc"),
    ("platform/fake", "platform", "example_sweep.cc example_sweep_test fake_board.cc fake_board_specs fake_load.cc "
     "fake_load_test fake_sysfs.cc"),
    ("predict/few_shot", "predict", "design.cc design_test few_shot_* features.cc gaussian_process gaussian_process_test "
     "local_process minimize neighbourhoods semiparametric stage_model"),
    ("predict/baselines", "predict", "baselines_test linear_predictor mlp.cc mlp_kernels nn_predictor.cc "
     "tree_predictor"),
    ("tune/strategies", "tune", "acquisition.cc als answer.cc auto baselines gmd ogd thompson"),
    ("tune/surrogate", "tune", "structure_prior.cc surrogate.cc"),
    ("schedule/search", "schedule", "clairvoyant plan_search_* training_bound training_bound_test"),
    ("schedule/executor", "schedule", "executor_test protocol.cc protocol_fuzz protocol_test "
     "worker_link.cc worker_socket.cc"),
    ("schedule/dynamic", "schedule", "plan_book.cc plan_book_test"),
    ("measure/sampling", "measure", "energy.cc machine_series.cc marked_command marks.cc power_trace.cc quiet_thread "
     "sampler_test window.cc window_test"),
    ("measure/kernels", "measure", "microbench_cuda vector_kernels*"),
    ("evaluate", "predict", "evaluation=predictor_scores"),
    ("evaluate", "tune", "strategy_evaluation=strategy_scores strategy_suite"),
    ("evaluate", "schedule", "evaluation=schedule_scores"),
    ("evaluate", "roofline", "findings=twin_findings"),
    ("evaluate", "pipeline", "published_pipeline"),
    ("report/chart", "report", "axis contour echarts figure.cc figure_data figure_test layout_test svg.cc svg_* violin"),
    ("report/page", "report", "caveats_json.cc energy_figures html_report.cc html_report_test job_text.cc json_fields result_json result_report.cc "
     "result_report_test result_sections table.cc table_heading table_test terminal_table"),
    ("report/model", "report", "analysis_report.cc analysis_report_test layer_sums.cc layer_sums_test "
     "operators_report"),
    ("report/board", "report", "board_report.cc board_report_test calibrate_report.cc limit_report.cc mode_json.cc measure_report.cc "
     "mode_report.cc sensors_report.cc tegrastats_json.cc twin_report.cc"),
    ("report/answer", "report", "estimate_report.cc origin_columns.cc origin_columns_test "
     "prediction_report.cc predictor_figures.cc roofline_report.cc roofline_report_test schedule_figures.cc "
     "schedule_figures_test strategy_figures.cc study_report.cc study_report_test tune_report.cc tune_report_test "
     "tune_text"),
    ("cli/options", "cli", "board_option device_options mode_text option_rules predict_options profile_options "
     "tune_options vocabulary vocabulary_test workload_options"),
    ("cli/help", "cli", "cmd_help complete reference"),
    ("cli/model", "cli", "cmd_analyze cmd_zoo"),
    ("cli/board", "cli", "board_cli_test cmd_calibrate cmd_compare cmd_device cmd_fake_run cmd_measure "
     "cmd_microbench cmd_mode cmd_profile cmd_sensors fake_workload"),
    ("cli/answer", "cli", "cmd_estimate cmd_pareto cmd_predict cmd_roofline cmd_tune estimate_cli_test "
     "predict_cli_test tune_cli_test tune_command tune_live tune_samples tune_sweep tune_twin"),
    ("cli/schedule", "cli", "cmd_schedule cmd_schedule_* schedule_commands schedule_options"),
    ("cli/pipeline", "cli", "cmd_loadbench cmd_pipeline"),
    ("cli/data", "cli", "cmd_report cmd_store cmd_sweep"),
    ("cli/laboratory", "cli", "cmd_evaluate cmd_evaluate_* cmd_study evaluate_commands"),
]
TEXT = (".h", ".cc", ".md", ".txt", ".cmake", ".py", ".in", ".c", ".sh", ".proto", ".json")


def main() -> None:
    root = pathlib.Path.cwd() / "ridgewatt"
    moved = {}
    for new, old, words in MAP:
        for word in words.split():
            pattern, _, renamed = word.partition("=")
            for path in sorted((root / old).glob("*")):
                name = path.name if "." in pattern else path.name.split(".")[0]
                if path.is_file() and fnmatch.fnmatch(name, pattern):
                    target = renamed + path.suffix if renamed else path.name
                    moved[f"{old}/{path.name}"] = f"{new}/{target}"
    for old, new in moved.items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "mv", f"ridgewatt/{old}", f"ridgewatt/{new}"], check=True)
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    for name in tracked:
        if name.endswith(TEXT) and name != "tools/move_rooms.py":
            path = pathlib.Path(name)
            text = path.read_text()
            mended = re.sub(r"\b[a-z_]+/\w+\.(?:h|cc|c|proto)\b", lambda m: moved.get(m[0], m[0]), text)
            if mended != text:
                path.write_text(mended)
    print(len(moved), "files moved")


main()
