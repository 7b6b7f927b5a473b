# Every test has one label: `browser` (Chromium looks at a page), `board` (a fake board is set and measured in real
# time), `slow` (more than a second or so), else `fast`; `ctest -L fast` within 30 s on two cores. The lists name what
# is not fast, per room, as patterns of GoogleTest.
include(GoogleTest)
set(cli_browser "RooflineCommand.Page*Chromium:LayersCommand.Page*Chromium")
set(report_browser "*Chromium*:PageLayout.*")
set(cli_board "BoardCommand.*:StudyCommand.FakeBoard*:ModeCommand.Killed*:LoadbenchCommand.*:TuneCommand.Governors*:\
TuneCommand.AProfiledAnswer*:CampaignCli.*")
set(campaign_slow "Printed.*")
set(measure_board "Residency.*:Stalls.*:Sampler.ReadsAFakeBoard*:Profile.*:Measure.AnExternalMeter")
set(platform_board "FakeActivity.*:TegrastatsSource.FollowsAProgram")
set(cli_slow "*Tutorial*:*PrintedCommands.*:Hostile.*:EveryTable.*:Program.NumbersAre*:Program.NothingMayBe*:\
TuneCommand.EveryBoardBsp*:TuneCommand.WithoutAnAnswer*:ResultJson.*:JsonKeys.*:StudyPrograms.*:Workloads.*")
set(evaluate_slow "SharedSweeps.*")
set(monitor_board "Monitor.*:Metrics.OfAFakeBoard*:Metrics.Promtool*")
set(pipeline_slow "TwinJob.*")
set(predict_slow "AutoPredictor.ManySamples*")
set(schedule_slow "ExecutorTest.*:PlanSearch.EveryStrategy*")
set(serve_slow "Server.*")
set(store_slow "*ManyProcesses*:*SeveralBring*:*Postgresql*")
set(tune_slow "Tune.NoisyMeasurements*")
set(twin_slow "SharedSweeps.*:CalibrateTest.Parameters*")

function(ridgewatt_discover_tests room)
  set(rest "")
  foreach(label IN ITEMS browser board slow)
    if(DEFINED ${room}_${label})
      gtest_discover_tests(${room}_test TEST_FILTER "${${room}_${label}}" DISCOVERY_TIMEOUT 60
                           TEST_LIST ${room}_${label}_tests PROPERTIES TIMEOUT 600 LABELS ${label})
      string(APPEND rest ":${${room}_${label}}")
    endif()
  endforeach()
  string(REGEX REPLACE "^:" "-" rest "${rest}")
  gtest_discover_tests(${room}_test TEST_FILTER "${rest}" DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600 LABELS fast)
endfunction()
