// Files of draws that are cut, named twice, of different runs, or written by others: none is
// believed more than it says.
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "io/file.hpp"
#include "io/netcdf_file.hpp"
#include "support/one_line.hpp"

namespace credo::cli::foreign_files_test {
namespace {
namespace fs = std::filesystem;
using io::NetcdfFile;

class ForeignFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_foreign_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("m.stan", "parameters { vector[2] x; } model { x ~ std_normal(); }");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string text_of(const std::string& name) const { return io::read_file(path(name)); }

  int run(std::vector<std::string> words) const {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    ::testing::internal::GetCapturedStdout();
    said_ = on_one_line(::testing::internal::GetCapturedStderr());
    return status;
  }
  // fit_1.csv and fit_2.csv, or another result.
  void sample(std::vector<std::string> more = {}, const std::string& output = "fit") const {
    std::vector<std::string> words = {"sample",  path("m.stan"), "-o", path(output),
                                      "--quiet", "--chains",     "2",  "--warmup",
                                      "60",      "--draws",      "40"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said_;
  }
  std::unique_ptr<Fit> open(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    return open_fit(paths);
  }
  // What is said of files that aren't taken; "" of those that are.
  std::string refusal(const std::vector<std::string>& names) const {
    try {
      open(names);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  std::string doubts(const std::vector<std::string>& names) const {
    const auto fit = open(names);
    std::string all;
    for (const std::string& doubt : fit->origin().doubts) all += doubt + "\n";
    return all;
  }

  fs::path folder_;
  mutable std::string said_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string without_last_lines(std::string text, int count) {
  for (int k = 0; k < count; ++k) text.erase(text.rfind('\n', text.size() - 2) + 1);
  return text;
}

std::string replaced(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return text.replace(at, before.size(), after);
}

// ---- CSV ----

constexpr int kLinesBehindDraws = 5;

TEST_F(ForeignFiles, csv_that_is_cut_at_any_line_is_refused_or_says_so) {
  for (const char* warmup : {"--save-warmup=true", "--save-warmup=false"})
    for (const char* sampler : {"nuts", "slice"}) {
      sample({warmup, "--sampler", sampler});
      const std::string whole = text_of("fit_1.csv");
      ASSERT_EQ(refusal({"fit_1.csv"}), "") << sampler;
      ASSERT_EQ(doubts({"fit_1.csv"}), "");
      int taken = 0;
      for (std::size_t end = whole.find('\n'); end + 1 < whole.size();
           end = whole.find('\n', end + 1)) {
        write("cut.csv", std::string_view(whole).substr(0, end + 1));
        if (!refusal({"cut.csv"}).empty()) continue;
        ++taken;
        if (whole.find("(Sampling)") > end) {
          EXPECT_SAYS(doubts({"cut.csv"}), "times behind them");
        }
      }
      EXPECT_EQ(taken, kLinesBehindDraws) << sampler << warmup;
    }
}

TEST_F(ForeignFiles, csv_with_fewer_rows_than_its_header_says_is_refused_with_both_numbers) {
  sample({"--thin", "2"});
  write("cut.csv", without_last_lines(text_of("fit_1.csv"), kLinesBehindDraws + 3));
  const std::string said = refusal({"cut.csv"});
  EXPECT_SAYS(said, "cut.csv: the file has 17 draws, its header says 20");
  EXPECT_SAYS(said, "num_samples = 40, thin = 2");
  EXPECT_EQ(run({"summary", path("cut.csv")}), 4) << said_;
}

// CmdStan writes no warm-up of samplers without one, and marks its end where there is one.
constexpr const char* kWithoutComments = "lp__,x\n-1,2\n-1.5,3\n-2,4\n";

TEST_F(ForeignFiles, csv_without_comments_is_read_and_it_is_said_what_cant_be_told) {
  write("plain.csv", kWithoutComments);
  write("other.csv", "lp__,x\n-1,2\n-1.5,3\n-2,5\n");
  EXPECT_SAYS(doubts({"plain.csv", "other.csv"}), "plain.csv and ");
  EXPECT_SAYS(doubts({"plain.csv"}), "so missing draws can't be detected");
  EXPECT_EQ(run({"summary", path("plain.csv")}), 0);
  EXPECT_SAYS(said_, "warning: ");
  write("fixed.csv",
        "# method = sample (Default)\n# num_samples = 3\n# num_warmup = 1000 (Default)\n"
        "# save_warmup = 1\n# thin = 1 (Default)\n# algorithm = fixed_param\n" +
            std::string(kWithoutComments) +
            "# \n#  Elapsed Time: 0 seconds (Warm-up)\n"
            "#                0 seconds (Sampling)\n");
  EXPECT_EQ(refusal({"fixed.csv"}), "");
  EXPECT_EQ(doubts({"fixed.csv"}), "");
}

TEST_F(ForeignFiles, csv_of_an_optimum_is_no_file_of_draws) {
  write("opt.csv", "# method = optimize\nlp__,x\n-1,2\n");
  EXPECT_SAYS(refusal({"opt.csv"}), "method = optimize");
}

TEST_F(ForeignFiles, one_csv_file_under_two_names_is_refused) {
  sample();
  fs::create_symlink(path("fit_1.csv"), path("link.csv"));
  fs::create_hard_link(path("fit_1.csv"), path("hard.csv"));
  EXPECT_SAYS(refusal({"fit_1.csv", "fit_1.csv", "fit_1.csv", "fit_1.csv"}), "named twice");
  for (const char* name : {"link.csv", "hard.csv"})
    EXPECT_SAYS(refusal({"fit_1.csv", "fit_2.csv", name}), "is the same file under another name");
  EXPECT_EQ(run({"summary", path("fit_1.csv"), path("fit_1.csv")}), 2);
}

TEST_F(ForeignFiles, two_csv_files_with_equal_draws_are_refused_unless_nothing_moves) {
  sample();
  write("copy.csv", replaced(text_of("fit_1.csv"), "# id = 1", "# id = 3"));
  EXPECT_SAYS(refusal({"fit_1.csv", "fit_2.csv", "copy.csv"}), "bit for bit");
  write("a.csv", "lp__,x\n0,2\n0,2\n");
  write("b.csv", "lp__,x\n0,2\n0,2\n");
  EXPECT_EQ(refusal({"a.csv", "b.csv"}), "");
}

TEST_F(ForeignFiles, csv_chains_of_different_runs_are_refused_with_both_values) {
  sample();
  const std::string other = text_of("fit_2.csv");
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"# model = m", "# model = n", "model = n, but "},
      {"# num_warmup = 60", "# num_warmup = 70", "num_warmup = 70, but "},
      {"# num_samples = 40", "# num_samples = 80", "num_samples = 80, but "},
      {"# thin = 1", "# thin = 2", "thin = 2, but "},
      {",x.2", ",y.2", "column 9 is y.2, there x.2"}};
  for (const auto& [before, after, says] : cases) {
    write("other.csv", replaced(other, before, after));
    EXPECT_SAYS(refusal({"fit_1.csv", "other.csv"}), says);
  }
}

TEST_F(ForeignFiles, csv_chains_that_differ_in_seed_or_sampler_are_taken_and_it_is_said) {
  sample();
  write("other.csv", replaced(text_of("fit_2.csv"), "# seed = 1", "# seed = 2"));
  EXPECT_SAYS(doubts({"fit_1.csv", "other.csv"}), "differ in their seed: 1 in ");
  write("other.csv", replaced(text_of("fit_2.csv"), "# engine = nuts", "# engine = static"));
  EXPECT_SAYS(doubts({"fit_1.csv", "other.csv"}), "differ in their engine: nuts in ");
}

TEST_F(ForeignFiles, csv_with_a_column_twice_is_refused) {
  write("twice.csv", "lp__,x,x\n-1,2,3\n");
  EXPECT_SAYS(refusal({"twice.csv"}), "twice.csv:1: the column x is there twice");
}

TEST_F(ForeignFiles, saved_warmup_of_samplers_without_a_step_size_is_no_draws) {
  sample({"--sampler", "slice", "--save-warmup"});
  const auto fit = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_EQ(fit->num_draws(true), 60);
  EXPECT_EQ(fit->num_draws(false), 40);
}

// ---- NetCDF ----

constexpr Index kChains = 2, kDraws = 3;

void add_draws(NetcdfFile& file, NetcdfFile::Group group, const std::string& name,
               std::vector<std::string> dimensions, std::size_t size,
               const std::pair<const char*, const char*>& attribute = {}) {
  const auto variable = file.add_variable(group, name, {.dimensions = std::move(dimensions)});
  if (attribute.first != nullptr) file.set(variable, attribute.first, attribute.second);
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 0.0);
  file.write(variable, values);
}

void add_sizes(NetcdfFile& file, NetcdfFile::Group group, Index chains = kChains,
               Index draws = kDraws) {
  file.add_dimension(group, "chain", chains);
  file.add_dimension(group, "draw", draws);
}

TEST_F(ForeignFiles, netcdf_dimensions_are_found_by_name_in_any_order) {
  {
    NetcdfFile file(path("turned.nc"));
    const auto group = file.add_group("posterior");
    add_sizes(file, group);
    file.add_dimension(group, "a", 2);
    file.add_dimension(group, "b", 4);
    add_draws(file, group, "x", {"draw", "chain"}, 6);
    add_draws(file, group, "y", {"a", "draw", "b", "chain"}, 48);
    file.finish();
  }
  const auto fit = open({"turned.nc"});
  EXPECT_EQ(fit->num_chains(), kChains);
  EXPECT_EQ(fit->num_draws(false), kDraws);
  EXPECT_EQ(fit->layout().variables()[1].dims, (std::vector<Index>{2, 4}));
  const auto value = [&](const char* name, Index s, Index c) {
    return fit->read({.first = *find_quantity(*fit, name),
                      .first_chain = c,
                      .num_chains = 1,
                      .first_draw = s,
                      .num_draws = 1})(0, 0, 0);
  };
  for (Index c = 0; c < kChains; ++c)
    for (Index s = 0; s < kDraws; ++s) {
      EXPECT_EQ(value("x", s, c), static_cast<double>(s * kChains + c));
      for (Index a = 0; a < 2; ++a)
        for (Index b = 0; b < 4; ++b)
          EXPECT_EQ(
              value(("y." + std::to_string(a + 1) + "." + std::to_string(b + 1)).c_str(), s, c),
              static_cast<double>(((a * kDraws + s) * 4 + b) * kChains + c));
    }
}

TEST_F(ForeignFiles, netcdf_statistics_of_another_shape_are_refused) {
  for (const bool more_chains : {true, false}) {
    NetcdfFile file(path("shape.nc"));
    const auto posterior = file.add_group("posterior"), stats = file.add_group("sample_stats");
    add_sizes(file, posterior);
    add_sizes(file, stats, kChains + (more_chains ? 1 : 0), kDraws + (more_chains ? 0 : 2));
    add_draws(file, posterior, "x", {"chain", "draw"}, 6);
    add_draws(file, stats, "lp", {"chain", "draw"}, more_chains ? 9 : 10);
    file.finish();
    EXPECT_SAYS(refusal({"shape.nc"}), more_chains ? "3 chains of 3 draws, others have 2 of 3"
                                                   : "2 chains of 5 draws, others have 2 of 3");
  }
}

TEST_F(ForeignFiles, netcdf_variables_without_chains_or_draws_are_refused_or_left_out_with_a_word) {
  const auto make = [this](const char* group_of_odd_one) {
    NetcdfFile file(path("odd.nc"));
    for (const char* name : {"posterior", "sample_stats"}) {
      const auto group = file.add_group(name);
      add_sizes(file, group);
      add_draws(file, group, "x", {"chain", "draw"}, 6);
      if (std::string(name) == group_of_odd_one) add_draws(file, group, "odd", {"chain"}, 2);
    }
    file.finish();
  };
  make("posterior");
  EXPECT_SAYS(refusal({"odd.nc"}), "posterior/odd: it has no dimension draw");
  make("sample_stats");
  EXPECT_SAYS(doubts({"odd.nc"}), "sample_stats/odd is left out: it has no dimension draw");
}

TEST_F(ForeignFiles, netcdf_without_any_draws_is_refused) {
  {
    NetcdfFile file(path("stacked.nc"));
    const auto group = file.add_group("posterior");
    file.add_dimension(group, "sample", 6);
    add_draws(file, group, "x", {"sample"}, 6);
    file.finish();
  }
  EXPECT_SAYS(refusal({"stacked.nc"}), "no variable has the dimensions 'chain' and 'draw'");
}

TEST_F(ForeignFiles, netcdf_scale_that_is_no_number_is_refused) {
  {
    NetcdfFile file(path("text.nc"));
    const auto group = file.add_group("posterior");
    add_sizes(file, group);
    add_draws(file, group, "x", {"chain", "draw"}, 6, {"scale_factor", "2"});
    file.finish();
  }
  EXPECT_EQ(run({"summary", path("text.nc")}), 4);
  EXPECT_SAYS(said_, "scale_factor of x is no number");
}

TEST_F(ForeignFiles, netcdf_warmup_of_other_sizes_is_refused) {
  {
    NetcdfFile file(path("warmup.nc"));
    Index size = 2;
    for (const char* name : {"posterior", "warmup_posterior"}) {
      const auto group = file.add_group(name);
      add_sizes(file, group);
      file.add_dimension(group, "a", size);
      add_draws(file, group, "x", {"chain", "draw", "a"}, static_cast<std::size_t>(6 * size++));
    }
    file.finish();
  }
  EXPECT_SAYS(refusal({"warmup.nc"}), "warmup_posterior/x has other sizes than posterior/x");
}

}  // namespace
}  // namespace credo::cli::foreign_files_test
