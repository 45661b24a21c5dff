// Results whose bytes changed after writing, and draws outside the support of their program.
#include "results/draws/support.hpp"
#include "results/files/fit.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::damaged_result_test {
namespace {

class DamagedResult : public credo::testing::CommandRun {
 protected:
  DamagedResult() : CommandRun("damaged_result") {
    write("m.stan",
          "parameters { real mu; real<lower=0> tau; simplex[3] p; }\n"
          "model { mu ~ std_normal(); tau ~ exponential(1); p ~ dirichlet([2, 2, 2]'); }\n");
    EXPECT_EQ(run({"sample", at("m.stan"), "--draws", "50", "--warmup", "50", "--chains", "2", "-o",
                   at("fit.nc"), "--quiet", "--seed", "4"}),
              0)
        << said();
  }

  std::string bytes_of(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Draws of the first chain that occur once in the file; a rejected proposal repeats the previous draw.
  std::vector<double> drawn(const char* name) const {
    const std::string path = at("fit.nc"), bytes = bytes_of("fit.nc");
    const auto fit = results::open_fit({&path, 1});
    const density::Draws draws = fit->quantities(false, *results::find_quantity(*fit, name), 1);
    std::vector<double> once;
    for (Index s = 0; s < draws.num_draws(); ++s) {
      const std::string pattern = pattern_of(draws(s, 0, 0));
      if (bytes.find(pattern) == bytes.rfind(pattern)) once.push_back(draws(s, 0, 0));
    }
    return once;
  }

  static std::string pattern_of(double number) {
    std::string pattern(sizeof number, '\0');
    std::memcpy(pattern.data(), &number, sizeof number);
    return pattern;
  }

  // The bytes with the sign bit of this number flipped.
  static std::string with_other_sign(std::string bytes, double number) {
    const std::size_t place = bytes.find(pattern_of(number));
    EXPECT_NE(place, std::string::npos);
    bytes[place + 7] = static_cast<char>(bytes[place + 7] ^ '\x80');
    return bytes;
  }
};

TEST_F(DamagedResult, two_signs_of_a_result_are_noticed_by_every_reader) {
  const std::vector<double> tau = drawn("tau");
  const std::string once = with_other_sign(bytes_of("fit.nc"), tau.at(3));
  write("damaged.nc", with_other_sign(once, tau.at(17)));
  for (const char* command : {"summary", "diagnose", "loo", "ppc", "report", "predict", "export"}) {
    std::vector<std::string> words{command, at("damaged.nc")};
    if (words[0] == "report") words.insert(words.end(), {"-o", at("r.html")});
    if (words[0] == "predict" || words[0] == "export")
      words.insert(words.end(), {"-o", at("other.nc")});
    EXPECT_EQ(run(words), 6) << command << ": " << said();
    EXPECT_NE(on_one_line(said()).find("tau is damaged: its values don't have their check sum"),
              std::string::npos)
        << command << ": " << said();
  }
}

// mu has no bounds, so that only the check sum can show the change.
TEST_F(DamagedResult, a_sign_without_a_bound_is_noticed) {
  write("damaged.nc", with_other_sign(bytes_of("fit.nc"), drawn("mu").at(0)));
  EXPECT_EQ(run({"summary", at("damaged.nc")}), 6);
  EXPECT_NE(on_one_line(said()).find("mu is damaged"), std::string::npos) << said();
}

class DamagedCsv : public DamagedResult {
 protected:
  DamagedCsv() {
    EXPECT_EQ(run({"export", at("fit.nc"), "-o", at("fit"), "--sig-figs", "6"}), 0) << said();
  }

  // Replaces the first draw of fit_1.csv in this column.
  void change(const std::string& column, const std::function<std::string(std::string)>& other) {
    std::ifstream file(at("fit_1.csv"));
    std::string text, line;
    std::size_t place = 0;
    bool is_done = false;
    while (std::getline(file, line)) {
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      const bool is_draw = !line.empty() && line[0] != '#' && line[0] != 'l';
      if (line.starts_with("lp__"))
        place = static_cast<std::size_t>(std::ranges::find(cells, column) - cells.begin());
      if (is_draw && !is_done) {
        cells.at(place) = other(cells.at(place));
        line.clear();
        for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + cell;
        is_done = true;
      }
      text += line + "\n";
    }
    write("other_1.csv", text);
  }
  int diagnose() {
    return run({"diagnose", at("other_1.csv"), at("fit_2.csv"), "--model", at("m.stan")});
  }
};

TEST_F(DamagedCsv, draws_outside_of_their_support_are_refused) {
  change("tau", [](const std::string& cell) { return "-" + cell; });
  EXPECT_EQ(diagnose(), 4);
  EXPECT_NE(on_one_line(said()).find("at draw 1 of chain 1, and its lower bound is 0"),
            std::string::npos)
      << said();
  change("p.2", [](const std::string& cell) { return cell + "1"; });  // the sum is still right
  EXPECT_EQ(diagnose(), 0) << said();
  change("p.2", [](const std::string&) { return "0.999999"; });
  EXPECT_EQ(diagnose(), 4);
  EXPECT_NE(on_one_line(said()).find("the sum of p is"), std::string::npos) << said();
}

// Six digits of three elements: an error of at most 1.5e-6.
TEST_F(DamagedCsv, rounded_draws_are_right) {
  EXPECT_EQ(run({"diagnose", at("fit_1.csv"), at("fit_2.csv"), "--model", at("m.stan")}), 0)
      << said();
}

TEST(rounding_of, is_half_a_unit_of_the_last_digit) {
  EXPECT_NEAR(results::rounding_of(3.14159), 5e-6, 1e-12);
  EXPECT_NEAR(results::rounding_of(-2.58), 5e-3, 1e-9);
  EXPECT_EQ(results::rounding_of(0.0), 0.0);
  EXPECT_LT(results::rounding_of(-2.5812345678901234), 1e-14);
  const double single = static_cast<double>(0.1F);
  EXPECT_NEAR(results::rounding_of(single), single * 0x1p-24, 1e-12);
}

}  // namespace
}  // namespace credo::cli::damaged_result_test
