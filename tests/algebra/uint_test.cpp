// Plain integers: text, bytes, shifts and carries.
#include <catch2/catch.hpp>

#include <array>

#include "groth16/algebra/uint.hpp"
#include "tests/algebra/random.hpp"

using groth16::UInt;
using groth16::test::Random;

TEST_CASE("a decimal text survives parsing and printing", "[uint]") {
  for (const char* text : {"0", "1", "18446744073709551615", "18446744073709551616",
                           "21888242871839275222246405745257275088548364400416034343698204186575808495617"}) {
    REQUIRE(UInt<4>::parse(text).has_value());
    CHECK(UInt<4>::parse(text)->to_decimal() == text);
  }
  CHECK(*UInt<4>::parse("007") == UInt<4>::from_u64(7));
  CHECK(*UInt<2>::parse("0xFf") == UInt<2>::from_u64(255));
}

TEST_CASE("a text that is no number of the width is refused", "[uint]") {
  for (const char* text : {"", "0x", "-1", "+1", " 1", "1 ", "1.0", "12a", "0xg", "1e3"}) {
    CAPTURE(text);
    CHECK_FALSE(UInt<4>::parse(text).has_value());
  }
  CHECK(UInt<1>::parse("18446744073709551615").has_value());
  CHECK_FALSE(UInt<1>::parse("18446744073709551616").has_value());
  CHECK_FALSE(UInt<1>::parse("18446744073709551620").has_value());
  CHECK_FALSE(UInt<1>::parse("0x10000000000000000").has_value());
}

TEST_CASE("bytes of both orders come back as the same number", "[uint]") {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const UInt<4> value{{random.u64(), random.u64(), random.u64(), random.u64()}};
    std::array<std::byte, 32> little{}, big{};
    value.to_le_bytes(little);
    value.to_be_bytes(big);
    CHECK(UInt<4>::from_le_bytes(little) == value);
    CHECK(UInt<4>::from_be_bytes(big) == value);
    CHECK(little.front() == big.back());
    CHECK(little.front() == static_cast<std::byte>(value.limb[0] & 0xff));
    CHECK(*UInt<4>::parse("0x" + value.to_hex()) == value);
  }
}

TEST_CASE("sums, differences, shifts and bits agree with each other", "[uint]") {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    const UInt<3> a{{random.u64(), random.u64(), random.u64()}}, b{{random.u64(), random.u64(), random.u64()}};
    CHECK((a + b) - b == a);
    CHECK((a < b) == !(b <= a));
    CHECK(a - a == UInt<3>::zero());
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 191u, 192u}) {
      CHECK((a >> count).bit(0) == a.bit(count));
      CHECK((a << count).bit(count) == (a.bit(0) && count < 192));
    }
    for (const std::size_t first : {0u, 5u, 50u, 63u, 64u, 120u, 180u, 191u, 192u, 500u}) {
      CHECK(a.bits(first, 17) == ((a >> first).limb[0] & 0x1ffff));
    }
  }
  UInt<2> all_ones{{~std::uint64_t{0}, ~std::uint64_t{0}}};
  CHECK(all_ones.add_in_place(UInt<2>::from_u64(1)) == 1);
  CHECK(all_ones.is_zero());
  CHECK(all_ones.sub_in_place(UInt<2>::from_u64(1)) == 1);
  CHECK(all_ones.bit_length() == 128);
}

TEST_CASE("a wide product divided by a factor gives the other", "[uint]") {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    const UInt<2> a{{random.u64(), random.u64()}};
    const std::uint64_t word = random.u64() | 1;
    auto product = mul_wide(a, UInt<1>::from_u64(word));
    CHECK(product.div_word_in_place(word) == 0);
    CHECK(product == a.resized<3>());
  }
}
