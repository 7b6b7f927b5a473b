// Tests the conversion of parameters to command lines: no value becomes an option, a file or
// another command.
#include "ridgewatt/serve/ask/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/serve/ask/child.h"

namespace ridgewatt::serve {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Question ask(const std::string& path, const std::string& query, const QuestionPlaces& places = {}) {
  return make_question(*find_endpoint(path), parse_query(query), places);
}

std::string refusal(const std::string& path, const std::string& query) {
  try {
    ask(path, query);
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.what();
  }
  return "";
}

TEST(Question, IsTheCommandLineThatOneWouldType) {
  const auto question =
      ask("estimate", "model=zoo:resnet50&device=agx-orin&modes=maxn&batch=1&batch=16");
  EXPECT_THAT(question.words,
              ElementsAre("estimate", "zoo:resnet50", "--batch", "1", "--batch", "16", "--device",
                          "agx-orin", "--modes", "maxn", "--format", "json"));
  EXPECT_EQ(question.shown(),
            "ridgewatt estimate zoo:resnet50 --batch 1 --batch 16 --device agx-orin --modes maxn "
            "--format "
            "json");
}

TEST(Question, AColumnIsSortedFromLargeToSmallAsOnTheCommandLine) {
  const auto question = ask("devices", "sort=-sms&format=csv");
  EXPECT_THAT(question.words, Contains("--sort=-sms"));
  EXPECT_THAT(ask("devices", "sort=sms:desc&format=csv").words, Contains("sms:desc"));
  // The text remains the value of --sort.
  EXPECT_THAT(ask("devices", "sort=--output=x").words, Contains("--sort=--output=x"));
  EXPECT_THAT(refusal("devices", "columns=-sms"), HasSubstr("does not begin with '-'"));
}

TEST(Question, AModeAsTextIsOneWord) {
  const auto question =
      ask("roofline",
          "model=zoo:resnet50&device=agx-orin&modes=cores=12,cpu=2201.6,gpu=1300.5,mem=3199");
  EXPECT_THAT(question.words, ::testing::Contains("cores=12,cpu=2201.6,gpu=1300.5,mem=3199"));
}

TEST(Question, NoFileOfTheServerIsNamed) {
  for (const char* value :
       {"/etc/passwd", "../board.toml", "board.toml", "modes.csv", "./maxn", "C:%5Cmodes", "a/b"}) {
    const std::string text = value;
    EXPECT_NE(refusal("estimate", "model=" + text + "&device=agx-orin"), "") << text;
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=" + text), "") << text;
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=agx-orin&modes=" + text), "") << text;
    EXPECT_NE(refusal("tune", "sweep=" + text), "") << text;
    EXPECT_NE(refusal("schedule/plan", "inference-sweep=" + text), "") << text;
    EXPECT_NE(refusal("schedule/simulate", "arrivals=" + text), "") << text;
    EXPECT_NE(refusal("runs", "store=" + text), "") << text;
  }
}

TEST(Question, ARuntimeMayHaveADotAndIsNoFile) {
  const std::string whole = "model=zoo:llama-3.2-1b&device=agx-orin&runtime=";
  EXPECT_THAT(ask("llm", whole + "llama.cpp,vllm").words, ::testing::Contains("llama.cpp,vllm"));
  for (const char* value : {"/etc/passwd", "../llama.cpp", "a/b.c", "x%5Cy.z"}) {
    EXPECT_NE(refusal("llm", whole + value), "") << value;
  }
  EXPECT_THAT(ask("tune/llm", whole + "vllm&phases=1&max-ttft=500").words,
              ElementsAre("tune", "llm", "zoo:llama-3.2-1b", "--device", "agx-orin", "--runtime",
                          "vllm", "--max-ttft", "500", "--phases", "--format", "json"));
}

TEST(Question, ThisMachineIsNotAsked) {
  for (const char* device : {"local", "fake:agx-orin", "replay:x"}) {
    EXPECT_NE(refusal("tune", std::string("model=zoo:resnet50&device=") + device), "") << device;
    EXPECT_NE(refusal("roofline", std::string("model=zoo:resnet50&device=") + device), "");
  }
  EXPECT_THAT(refusal("tune", "model=zoo:resnet50"), HasSubstr("device: is required"));
  EXPECT_THAT(refusal("estimate", "model=zoo:resnet50"), HasSubstr("device: is required"));
}

TEST(Question, AnUnknownBoardIsNotSaidToBeAFile) {
  for (const char* path : {"estimate", "fits", "tune"}) {
    const std::string none = refusal(path, "model=zoo:resnet50&device=nosuch");
    EXPECT_THAT(none, HasSubstr("there is no board 'nosuch': choose one of a")) << path;
    EXPECT_EQ(none.find("file"), std::string::npos) << none;
    EXPECT_THAT(refusal(path, "model=zoo:resnet50&device=agx-orinn"), HasSubstr("mean agx-orin?"));
  }
}

TEST(Question, NoValueBecomesAnOption) {
  for (const char* value : {"-o", "--output=x", "-", "--store"}) {
    const std::string text = value;
    EXPECT_NE(refusal("estimate", "model=" + text + "&device=agx-orin"), "") << text;
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=" + text), "") << text;
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=agx-orin&modes=" + text), "");
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=agx-orin&dim=" + text), "");
    EXPECT_NE(refusal("estimate", "model=zoo:resnet50&device=agx-orin&batch=" + text), "");
  }
}

TEST(Question, UnknownAndRepeatedParametersAreRefused) {
  const std::string whole = "model=zoo:resnet50&device=agx-orin";
  for (const char* more : {"&output=x", "&figures-file=x", "&store=0", "&sysroot=/", "&o=x",
                           "&quiet=1", "&inputs=x", "&tegrastats=x"}) {
    EXPECT_THAT(refusal("estimate", whole + more), HasSubstr("no such parameter")) << more;
  }
  EXPECT_THAT(refusal("estimate", whole + "&precisoin=fp16"), HasSubstr("did you mean precision?"));
  EXPECT_THAT(refusal("estimate", whole + "&fp16=1"), HasSubstr("did you mean precision=fp16?"));
  EXPECT_THAT(refusal("estimate", whole + "&board=agx-orin"), HasSubstr("did you mean device?"));
  EXPECT_THAT(refusal("estimate", whole + "&device=agx-orin"), HasSubstr("more than once"));
  EXPECT_THAT(refusal("estimate", whole + "&format=json&format=csv"), HasSubstr("more than once"));
  EXPECT_NE(refusal("estimate", whole + "&format=table"), "");
  EXPECT_NE(refusal("estimate", whole + "&training=yes"), "");
}

TEST(Question, UploadsAreDescriptorsInTheirOrder) {
  Uploads uploads;
  const auto first = uploads.add("a"), second = uploads.add("b");
  QuestionPlaces places;
  places.upload = [&](const std::string& id) { return uploads.find(id); };
  const auto question =
      ask("schedule/plan",
          "inference-sweep=upload:" + first->id + "&training-sweep=upload:" + second->id +
              "&training-sweep=upload:" + first->id,
          places);
  EXPECT_THAT(question.words,
              ElementsAre("schedule", "plan", "--inference-sweep", "/dev/fd/3", "--training-sweep",
                          "/dev/fd/4", "--training-sweep", "/dev/fd/3", "--format", "json"));
  EXPECT_THAT(question.shown(), HasSubstr("--inference-sweep upload:" + first->id));
  try {
    ask("tune", "sweep=upload:0123", places);
    FAIL();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 404);
  }
}

// A pasted command runs in the folder of the file. Only the id distinguishes questions.
TEST(Question, AnUploadIsShownByItsFilesName) {
  Uploads uploads;
  QuestionPlaces places;
  places.upload = [&](const std::string& id) { return uploads.find(id); };
  const std::pair<const char*, const char*> cases[] = {
      {"lenet.onnx", "ridgewatt analyze lenet.onnx --format json"},
      {"my model.onnx", "ridgewatt analyze 'my model.onnx' --format json"},
      {"it's.onnx", "ridgewatt analyze 'it'\\''s.onnx' --format json"},
      {"$(reboot).onnx", "ridgewatt analyze '$(reboot).onnx' --format json"},
      {"--help", "ridgewatt analyze ./--help --format json"}};
  for (const auto& [name, command] : cases) {
    const auto upload = uploads.add("bytes", name);
    const auto question = ask("analyze", "model=upload:" + upload->id, places);
    EXPECT_EQ(question.shown(), command);
    EXPECT_THAT(question.typed, Contains("upload:" + upload->id));
  }
  EXPECT_EQ(uploads.add("a", "a\"b,c\\d<e>.onnx")->label(), "a_b_c_d_e_.onnx");
  EXPECT_THROW(uploads.add("a", "folder/model.onnx"), HttpError);
  EXPECT_THROW(uploads.add("a", std::string(256, 'a')), HttpError);
}

TEST(Question, AStoreIsOneOfTheServers) {
  QuestionPlaces places;
  places.stores = {"/home/a.db", "/home/b.db"};
  EXPECT_THAT(ask("runs", "store=1", places).words,
              ElementsAre("store", "list", "/home/b.db", "--format", "json"));
  EXPECT_THROW(ask("runs", "store=2", places), HttpError);
}

TEST(Question, WithoutStoresTheErrorNamesTheOption) {
  try {
    ask("runs", "store=0", QuestionPlaces());
    ADD_FAILURE();
  } catch (const HttpError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the server was started without --store"));
  }
}

// Every parameter of the table must be an option of the program that does not name a file, unless
// an upload replaces the file.
TEST(Endpoints, AreOptionsOfTheProgram) {
  const auto help =
      ask_child({(testing::build_folder() / "ridgewatt").string(), "help", "--format", "json"}, {},
                {}, [] { return true; });
  const Json commands = Json::parse(help.output);
  const std::function<const Json*(const Json&, const std::string&)> find =
      [&](const Json& command, const std::string& name) -> const Json* {
    if (command.at("name") == name) return &command;
    for (const auto& inner : command.at("commands")) {
      if (const Json* found = find(inner, name)) return found;
    }
    return nullptr;
  };
  for (const auto& endpoint : endpoints()) {
    const Json* command = find(commands, "ridgewatt " + std::string(endpoint.command));
    ASSERT_NE(command, nullptr) << endpoint.command;
    for (const auto& option : endpoint.options) {
      const std::string name = option.positional.empty() ? "--" + std::string(option.name)
                                                         : std::string(option.positional);
      const auto& options = command->at("options");
      const auto found = std::find_if(options.begin(), options.end(), [&](const Json& entry) {
        return std::find(entry.at("names").begin(), entry.at("names").end(), name) !=
               entry.at("names").end();
      });
      ASSERT_NE(found, options.end()) << endpoint.path << " " << name;
      const bool from_client = option.kind != ValueKind::kUpload &&
                               option.kind != ValueKind::kModel &&  // zoo:NAME or an upload
                               option.kind != ValueKind::kStore;
      if (from_client) {
        EXPECT_NE(found->at("kind"), "input") << endpoint.path << " " << name;
        EXPECT_NE(found->at("kind"), "output") << endpoint.path << " " << name;
      }
      EXPECT_EQ(option.kind == ValueKind::kFlag, found->at("kind") == "flag") << name;
      EXPECT_EQ(option.kind == ValueKind::kNumber, found->at("kind") == "number")
          << endpoint.path << " " << name;
      if (option.positional.empty()) {
        EXPECT_EQ(option.several, found->at("repeats").get<bool>()) << endpoint.path << " " << name;
      }
    }
  }
}

TEST(Uploads, AreBoundedInSizeAndNumber) {
  Uploads uploads({.each_bytes = 10, .all_bytes = 25, .number = 3});
  EXPECT_THROW(uploads.add(std::string(11, 'a')), HttpError);
  EXPECT_THROW(uploads.add(""), HttpError);
  const auto first = uploads.add(std::string(10, 'a'));
  const auto second = uploads.add(std::string(10, 'b'));
  EXPECT_NE(uploads.find(first->id), nullptr);  // now the second upload was used least recently
  uploads.add(std::string(10, 'c'));
  EXPECT_EQ(uploads.find(second->id), nullptr);
  EXPECT_NE(uploads.find(first->id), nullptr);
  EXPECT_EQ(uploads.bytes(), 20U);
  EXPECT_EQ(first->id.size(), 32U);
}

TEST(Uploads, CannotBeChangedByWhoReadsThem) {
  Uploads uploads;
  const auto upload = uploads.add("bytes");
  EXPECT_EQ(::write(upload->fd.get(), "x", 1), -1);
  EXPECT_EQ(::ftruncate(upload->fd.get(), 0), -1);
}

TEST(Child, EndsWithItsTimeItsOutputAndItsClient) {
  const auto run = [](const char* script, const ChildLimits& limits, bool wanted) {
    return ask_child({"/bin/sh", "-c", script}, {}, limits, [=] { return wanted; });
  };
  EXPECT_EQ(run("sleep 60", {.time_s = 0.1}, true).end, ChildEnd::kTooLate);
  EXPECT_EQ(run("sleep 60", {}, false).end, ChildEnd::kUnwanted);
  EXPECT_EQ(run("while :; do echo aaaaaaaaaaaa; done", {.output_bytes = 1000}, true).end,
            ChildEnd::kTooLarge);
  const auto failed = run("echo out; echo first >&2; echo 'ridgewatt: last' >&2; exit 3", {}, true);
  EXPECT_EQ(failed.end, ChildEnd::kExited);
  EXPECT_EQ(failed.status, 3);
  EXPECT_EQ(failed.output, "out\n");
  EXPECT_EQ(failed.last_line, "last");
  EXPECT_EQ(run("kill -9 $$", {}, true).end, ChildEnd::kSignaled);
  EXPECT_THROW(ask_child({"/nonexistent"}, {}, {}, [] { return true; }), Error);
}

TEST(Child, InheritsNothingButWhatItIsHanded) {
  const OwnedFd secret(::open("/etc/hostname", O_RDONLY));  // without O_CLOEXEC
  const OwnedFd handed(::memfd_create("handed", MFD_CLOEXEC));
  ASSERT_EQ(::write(handed.get(), "handed", 6), 6);
  const auto result = ask_child({"/bin/sh", "-c", "ls /proc/self/fd | wc -l; cat /dev/fd/3; pwd"},
                                {handed.get()}, {}, [] { return true; });
  // Descriptors 0, 1, 2, the passed one, and the folder that ls itself reads.
  EXPECT_EQ(result.output, "5\nhanded/\n");
}

}  // namespace
}  // namespace ridgewatt::serve
