#include "base/archive.hpp"

#include <gtest/gtest.h>

namespace credo::archive_test {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Inner {
  double x = 0.0;
  bool flag = false;
  static void saved(auto& self, auto&& field) {
    field(self.x);
    field(self.flag);
  }
  bool operator==(const Inner&) const = default;
};

struct Outer {
  std::int32_t count = 0;
  Colour colour = Colour::red;
  std::string name;
  std::vector<double> values;
  std::vector<Inner> parts;
  std::array<Index, 2> pair{};
  std::optional<Inner> maybe;
  static void saved(auto& self, auto&& field) {
    field(self.count);
    field(self.colour);
    field(self.name);
    field(self.values);
    field(self.parts);
    field(self.pair);
    field(self.maybe);
  }
  bool operator==(const Outer&) const = default;
};

Outer sample() {
  return {.count = -7,
          .colour = Colour::green,
          .name = std::string("a\0b", 3),
          .values = {0.1, -0.0, kInfinity, std::numeric_limits<double>::denorm_min()},
          .parts = {{1.5, true}, {-2.5, false}},
          .pair = {3, -4},
          .maybe = Inner{9.0, true}};
}

std::string bytes_of(const auto& value) {
  ArchiveWriter writer;
  writer(value);
  return writer.take();
}

TEST(archive, gives_back_what_it_was_given) {
  const std::string bytes = bytes_of(sample());
  Outer back;
  ArchiveReader reader(bytes, "test");
  reader(back).finish();
  EXPECT_EQ(back, sample());
  EXPECT_EQ(bytes_of(back), bytes);
}

TEST(archive, keeps_every_bit_of_a_nan) {
  const double odd = std::bit_cast<double>(0x7ff8000000001234u);
  double back = 0.0;
  const std::string bytes = bytes_of(odd);
  ArchiveReader(bytes, "test")(back).finish();
  EXPECT_EQ(std::bit_cast<std::uint64_t>(back), 0x7ff8000000001234u);
}

TEST(archive, refuses_every_truncation_and_what_is_left_over) {
  const std::string bytes = bytes_of(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Outer back;
    const std::string part = bytes.substr(0, size);
    EXPECT_THROW(ArchiveReader(part, "test")(back).finish(), Error) << size;
  }
  const std::string longer = bytes + "x";
  Outer back;
  EXPECT_THROW(ArchiveReader(longer, "test")(back).finish(), Error);
}

TEST(archive, refuses_another_layout) {
  const std::string bytes = bytes_of(Inner{1.0, true});
  double number = 0.0;
  EXPECT_THROW(ArchiveReader(bytes, "test")(number), Error);
  std::uint8_t small = 0;
  const std::string large = bytes_of(std::int64_t{300});
  EXPECT_THROW(ArchiveReader(large, "test")(small), Error);
}

// No damaged byte makes it allocate what the bytes can't hold, read behind them, or loop.
TEST(archive, survives_every_damaged_byte) {
  const std::string good = bytes_of(sample());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      Outer back;
      try {
        ArchiveReader(bad, "test")(back).finish();
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace credo::archive_test
