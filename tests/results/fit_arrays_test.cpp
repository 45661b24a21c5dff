// A fit as groups of arrays: order of elements, groups by the fit's parts, and rows of one chain.
#include "results/files/fit_arrays.hpp"

#include <gtest/gtest.h>

namespace credo::results::fit_arrays_test {
namespace {

// Value of a quantity in a draw: all places can be read off.
double value_at(const DrawSlab& slab, Index draw, Index chain, Index quantity) {
  return static_cast<double>((slab.warmup ? 1'000'000 : 0) + 10'000 * quantity + 100 * chain +
                             draw);
}

// Two statistics, a 2 × 3 matrix, a whole number and log_lik of two rows; a table, an evidence, a divergence.
class SmallFit final : public Fit {
 public:
  explicit SmallFit(Index num_draws = 4, std::vector<Index> dims = {2, 3}) : num_draws_(num_draws) {
    layout_.add({.name = "m", .dims = std::move(dims)});
    layout_.add({.name = "log_lik", .dims = {2}});
    layout_.add({.name = "count", .kind = density::Kind::whole});
    origin_.sampler = "smc";
    origin_.seed = "18446744073709551615";
    origin_.settings = {{"thin", "2"}, {"target", "0.5"}, {"mover", "rwm"}};
    result_.chains.resize(2);
    result_.chains[0].tuned = {{"scales", {1.0, 2.0}}};
    result_.chains[1].tuned = {{"scales", {3.0}}};
    result_.chains[1].num_divergent = 1;
    result_.divergences = {{.chain = 1,
                            .iteration = 7,
                            .warmup = false,
                            .start = {0.5},
                            .end = {1.5},
                            .energy_error = 1e4}};
    result_.warnings = {"slow"};
  }
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return 2; }
  Index num_draws(bool warmup) const override { return warmup ? 1 : num_draws_; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  io::InputFiles::Contents files() const override { return {}; }
  density::Draws read(const DrawSlab& wanted) const override {
    const Index num_draws =
        wanted.num_draws < 0 ? this->num_draws(wanted.warmup) : wanted.num_draws;
    const Index chains = wanted.num_chains < 0 ? 2 - wanted.first_chain : wanted.num_chains;
    density::Draws values(num_draws, chains, wanted.count);
    for (Index k = 0; k < wanted.count; ++k)
      for (Index c = 0; c < chains; ++c)
        for (Index s = 0; s < num_draws; ++s)
          values(s, c, k) =
              value_at(wanted, wanted.first_draw + s, wanted.first_chain + c, wanted.first + k);
    return values;
  }
  const std::vector<RowTable>& tables() const override { return tables_; }
  std::vector<double> table_rows(Index, Index chain) const override {
    return chain == 0 ? std::vector<double>{0.1, 5.0, 0.2, 6.0} : std::vector<double>{0.3, 7.0};
  }

 private:
  Index num_draws_;
  std::vector<StatColumn> columns_ = {{"lp", "lp__"},
                                      {"depth", "treedepth__", "tree_depth", density::Kind::whole}};
  density::Layout layout_;
  FitOrigin origin_;
  infer::RunResult result_;
  std::vector<RowTable> tables_ = {
      {"stages", "stage", {{"power", ""}, {"moves", "", "", density::Kind::whole}}}};
};

TEST(FitArrays, elements_stand_with_the_last_index_fastest) {
  const FitArrays arrays(std::make_unique<SmallFit>());
  const Group& posterior = *arrays.find_group("posterior");
  const Field& m = *posterior.find("m");
  EXPECT_EQ(m.dims, (std::vector<std::string>{"chain", "draw", "m_dim_0", "m_dim_1"}));
  EXPECT_EQ(posterior.shape(m), (std::vector<Index>{2, 4, 2, 3}));
  const std::vector<double> values = arrays.read(posterior, m);
  std::size_t next = 0;
  for (Index c = 0; c < 2; ++c)
    for (Index s = 0; s < 4; ++s)
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j)  // quantity 2 is m[1, 1], the first index is fastest there
          EXPECT_EQ(values.at(next++), value_at({}, s, c, 2 + i + 2 * j)) << c << s << i << j;
  EXPECT_EQ(next, values.size());
}

TEST(FitArrays, rows_of_a_chain_are_those_of_all) {
  const FitArrays arrays(std::make_unique<SmallFit>());
  const Group& posterior = *arrays.find_group("posterior");
  const std::vector<double> all = arrays.read(posterior, *posterior.find("m"));
  const std::vector<double> second = arrays.read(posterior, *posterior.find("m"), 1, 1);
  EXPECT_EQ(second, std::vector<double>(all.begin() + 24, all.end()));
  EXPECT_EQ(arrays.read(posterior, *posterior.find("draw"), 2), (std::vector<double>{2.0, 3.0}));
}

// The values of a field, put together from its parts; each chunk must lie within one part.
std::vector<double> joined(const FitArrays& arrays, const Group& group, const Field& field) {
  std::vector<double> all(static_cast<std::size_t>(group.num_values(field)), -1.0);
  const std::vector<Index> shape = group.shape(field);
  arrays.for_each_part(group, field, [&](const ArrayResult::Box& box, auto values) {
    for (std::size_t d = 0; d < field.file.chunks.size(); ++d) {
      EXPECT_EQ(box.start[d] % field.file.chunks[d], 0) << field.name;
      const Index end = box.start[d] + box.count[d];
      EXPECT_TRUE(end == shape[d] || end % field.file.chunks[d] == 0) << field.name;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      Index place = 0, step = 1, rest = static_cast<Index>(k);
      for (std::size_t d = shape.size(); d-- > 0; rest /= box.count[d], step *= shape[d])
        place += (box.start[d] + rest % box.count[d]) * step;
      all.at(static_cast<std::size_t>(place)) = values[k];
    }
  });
  return all;
}

TEST(FitArrays, parts_are_all_values_and_hold_whole_chunks) {
  // A read takes 52 elements of 2 x 40,000 draws, and a chunk has 3.
  for (const auto& [num_draws, dims] : {std::pair(Index{4}, std::vector<Index>{2, 3}),
                                        std::pair(Index{40'000}, std::vector<Index>{27, 2})}) {
    const FitArrays arrays(std::make_unique<SmallFit>(num_draws, dims));
    for (const Group& group : arrays.groups())
      for (const Field& field : group.fields)
        if (group.name != "adaptation") {  // has NaN
          EXPECT_EQ(joined(arrays, group, field), arrays.read(group, field))
              << group.name << "/" << field.name;
        }
  }
}

TEST(FitArrays, a_file_has_widths_inputs_and_no_evidence) {
  const SmallFit fit;
  const FitArrays file(fit, {.path = "f.nc"});
  EXPECT_TRUE(file.find_group("posterior")->find("count")->file.is_short);
  EXPECT_TRUE(file.find_group("inputs")->keeps_empty);
  EXPECT_EQ(file.find_group("warnings"), nullptr);  // an attribute of the adaptation
  EXPECT_EQ(text_of(file.find_group("adaptation")->attributes, "warnings"), R"(["slow"])");
  EXPECT_EQ(file.text("tables"), "stages");
  EXPECT_EQ(file.number("schema"), 1.0);
  EXPECT_EQ(text_of(file.find_group("log_likelihood")->find("log_lik")->file.attributes, "place"),
            "6");
}

TEST(FitArrays, groups_are_those_of_a_result_file) {
  const FitArrays arrays(std::make_unique<SmallFit>());
  std::vector<std::string> names;
  for (const Group& group : arrays.groups()) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{"posterior", "sample_stats", "log_likelihood",
                                             "warmup_posterior", "warmup_sample_stats",
                                             "warmup_log_likelihood", "adaptation", "divergences",
                                             "warnings", "stages"}));
  EXPECT_EQ(arrays.find_group("posterior")->find("log_lik"), nullptr);
  EXPECT_EQ(arrays.find_group("posterior")->find("count")->kind, density::Kind::whole);
  EXPECT_EQ(arrays.find("posterior", "count").at(0), value_at({}, 0, 0, 10));
  EXPECT_EQ(arrays.find("log_likelihood", "log_lik").at(1), value_at({}, 0, 0, 9));
  EXPECT_EQ(arrays.find("warmup_posterior", "count").at(1), value_at({.warmup = true}, 0, 1, 10));
  EXPECT_EQ(arrays.find("sample_stats", "tree_depth").at(5), value_at({}, 1, 1, 1));
}

TEST(FitArrays, what_a_run_reports_besides_are_groups) {
  const FitArrays arrays(std::make_unique<SmallFit>());
  EXPECT_EQ(arrays.find("stages", "chain"), (std::vector<double>{0.0, 0.0, 1.0}));
  EXPECT_EQ(arrays.find("stages", "power"), (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(arrays.find("stages", "moves"), (std::vector<double>{5.0, 6.0, 7.0}));
  const std::vector<double> scales = arrays.find("adaptation", "tuned_scales");
  ASSERT_EQ(scales.size(), 4u);  // the shorter list ends in NaN
  EXPECT_EQ(scales[2], 3.0);
  EXPECT_TRUE(std::isnan(scales[3]));
  EXPECT_EQ(arrays.find("adaptation", "num_divergent"), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(arrays.find("divergences", "end"), std::vector<double>{1.5});
  EXPECT_EQ(arrays.text("sampler"), "smc");
  EXPECT_EQ(arrays.text("seed"), "18446744073709551615");  // not rounded
  EXPECT_EQ(arrays.number("thin"), 2.0);
  EXPECT_EQ(arrays.number("target"), 0.5);
  EXPECT_EQ(arrays.text("mover"), "rwm");
}

}  // namespace
}  // namespace credo::results::fit_arrays_test
