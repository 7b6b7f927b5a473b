// Tests the meaning of keys, question by question, and the log of throttling.
#include "ridgewatt/screen/dialog.h"

#include <gtest/gtest.h>

namespace ridgewatt::screen {
namespace {

const ModeDesk kDesk{{"MAXN", "MODE_15W", "MODE_30W"}, "", false, ""};

Command type(Dialog& dialog, const std::string& text, const ModeDesk& desk = kDesk) {
  Command command;
  for (const char c : text)
    command = dialog.press({Key::kCharacter, std::string(1, c)}, desk, false);
  return command;
}

TEST(Dialog, PlainKeys) {
  Dialog dialog;
  EXPECT_EQ(type(dialog, "q").action, Action::kQuit);
  EXPECT_EQ(type(dialog, " ").action, Action::kMark);
  EXPECT_EQ(type(dialog, "p").action, Action::kPause);
  EXPECT_EQ(type(dialog, "t").action, Action::kNextView);
  EXPECT_EQ(type(dialog, "+").action, Action::kFaster);
  EXPECT_EQ(type(dialog, "-").action, Action::kSlower);
  EXPECT_EQ(type(dialog, "x").action, Action::kNone);
  EXPECT_EQ(type(dialog, "r").action, Action::kNone);  // no mode is held
  ModeDesk held = kDesk;
  held.holding = true;
  EXPECT_EQ(type(dialog, "r", held).action, Action::kRestore);
}

TEST(Dialog, APresetIsChosenAndAskedFor) {
  Dialog dialog;
  type(dialog, "m");
  EXPECT_EQ(dialog.page(), Dialog::Page::kMode);
  for (int i = 0; i < 9; ++i) dialog.press({Key::kDown}, kDesk, false);
  EXPECT_EQ(dialog.chosen(), 2u);
  dialog.press({Key::kUp}, kDesk, false);
  EXPECT_EQ(dialog.press({Key::kEnter}, kDesk, false).action, Action::kNone);
  EXPECT_EQ(dialog.page(), Dialog::Page::kConfirm);
  EXPECT_EQ(dialog.input(), "MODE_15W");
  const Command yes = type(dialog, "y");
  EXPECT_EQ(yes.action, Action::kSetMode);
  EXPECT_EQ(yes.text, "MODE_15W");
  EXPECT_EQ(dialog.page(), Dialog::Page::kNone);
}

// Only "y" sets the mode; every other key cancels.
TEST(Dialog, ATypedModeIsSetOnlyByYes) {
  for (const std::string answer : {"n", "q", " ", "x"}) {
    Dialog dialog;
    type(dialog, "mcores=4,gpuu");
    dialog.press({Key::kBackspace}, kDesk, false);
    type(dialog, "=612");
    dialog.press({Key::kEnter}, kDesk, false);
    EXPECT_EQ(dialog.input(), "cores=4,gpu=612");
    EXPECT_EQ(type(dialog, answer).action, Action::kNone);
    EXPECT_EQ(dialog.page(), Dialog::Page::kNone);
  }
}

TEST(Dialog, WithoutRightsNoModeIsAskedFor) {
  Dialog dialog;
  ModeDesk desk = kDesk;
  desk.refusal = "read-only";
  type(dialog, "m", desk);
  dialog.press({Key::kEnter}, desk, false);
  EXPECT_EQ(type(dialog, "y", desk).action, Action::kNone);
  EXPECT_EQ(dialog.page(), Dialog::Page::kNone);
}

TEST(Dialog, WindowsBeginWithANameAndEnd) {
  Dialog dialog;
  type(dialog, "wepoch q");  // q is a letter here
  const Command begin = dialog.press({Key::kEnter}, kDesk, false);
  EXPECT_EQ(begin.action, Action::kBeginWindow);
  EXPECT_EQ(begin.text, "epoch q");
  EXPECT_EQ(dialog.press({Key::kCharacter, "w"}, kDesk, true).action, Action::kEndWindow);
  type(dialog, "w");
  EXPECT_EQ(dialog.press({Key::kEscape}, kDesk, false).action, Action::kNone);
  EXPECT_EQ(dialog.page(), Dialog::Page::kNone);
  type(dialog, "w");
  EXPECT_EQ(dialog.press({Key::kEnter}, kDesk, false).text, "window");
}

TEST(Dialog, BackspaceTakesWholeCharactersAndInputIsBounded) {
  Dialog dialog;
  type(dialog, "w");
  dialog.press({Key::kCharacter, "é"}, kDesk, false);
  dialog.press({Key::kBackspace}, kDesk, false);
  dialog.press({Key::kBackspace}, kDesk, false);
  EXPECT_EQ(dialog.input(), "");
  type(dialog, std::string(10000, 'x'));
  EXPECT_EQ(dialog.input().size(), 200u);
}

monitor::Snapshot look(double time_s, std::int64_t counter, std::int64_t state) {
  monitor::Snapshot now;
  now.time_s = time_s;
  using Kind = platform::ThrottleSignal::Kind;
  now.machine.snapshot.throttling = {{"oc1", Kind::kOverCurrent, counter, true},
                                     {"cpu-throttle-alert", Kind::kThermal, state, false}};
  return now;
}

TEST(ThrottleLog, TellsSinceWhenAndHowOften) {
  ThrottleLog log;
  log.look(look(0, 7, 0));  // events before the first look do not count
  EXPECT_TRUE(log.entries().empty());
  log.look(look(1, 7, 1));
  log.look(look(2, 9, 1));
  ASSERT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.entries()[0].what, "thermal: cpu-throttle-alert");
  EXPECT_EQ(log.entries()[0].since_s, 1);
  EXPECT_EQ(log.entries()[0].times, 1);
  EXPECT_EQ(log.entries()[1].what, "over-current: oc1");
  EXPECT_EQ(log.entries()[1].times, 2);
  log.look(look(3, 9, 0));
  EXPECT_FALSE(log.entries()[0].active);
  EXPECT_FALSE(log.entries()[1].active);
  EXPECT_EQ(log.entries()[0].last_s, 2);
  log.look(look(4, 9, 2));
  EXPECT_EQ(log.entries()[0].since_s, 4);
  EXPECT_EQ(log.entries()[0].times, 2);
}

TEST(ThrottleLog, WhatIsActiveAtFirstIsSaid) {
  ThrottleLog log;
  log.look(look(5, 7, 1));
  ASSERT_EQ(log.entries().size(), 1u);
  EXPECT_TRUE(log.entries()[0].active);
}

}  // namespace
}  // namespace ridgewatt::screen
