// Bytes of the page: base64, and blocks that are read back.
#include "report/packed.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "report/facts.hpp"
#include "report/raster.hpp"
#include "results/files/run_store.hpp"
#include "support/text_model.hpp"

namespace credo::report::packed_test {
namespace {

TEST(base64, is_that_of_the_standard) {  // RFC 4648, section 10
  const std::array<std::pair<const char*, const char*>, 7> cases{{{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"}}};
  for (const auto& [plain, coded] : cases) EXPECT_EQ(base64(plain), coded);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(shape, is_told_of_arrays) {
  EXPECT_EQ(shape_text("3"), "a number");
  EXPECT_EQ(shape_text("[[1, 2, 3], [4, 5, 6]]"), "2 × 3");
  EXPECT_EQ(shape_text("[[1], [4, 5]]"), "ragged");
  EXPECT_EQ(shape_text("[]"), "0");
}

class Packed : public ::testing::Test {
 protected:
  Packed() : model_(model::model_from("parameters { real x; } model { x ~ normal(0, 1); }", "{}")) {
    const infer::SampleOptions options{
        .num_chains = 2, .num_warmup = 100, .num_draws = 90, .seed = 2};
    store_ = std::make_unique<results::RunStore>(*model_, options);
    store_->keep(infer::run_chains(*model_, options, *store_));
    store_->close();
  }
  Index quantity() const { return *results::find_quantity(*store_, "x"); }

  std::unique_ptr<model::Model> model_;
  std::unique_ptr<results::RunStore> store_;
};

double double_at(const std::string& block, std::size_t at) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 8; ++k)
    bits |= std::uint64_t{static_cast<unsigned char>(block[at + k])} << (8 * k);
  return std::bit_cast<double>(bits);
}
unsigned word_at(const std::string& block, std::size_t number) {
  const auto byte = [&](std::size_t k) {
    return static_cast<unsigned>(static_cast<unsigned char>(block[64 + 2 * number + k]));
  };
  return byte(0) | byte(1) << 8;
}

TEST_F(Packed, blocks_have_the_draws_to_a_part_of_their_range) {
  const Material material({{"run", store_.get(), model_.get()}});
  const density::Draws draws = material.draws(quantity());
  const PackedSizes sizes = packed_sizes(material, 1, 1'000'000);
  ASSERT_EQ(sizes.num_kept(), 180);
  const std::string block =
      packed_block(material, diagnose::quantity(draws, 0), quantity(), sizes, true);
  EXPECT_EQ(ssize(block), sizes.num_bytes());
  EXPECT_EQ(sizes.num_bytes() % 6, 0);
  const double low = double_at(block, 0), high = double_at(block, 8);
  const auto values = draws.quantity(0);
  EXPECT_EQ(low, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(high, *std::max_element(values.begin(), values.end()));
  for (std::size_t i = 0; i < values.size(); ++i)  // half a unit of rounding
    EXPECT_NEAR(low + word_at(block, i) / 65534.0 * (high - low), values[i],
                0.501 * (high - low) / 65534.0);
  // Behind them: marginals of all and two chains, autocorrelations, ranks.
  const auto first_rank = static_cast<std::size_t>(180 + 3 * sizes.num_places + 3 * sizes.num_lags);
  unsigned sum = 0;
  for (std::size_t b = 0; b < 20; ++b) sum += word_at(block, first_rank + b);
  EXPECT_EQ(sum, 90u);
}

TEST_F(Packed, keeps_every_so_manieth_draw_of_many) {
  const Material material({{"run", store_.get(), model_.get()}});
  const PackedSizes sizes = packed_sizes(material, 100, 180 * 100 / 3);
  EXPECT_EQ(sizes.kept[0], sizes.kept[1]);
  ASSERT_EQ(ssize(sizes.kept[0]), 30);
  EXPECT_EQ(sizes.kept[0][1], 3);
}

TEST(raster, says_which_package_is_missing) {
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  ::setenv("PATH", "/nowhere", 1);
  try {
    converted("<svg/>", "png");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("librsvg2-bin"), std::string::npos) << error.what();
  }
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace credo::report::packed_test
