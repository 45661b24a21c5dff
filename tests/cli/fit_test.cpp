// A fit is the same fit wherever its draws are.
#include "cli/fit.hpp"

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/run_store.hpp"
#include "io/file.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char* kProgram =
    "data { int<lower=0> N; vector[N] y; }\n"
    "parameters { real m; matrix[2, 3] B; }\n"
    "transformed parameters { tuple(real, vector[2]) t = (2 * m, B[, 1]); }\n"
    "model { m ~ std_normal(); to_vector(B) ~ std_normal(); y ~ normal(m, 1); }\n"
    "generated quantities { array[2] int k; k[1] = poisson_rng(3); k[2] = N; }\n";

class Fits : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_fit_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("m.stan", kProgram);
    write("d.json", "{\"N\": 3, \"y\": [0.5, 1, 2.25]}");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  int run(std::vector<std::string> words) const {
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  // A run of two chains.
  void sample(const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {
        "sample", path("m.stan"), "--data", path("d.json"), "--chains", "2",         "--warmup",
        "60",     "--draws",      "40",     "--quiet",      "-o",       path(output)};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said_;
  }
  std::unique_ptr<Fit> open(std::initializer_list<const char*> names) const {
    std::vector<std::string> paths;
    for (const char* name : names) paths.push_back(path(name));
    return open_fit(paths);
  }

  fs::path folder_;
  mutable std::string said_;
};

std::vector<double> all_of(const Fit& fit, bool warmup = false) {
  const density::Draws draws = fit.quantities(warmup, 0, num_quantities(fit));
  std::vector<double> values;
  for (Index k = 0; k < draws.num_quantities(); ++k) {
    const auto part = draws.quantity(k);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::vector<std::string> names_of(const Fit& fit) {
  std::vector<std::string> names;
  for (Index k = 0; k < num_quantities(fit); ++k) names.push_back(quantity_name(fit, k));
  return names;
}

TEST_F(Fits, netcdf_and_csv_have_the_same_draws_bit_for_bit) {
  sample("fit.nc", {"--save-warmup"});
  sample("fit", {"--save-warmup"});
  const auto netcdf = open({"fit.nc"}), csv = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_EQ(names_of(*netcdf), names_of(*csv));
  EXPECT_EQ(netcdf->num_draws(true), 60);
  for (const bool warmup : {false, true}) EXPECT_EQ(all_of(*netcdf, warmup), all_of(*csv, warmup));
}

TEST_F(Fits, a_part_read_is_that_part_of_the_whole) {
  sample("fit.nc");
  sample("fit");
  for (const auto& fit : {open({"fit.nc"}), open({"fit_1.csv", "fit_2.csv"})}) {
    const Index count = num_quantities(*fit);
    const density::Draws all = fit->quantities(false, 0, count);
    for (Index first = 0; first < count; ++first)
      for (Index num = 1; first + num <= count; ++num) {
        const density::Draws part = fit->read(
            {.first = first, .count = num, .first_chain = 1, .first_draw = 3, .num_draws = 5});
        ASSERT_EQ(part.num_chains(), 1);
        for (Index k = 0; k < num; ++k)
          for (Index s = 0; s < 5; ++s) ASSERT_EQ(part(s, 0, k), all(3 + s, 1, first + k));
      }
  }
}

TEST_F(Fits, the_walkers_of_an_ensemble_are_chains_everywhere) {
  sample("fit.nc", {"--sampler", "ensemble"});
  sample("fit", {"--sampler", "ensemble"});
  const auto netcdf = open({"fit.nc"}), csv = open({"fit_1.csv", "fit_2.csv"});
  EXPECT_GT(netcdf->num_walkers(), 1);
  EXPECT_EQ(netcdf->num_chains(), 2 * netcdf->num_walkers());
  EXPECT_EQ(csv->num_walkers(), netcdf->num_walkers());
  EXPECT_EQ(all_of(*netcdf), all_of(*csv));
}

TEST_F(Fits, variables_have_their_sizes_and_blocks) {
  sample("fit.nc");
  const auto fit = open({"fit.nc"});
  std::string text;
  for (const FitVariable& variable : fit->variables()) {
    text += variable.name + "(";
    for (const Index dim : variable.dims) text += std::to_string(dim) + " ";
    text += ") " + variable.block + "\n";
  }
  EXPECT_EQ(text,
            "m() parameters\nB(2 3 ) parameters\nt:1() transformed parameters\n"
            "t:2(2 ) transformed parameters\nk(2 ) generated quantities\n");
}

TEST_F(Fits, quantities_are_found_by_every_name_they_have) {
  sample("fit.nc");
  const auto fit = open({"fit.nc"});
  EXPECT_EQ(find_quantity(*fit, "lp__"), 0);
  EXPECT_EQ(find_quantity(*fit, "divergent__"), find_quantity(*fit, "divergent"));
  EXPECT_EQ(find_quantity(*fit, "B.2.1"), find_quantity(*fit, "B[2,1]"));
  EXPECT_EQ(quantity_name(*fit, *find_quantity(*fit, "B[1, 3]")), "B.1.3");
  EXPECT_FALSE(find_quantity(*fit, "B"));
}

TEST_F(Fits, the_model_can_be_made_again_from_the_result_alone) {
  write("inc.stan", "m ~ std_normal();\n");
  write("m.stan", "data { int N; }\nparameters { real m; }\nmodel {\n#include inc.stan\n}\n");
  write("d.json", "{\"N\": 3}");
  sample("fit.nc", {"-I", folder_});
  for (const char* name : {"m.stan", "inc.stan", "d.json"}) fs::remove(folder_ / name);
  const auto model = rebuild_model(*open({"fit.nc"}));
  EXPECT_EQ(model->dimension(), 1);
  EXPECT_EQ(model->evaluate_in_full(std::vector<double>{2.0}).gradient, std::vector<double>{-2.0});
}

TEST_F(Fits, another_file_is_refused_with_its_name) {
  write("other.nc", "this is text");
  write("empty.csv", "");
  for (const char* name : {"other.nc", "empty.csv", "absent.nc"}) {
    try {
      open({name});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace credo::cli
