// Damage to the container itself, the same for all four formats that use it.
#include <catch2/catch.hpp>
#include <functional>

#include "groth16/formats/binfile.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

struct Format {
  std::string name;
  FileBytes good;
  std::function<std::string(const FileBytes&)> read;  // "accepted" or the error's name
};

std::vector<Format> all_formats() {
  const auto& made = sample<Bn254>();
  return {{"r1cs", made.r1cs, [](const FileBytes& b) { return error_of(R1csFile::parse("the.file", b)); }},
          {"wtns", made.wtns, [](const FileBytes& b) { return error_of(WitnessFile::parse("the.file", b)); }},
          {"zkey", made.zkey, [](const FileBytes& b) { return error_of(ZkeyFile::parse("the.file", b)); }}};
}

FileBytes text_file(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("a good file is read, and so is one with its sections in reverse order") {
  for (const Format& format : all_formats()) {
    INFO(format.name);
    CHECK(format.read(format.good) == "accepted");
    Image image(format.good);
    std::reverse(image.parts.begin(), image.parts.end());
    CHECK(format.read(image.bytes()) == "accepted");
  }
}

TEST_CASE("unknown sections are skipped") {
  for (const Format& format : all_formats()) {
    INFO(format.name);
    CHECK(format.read(Image(format.good).add(99, text_file("abcd")).bytes()) == "accepted");
    CHECK(format.read(Image(format.good).add(99, {}).add(99, {}).bytes()) == "accepted");
  }
}

TEST_CASE("trailing bytes are tolerated and counted") {
  FileBytes longer = sample<Bn254>().zkey;
  longer.resize(longer.size() + 64);
  const auto key = ZkeyFile::parse("the.file", longer);
  REQUIRE(key);
  CHECK(key->trailing_bytes() == 64);
  CHECK(ZkeyFile::parse("the.file", sample<Bn254>().zkey)->trailing_bytes() == 0);
}

TEST_CASE("every file that was cut short is refused, wherever it was cut") {
  for (const Format& format : all_formats()) {
    for (std::size_t size = 0; size < format.good.size(); ++size) {
      const FileBytes cut(format.good.begin(), format.good.begin() + static_cast<std::ptrdiff_t>(size));
      const std::string error = format.read(cut);
      INFO(format.name << " cut to " << size << " bytes: " << error);
      REQUIRE(error != "accepted");
    }
  }
}

TEST_CASE("an empty file, a page of HTML, JSON, zeros and another format are told apart") {
  for (const Format& format : all_formats()) {
    INFO(format.name);
    CHECK(format.read({}) == format.name + ".empty");
    CHECK(format.read(text_file("<html>404 not found</html>\n")) == format.name + ".magic");
    CHECK(format.read(text_file("{\"error\": \"no such file\"}")) == format.name + ".magic");
    CHECK(format.read(FileBytes(5000)) == format.name + ".magic");
    CHECK(format.read(text_file("plk2")) == format.name + ".magic");
  }
  const auto html = WitnessFile::parse("the.file", text_file("<html>"));
  CHECK(html.error().text.find("HTML") != std::string::npos);
  const auto zeros = WitnessFile::parse("the.file", FileBytes(100));
  CHECK(zeros.error().text.find("zero bytes") != std::string::npos);
}

TEST_CASE("only the versions that exist are read") {
  for (const Format& format : all_formats()) {
    INFO(format.name);
    Image image(format.good);
    for (const std::uint32_t version : {0u, 1u, 2u, 3u, 0xffffffffu}) {
      image.version = version;
      const bool known = version == 1 || (version == 2 && format.name == "wtns");
      INFO("version " << version);
      CHECK(format.read(image.bytes()) == (known ? "accepted" : format.name + ".version"));
    }
  }
}

TEST_CASE("a number of sections that the file cannot hold is refused at once") {
  for (const Format& format : all_formats()) {
    INFO(format.name);
    Image image(format.good);
    image.count = 0xffffffff;
    CHECK(format.read(image.bytes()) == format.name + ".section_count");
    image.count = 100;
    CHECK(format.read(image.bytes()) == format.name + ".section_bounds");
    image.count = 0;
    CHECK(format.read(image.bytes()) == format.name + ".missing_section");
  }
}

TEST_CASE("a section that leaves the file is refused, also where its end would wrap around") {
  for (const Format& format : all_formats()) {
    for (std::size_t part = 0; part < Image(format.good).parts.size(); ++part) {
      for (const std::uint64_t length : {std::uint64_t{1} << 40, std::uint64_t{1} << 63, ~std::uint64_t{0} - 11}) {
        INFO(format.name << " part " << part << " length " << length);
        Image image(format.good);
        image.parts[part].length = length;
        CHECK(format.read(image.bytes()) == format.name + ".section_bounds");
      }
    }
  }
}

TEST_CASE("a known section that occurs twice is refused, whichever it is") {
  for (const Format& format : all_formats()) {
    for (const Image::Part& part : Image(format.good).parts) {
      INFO(format.name << " section " << part.id);
      CHECK(format.read(Image(format.good).add(part.id, part.payload).bytes()) == format.name + ".duplicate_section");
    }
  }
}

TEST_CASE("each required section is missed by name") {
  for (const Format& format : all_formats()) {
    for (const Image::Part& part : Image(format.good).parts) {
      INFO(format.name << " section " << part.id);
      const bool optional = (format.name == "r1cs" && part.id == 3) || (format.name == "zkey" && part.id == 10);
      const std::string error = format.read(Image(format.good).drop(part.id).bytes());
      CHECK(error == (optional ? "accepted" : format.name + ".missing_section"));
    }
  }
  const auto no_ic = ZkeyFile::parse("the.file", Image(sample<Bn254>().zkey).drop(3).bytes());
  CHECK(no_ic.error().text == "the.file: section 3 is missing");
}

TEST_CASE("a writer that breaks its own announcement fails instead of writing a bad file") {
  MemorySink sink;
  ContainerWriter too_long(sink, "test", 1, 1);
  too_long.section(1, 4);
  too_long.u64(0);
  CHECK(too_long.finish().error().name == "writer.section");
  ContainerWriter too_short(sink, "test", 1, 1);
  too_short.section(1, 4);
  CHECK(too_short.finish().error().name == "writer.section");
  ContainerWriter too_few(sink, "test", 1, 2);
  too_few.section(1, 0);
  CHECK(too_few.finish().error().name == "writer.section");
}
