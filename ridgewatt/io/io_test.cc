#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/file_kind.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/io/output_file.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt {
namespace {

TEST(Path, APathIsAFolderAndAFileName) {
  for (const char* path : {"/sys/class/hwmon", "boards/agx-orin.toml", "./a", "/a"}) {
    const std::string folder = folder_of(path), name = file_name(path);
    EXPECT_EQ(folder + (folder == "/" ? "" : "/") + name, path);
  }
  EXPECT_EQ(folder_of("model.onnx"), ".");
  EXPECT_EQ(file_name("model.onnx"), "model.onnx");
  EXPECT_EQ(file_name("/models/"), "");
}

TEST(Csv, QuotesAndBlankLines) {
  const auto table = parse_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n\n1,\"x, \"\"y\"\"\"\n",
      "t.csv");
  EXPECT_EQ(table.header, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][1], "x, \"y\"");
  EXPECT_EQ(table.lines[0], 3u);
  EXPECT_EQ(table.number(0, 0), 1.0);
  EXPECT_THROW(table.number(0, 1), InputError);
}

TEST(Csv, BadFilesAreNamed) {
  EXPECT_THROW(parse_csv("", "t"), InputError);
  EXPECT_THROW(parse_csv("a,a\n", "t"), InputError);
  EXPECT_THROW(parse_csv("a,b\n1\n", "t"), InputError);
  EXPECT_THROW(parse_csv("a\n\"1\n", "t"), InputError);
  EXPECT_THROW(parse_csv(std::string("a\n1\0", 4), "t"), InputError);
  try {
    parse_csv("a,b\n1,2\n1\n", "t.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the row has 1 field, but the header has 2: t.csv line 3");
  }
}

// A file that is no CSV is named, whichever reader of a CSV gets it.
TEST(Csv, AFileOfAnotherKindIsNamed) {
  const auto said = [](const std::string& content) -> std::string {
    try {
      parse_csv(content, "x");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("SQLite format 3"),
            "x is an SQLite database, not a CSV file: if it is a store, `ridgewatt store export x` "
            "writes its points as CSV");
  EXPECT_EQ(said("{\"schema\": 1}\n"), "x is a JSON file, not a CSV file");
  EXPECT_EQ(said("[\n {\"a\": 1}]\n"), "x is a JSON file, not a CSV file");
  EXPECT_EQ(said("\x89PNG\r\n"), "x is a PNG image, not a CSV file");
  EXPECT_EQ(said("a,b\n1,2\n"), "");
}

TEST(FileKind, IsThatOfTheFirstBytes) {
  EXPECT_EQ(kind_of_content("a,b\n1,2\n"), kCsvKind);
  EXPECT_EQ(kind_of_content("[board]\nname = 1\n"), "a text file");
  EXPECT_EQ(kind_of_content("hello\n1,2\n"), "a text file");
  EXPECT_EQ(kind_of_content(" {\"a\": 1}"), "a JSON file");
  EXPECT_EQ(kind_of_content(std::string("a\0b", 3)), "a binary file");
  EXPECT_EQ(kind_of_content("GGUF\x03"), "a GGUF model");
  EXPECT_EQ(kind_of_content(""), "an empty file");
}

TEST(Csv, FieldsSurviveARoundTrip) {
  for (const std::string text : {"plain", "a,b", "say \"x\"", "two\nlines"}) {
    EXPECT_EQ(parse_csv("h\n" + csv_field(text) + "\n", "t").rows.at(0).at(0), text);
  }
}

TEST(File, AtomicWriteLeavesOldOrNew) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("f", "old");
  write_file_atomically(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_THROW(write_file_atomically((folder.path() / "no" / "f").string(), "x"), NotFoundError);
  EXPECT_THROW(read_file((folder.path() / "missing").string()), NotFoundError);
  EXPECT_THROW(read_file(folder.path().string()), InputError);
  EXPECT_THROW(read_file(path, 2), InputError);
  EXPECT_THROW(read_file("/dev/zero"), InputError);  // endless
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Output, AFileKeepsItsModeAndALinkItsTarget) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("file", "old");
  const std::string link = (folder.path() / "link").string();
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  std::filesystem::create_symlink("file", link);
  write_output(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
  const std::string dangling = (folder.path() / "dangling").string();
  std::filesystem::create_symlink("later", dangling);
  write_output(dangling, "made");
  EXPECT_EQ(read_file((folder.path() / "later").string()), "made");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4);
}

TEST(Output, AFifoIsWrittenAndStays) {
  const testing::TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string seen;
  std::thread reader([&] { seen = read_file(fifo); });
  write_output(fifo, "through");
  reader.join();
  EXPECT_EQ(seen, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST(Output, ADeviceIsWrittenAndStays) {
  const testing::TemporaryFolder folder;
  const std::string null = (folder.path() / "null").string();
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) {
    GTEST_SKIP() << "skipped: no permission to make a device node";
  }
  const int open = ::open(null.c_str(), O_WRONLY);
  if (open < 0) GTEST_SKIP() << "skipped: device nodes cannot be opened here";
  ::close(open);
  write_output(null, "gone");
  EXPECT_TRUE(std::filesystem::is_character_file(null));
}

TEST(Output, WhatIsNotAFileIsRefusedAndNothingStaysBehind) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(write_output(folder.path().string(), "x"), InputError);
  EXPECT_THROW(write_output("", "x"), InputError);
  EXPECT_THROW(write_output((folder.path() / "no" / "file").string(), "x"), NotFoundError);
  const std::string loop = (folder.path() / "loop").string();
  std::filesystem::create_symlink("loop", loop);
  EXPECT_THROW(write_output(loop, "x"), IoError);
  EXPECT_THROW(write_output("/dev/full", "x"), IoError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Output, ADestinationIsCheckedAndNotChanged) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("file", "old");
  const std::string later = (folder.path() / "later").string();
  for (const std::string& good : {file, later, std::string("-"), std::string("/dev/null")}) {
    EXPECT_NO_THROW(check_output(good)) << good;
  }
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(check_output(folder.path().string()), InputError);
  EXPECT_THROW(check_output(""), InputError);
  EXPECT_THROW(check_output((folder.path() / "no" / "file").string()), NotFoundError);
  EXPECT_THROW(check_output(file + "/below"), NotFoundError);
  EXPECT_THROW(check_output(folder.path() / std::string(300, 'x')), IoError);
}

TEST(Output, PartsAreTheWholeAndAppearAtTheEnd) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "rows.csv").string();
  const std::string row(1000, 'x');
  for (const std::size_t rows : {3U, 5000U}) {
    OutputFile file(path);
    std::string whole;
    for (std::size_t i = 0; i < rows; ++i) {
      whole += row;
      file.append(row);
    }
    const std::string before = std::filesystem::exists(path) ? read_file(path) : "";
    EXPECT_EQ(before.size(), rows == 3 ? 0U : 3000U);
    file.finish();
    EXPECT_EQ(read_file(path), whole);
  }
  {
    OutputFile dropped(path);
    for (std::size_t i = 0; i < 5000; ++i) dropped.append("y" + row);
  }
  EXPECT_EQ(read_file(path).front(), 'x');
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  for (const std::string wrong :
       {folder.path().string(), path + "/file", std::string("/dev/full")}) {
    OutputFile file(wrong);
    for (std::size_t i = 0; i < 5000; ++i) file.append(row);
    EXPECT_THROW(file.finish(), Error) << wrong;
  }
}

TEST(Output, UnderSudoANewFileBelongsToTheCaller) {
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: needs root";
  const testing::TemporaryFolder folder;
  const std::string old = folder.write("old", "");
  const std::string fresh = (folder.path() / "fresh").string();
  ::setenv("SUDO_UID", "12345", 1);
  ::setenv("SUDO_GID", "12346", 1);
  write_output(fresh, "x");
  write_output(old, "x");
  ::unsetenv("SUDO_UID");
  ::unsetenv("SUDO_GID");
  struct stat status {};
  ASSERT_EQ(::stat(fresh.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 12346u);
  ASSERT_EQ(::stat(old.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u);
}

// The output of `printf ridgewatt | gzip -9n`.
TEST(Embedded, AGzippedFileIsUnpacked) {
  const unsigned char gzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                0x2b, 0xca, 0x4c, 0x49, 0x4f, 0x2d, 0x4f, 0x2c, 0x29, 0x01,
                                0x00, 0xa1, 0xdb, 0xe4, 0x6f, 0x09, 0x00, 0x00, 0x00};
  const std::string_view packed(reinterpret_cast<const char*>(gzip), sizeof gzip);
  EXPECT_EQ(unpacked(packed), "ridgewatt");
  EXPECT_THROW(unpacked(packed.substr(0, packed.size() - 4)), Error);
  EXPECT_THROW(unpacked("echarts"), Error);
}

// The expected texts are JSON of RFC 8259.
TEST(JsonObject, HasEveryTypeOfValueInTheOrderOfTheCode) {
  const std::string text = "c\"d";
  const std::vector<std::string> list = {"x", "y"};
  const std::map<std::string, int> counts = {{"n", 1}};
  const Json kept = {1, 2};
  const Json json = json_object({{"z", nullptr},
                                 {"truth", true},
                                 {"number", 0.5},
                                 {"negative", -3},
                                 {"large", std::uint64_t{18446744073709551615U}},
                                 {"literal", "a"},
                                 {"view", std::string_view("abc").substr(1)},
                                 {"text", text},
                                 {"joined", text + "!"},
                                 {"list", list},
                                 {"counts", counts},
                                 {"kept", kept},
                                 {"pair", json_array({"a", "b"})},
                                 {"inner", json_object({{"a", "b"}})}});
  EXPECT_EQ(json.dump(),
            R"({"z":null,"truth":true,"number":0.5,"negative":-3,"large":18446744073709551615,)"
            R"("literal":"a","view":"bc","text":"c\"d","joined":"c\"d!","list":["x","y"],)"
            R"("counts":{"n":1},"kept":[1,2],"pair":["a","b"],"inner":{"a":"b"}})");
  EXPECT_EQ(kept.size(), 2u);
}

TEST(JsonObject, OfEqualKeysTheFirstCountsAndMembersAreReplaced) {
  Json json = json_object({{"a", 1}, {"a", 2}});
  EXPECT_EQ(json.dump(), R"({"a":1})");
  set_members(json, {{"b", 3}, {"a", 4}});
  EXPECT_EQ(json.dump(), R"({"a":4,"b":3})");
  EXPECT_EQ(json_object({}).dump(), "{}");
  EXPECT_EQ(json_array({}).dump(), "[]");
}

}  // namespace
}  // namespace ridgewatt
