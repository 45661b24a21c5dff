// credo summary and credo plot for files of filters and smoothers.
#include <fmt/format.h>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/svg_marks.hpp"

namespace credo::cli::state_files_test {
namespace {
using ::credo::testing::Json;

// A local level with two gaps, observed with normal noise of standard deviation 0.5.
class StateFiles : public ::credo::testing::CommandRun {
 protected:
  StateFiles() : CommandRun("state_files") {
    write(
        "level.stan",
        "functions {\n"
        "  real initial_rng(real s) { return normal_rng(0, 1); }\n"
        "  real initial_lpdf(real x) { return normal_lpdf(x | 0, 1); }\n"
        "  real transition_rng(real before, real s) { return normal_rng(before, s); }\n"
        "  real transition_lpdf(real x, real before, real s) { return normal_lpdf(x | before, s); "
        "}\n"
        "  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 0.5); }\n"
        "}\n"
        "data { int T; vector[T] y; } parameters { real<lower=0> s; vector[T] x; }\n");
    write("level.json", R"({"T": 8, "y": [0.2, 0.5, "NaN", 1.1, 1.4, "NaN", 2.0, 1.7]})");
    write("at.json", R"({"s": 0.4})");
  }
  Json made(const std::string& command, const std::string& method, const std::string& file) {
    return json({command, at("level.stan"), "--data", at("level.json"), "--parameters",
                 at("at.json"), "--method", method, "--seed", "3", "-o", at(file)});
  }
  const std::vector<double> y_ = {0.2, 0.5, kNaN, 1.1, 1.4, kNaN, 2.0, 1.7};
};

void expect_same_times(const Json& fields, const Json& told) {
  for (std::size_t t = 0; t < 8; ++t) {
    const Json& at = told.at("times").items[t];
    const auto shown = [&](const std::string& name) {
      return fields.at("x_" + name).at("values").items.at(t).number;
    };
    for (const char* name : {"mean", "sd"}) EXPECT_EQ(shown(name), at.at(name).items.at(0).number);
    for (const auto& [name, place] :
         {std::pair{"q5", 0u}, std::pair{"q50", 1u}, std::pair{"q95", 2u}})
      EXPECT_EQ(shown(name), at.at("quantiles").items.at(place).number) << name;
  }
}

TEST_F(StateFiles, summary_shows_what_the_command_told) {
  for (const auto& [command, method] :
       {std::pair{"filter", "kalman"}, std::pair{"filter", "bootstrap"},
        std::pair{"smooth", "kalman"}, std::pair{"smooth", "ffbs"}}) {
    const Json told = made(command, method, "states.nc");
    const std::string group = command == std::string("filter") ? "filtered" : "smoothed";
    const Json shown = json({"summary", at("states.nc")});
    EXPECT_EQ(shown.at("attributes").at("log_likelihood").number, told.at("log_likelihood").number);
    expect_same_times(shown.at("groups").at(group).at("fields"), told);
    ASSERT_EQ(run({"summary", at("states.nc")}), 0) << said();
    EXPECT_NE(printed().find(fmt::format("{:<22} {}\n", "method", method)), std::string::npos);
    EXPECT_NE(printed().find("\n" + group + "\n"), std::string::npos) << printed();
    EXPECT_NE(printed().find("x_q95"), std::string::npos) << printed();
  }
}

TEST_F(StateFiles, plot_shows_bands_and_outcomes_by_time) {
  const Json told = made("filter", "bootstrap", "states.nc");
  for (const std::vector<std::string>& kind :
       {std::vector<std::string>{}, std::vector<std::string>{"states"}}) {
    std::vector<std::string> words{"plot", at("states.nc"), "-o", at("p.svg")};
    words.insert(words.begin() + 2, kind.begin(), kind.end());
    ASSERT_EQ(run(words), 0) << said();
    const auto panels = ::credo::testing::SvgReader(io::read_file(at("p.svg"))).panels();
    ASSERT_EQ(panels.size(), 3u);  // the state, the outcomes, effective particles
    const auto& band = panels[0].mark("area", "interval").pieces[0];
    const auto& median = panels[0].mark("line", "posterior").pieces[0];
    for (std::size_t t = 0; t < 8; ++t) {
      const auto& q = told.at("times").items[t].at("quantiles").items;
      EXPECT_NEAR(band[t].y, q[2].number, 1.1 * panels[0].y_pixel);
      EXPECT_NEAR(band[15 - t].y, q[0].number, 1.1 * panels[0].y_pixel);
      EXPECT_NEAR(median[t].y, q[1].number, 1.1 * panels[0].y_pixel);
      EXPECT_NEAR(median[t].x, static_cast<double>(t + 1), 1.1 * panels[0].x_pixel);
    }
    EXPECT_EQ(panels[1].title, "y, observed");
    const auto points = panels[1].mark("points", "observed").points();
    ASSERT_EQ(points.size(), 6u);  // gaps keep their places
    EXPECT_NEAR(points[2].x, 4.0, 1.1 * panels[1].x_pixel);
    EXPECT_NEAR(points[2].y, 1.1, 1.1 * panels[1].y_pixel);
  }
}

TEST_F(StateFiles, a_smoother_file_still_holds_its_paths_as_draws) {
  made("smooth", "ffbs", "smoothed.nc");
  const Json rows = json({"summary", at("smoothed.nc"), "--columns", "x[4]"});
  EXPECT_EQ(rows.items[0].at("name").text, "x.4");
  EXPECT_EQ(run({"plot", at("smoothed.nc"), "path", "--columns", "x", "--width", "60"}), 0)
      << said();
}

TEST_F(StateFiles, says_what_a_file_does_not_hold) {
  made("filter", "kalman", "states.nc");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"plot", at("states.nc"), "trace"},
        std::vector<std::string>{"summary", at("states.nc"), "--columns", "x"},
        std::vector<std::string>{"report", at("states.nc"), "-o", at("r.html")}}) {
    EXPECT_EQ(run(words), 6);
    EXPECT_NE(said().find("credo filter"), std::string::npos) << said();
  }
  EXPECT_EQ(run({"plot", at("level.json"), "states"}), 6);
  EXPECT_EQ(run({"plot", at("states.nc"), "--columns", "z"}), 2);
}

}  // namespace
}  // namespace credo::cli::state_files_test
