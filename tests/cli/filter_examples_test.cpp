// Particle filters: the worked examples of the texts (docs/text-examples.md) by credo filter, beside exact filters where there are any.
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/kalman.hpp"
#include "text_examples.hpp"

namespace credo::cli::filter_examples_test {
namespace {

class FilterExamples : public TextExamples {
 protected:
  FilterExamples() : TextExamples("filter_examples") {}

  // The data of an example with some of its text replaced, in the test's own folder.
  std::string changed(const std::string& data, const std::string& from, const std::string& to) {
    std::string text = io::read_file(example("filters/" + data + ".json"));
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    write("changed.json", text.replace(place, from.size(), to));
    return at("changed.json");
  }
};

double root_mean_square(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += (a[k] - b[k]) * (a[k] - b[k]) / static_cast<double>(a.size());
  return std::sqrt(sum);
}
std::vector<double> column(const testing::Json& rows, std::size_t e) {
  std::vector<double> all;
  for (const testing::Json& row : rows.items) all.push_back(row.items.at(e).value());
  return all;
}

// The mean of the particles is nearer to the path than what was seen, and it is the same with four times as many. The standard error of a
// mean of 2,000 particles is about 1 / sqrt(2000) of the standard deviation, 0.02; a tenth is asked for.
TEST_F(FilterExamples, follow_a_path_in_two_dimensions) {
  const Json data = example_data("filters/tracking.json");
  const Json found =
      filter("tracking", "tracking", {"--particles", "2000", "--repeats", "2", "--seed", "2"});
  const Json more =
      filter("tracking", "tracking", {"--particles", "8000", "--repeats", "2", "--seed", "3"});
  for (const std::size_t e : {0u, 1u}) {
    const auto truth = column(data.at("truth"), e), seen = column(data.at("y"), e);
    EXPECT_LT(root_mean_square(means_of(found, e), truth), 0.6 * root_mean_square(seen, truth));
    double sd = 0.0;
    for (const Json& t : more.at("times").items) sd += t.at("sd").items[e].number / 60.0;
    EXPECT_LT(root_mean_square(means_of(found, e), means_of(more, e)), 0.1 * sd);
  }
  EXPECT_NEAR(found.at("log_likelihood").number, more.at("log_likelihood").number, 0.3);
}

// Outcomes that depend on the whole path: kept as it is, or by its sum, it has one likelihood, that of the Kalman filter.
double exact_of_path_model(const testing::Json& data) {
  const double phi = data.at("phi").number, q = data.at("q").number, beta = data.at("beta").number,
               r = data.at("r").number;
  std::vector<numerics::LinearGaussianStep> steps;
  for (const auto& y : data.at("y").items)
    steps.push_back({.matrix = {phi, phi, 0.0, beta},
                     .offset = {0.0, 0.0},
                     .noise = {q * q, q * q, q * q, q * q},
                     .observation = {0.0, 1.0},
                     .observation_offset = {0.0},
                     .observation_noise = {r * r},
                     .outcome = {y.number}});
  return numerics::kalman_filter(steps).log_likelihood;
}
TEST_F(FilterExamples, keep_a_whole_path_in_the_state) {
  const Json data = example_data("filters/nonmarkov.json");
  const double exact = exact_of_path_model(data);
  const std::vector<std::string> size{"--particles", "400", "--repeats", "100"};
  const Json path = filter("nonmarkov_path", "nonmarkov", size),
             sum = filter("nonmarkov", "nonmarkov", size);
  EXPECT_LT(std::abs(bias(path, exact).z), 3.0);
  // The last sum of the path, from the path's means: both estimates are of one number.
  const double beta = data.at("beta").number;
  double last = 0.0;
  for (const Json& z : path.at("times").items.back().at("mean").items)
    last = beta * last + z.number;
  const double r = data.at("r").number;
  EXPECT_NEAR(last, means_of(sum, 1).back(), 0.5 * r);  // each rests on some tens of particles
}

// Three draws against the staircase of weights 0.4, 0.45, 0.15: the ancestors (1, 2, 2) come with probability 3 W_1 W_2^2 from
// independent draws, and, from strata (0, 1/3), (1/3, 2/3), (2/3, 1), with that of the second draw above 0.4 and the third below 0.85.
TEST_F(FilterExamples, draw_ancestors_against_a_staircase) {
  const std::vector<double> weights{0.4, 0.45, 0.15};
  const auto share = [&](const char* scheme) {
    std::vector<std::int32_t> parents(3);
    int hits = 0;
    for (std::uint32_t k = 0; k < 20000; ++k) {
      Rng rng({.seed = 4, .purpose = purpose::kTest, .chain = 0, .iteration = k});
      infer::resampling_scheme(scheme).draw({weights, 1.0}, rng, parents);
      hits += parents == std::vector<std::int32_t>{0, 1, 1} ? 1 : 0;
    }
    return hits / 20000.0;
  };
  const double independent = 3.0 * 0.4 * 0.45 * 0.45, strata = 0.8 * 0.55;
  EXPECT_NEAR(share("multinomial"), independent, kTextErrors * std::sqrt(0.25 / 20000.0));
  EXPECT_NEAR(share("stratified"), strata, kTextErrors * std::sqrt(0.25 / 20000.0));
  // One uniform number u: (1 + u) / 3 > 0.4 and (2 + u) / 3 < 0.85 for u in (0.2, 0.55).
  EXPECT_NEAR(share("systematic"), 0.35, kTextErrors * std::sqrt(0.25 / 20000.0));
}

// A mean that is a state without noise: fewer values at each resampling, never more. Of 1,000 outcomes the posterior has the standard
// deviation 0.0316, where 100 draws of the prior are 0.1 apart: a few of them are left, and one run in four is more than three of its own
// standard deviations from the exact mean, as one in 370 may be. Artificial noise keeps a spread, of another
// distribution: the first outcome is forgotten.
TEST_F(FilterExamples, collapse_where_a_state_does_not_move) {
  const Json data = example_data("filters/static_mean.json");
  const std::vector<double> y = numbers(data.at("y"));
  double exact = 0.0;
  for (const double one : y) exact += one / (1000.0 + 1.0 / 9.0);
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Json found =
        filter("static_mean", "static_mean",
               {"--particles", "100", "--repeats", "1", "--seed", std::to_string(seed)});
    double before = 100.0;
    for (const Json& t : found.at("times").items) {
      EXPECT_LE(t.at("num_roots").number, before);
      before = t.at("num_roots").number;
    }
    EXPECT_LE(before, 10.0);
    const Json& last = found.at("times").items.back();
    wrong += std::abs(last.at("mean").items[0].number - exact) > 3.0 * last.at("sd").items[0].number
                 ? 1
                 : 0;
  }
  std::printf("%d of 20 runs are more than three standard deviations away\n", wrong);
  EXPECT_GE(wrong, 3);  // of a right filter: with probability 2e-5
  // With noise, exactly: how far the first outcome, if it were 10 more, would move the last mean; without it, by 0.01.
  const std::string with = changed("static_mean", "\"drift\": 0", "\"drift\": 0.3");
  const auto last = [&](const std::string& file) {
    return means_of(filter("static_mean", file, {"--method", "kalman"}), 0).back();
  };
  const double mean = last(with);
  std::string text = io::read_file(with);
  const std::size_t first = text.find('[') + 1, end = text.find(',', first);
  write("moved.json", text.replace(first, end - first, std::to_string(y[0] + 10.0)));
  EXPECT_LT(std::abs(last(at("moved.json")) - mean), 1e-9);
  // The spread that stays: the fixed point of 1 / P = 1 / (P + q^2) + 1.
  double p = 1.0;
  for (int k = 0; k < 200; ++k) p = 1.0 / (1.0 / (p + 0.09) + 1.0);
  const Json kalman = filter("static_mean", with, {"--method", "kalman"});
  EXPECT_NEAR(kalman.at("times").items.back().at("sd").items[0].number, std::sqrt(p), 1e-6);
}

// Laplace's proposal sees the spikes: more effective particles at every time, and a likelihood that ten times as many particles of the
// bootstrap filter find with more error.
TEST_F(FilterExamples, read_a_hand_from_spikes_better_by_laplace_proposals) {
  const Json guided = filter("spikes", "spikes",
                             {"--method", "guided", "--particles", "500", "--repeats", "20"}),
             plain = filter("spikes", "spikes", {"--particles", "500", "--repeats", "2"}),
             many = filter("spikes", "spikes", {"--particles", "5000", "--repeats", "10"});
  int higher = 0;
  double of_guided = 0.0, of_plain = 0.0;
  for (std::size_t t = 0; t < 25; ++t) {
    const double g = guided.at("times").items[t].at("ess").number,
                 b = plain.at("times").items[t].at("ess").number;
    higher += g > b ? 1 : 0;
    of_guided += g / 25.0, of_plain += b / 25.0;
  }
  std::printf("effective particles of 500: guided %.0f, bootstrap %.0f; higher at %d of 25\n",
              of_guided, of_plain, higher);
  EXPECT_GE(higher, 24);
  EXPECT_GT(of_guided, 4.0 * of_plain);
  EXPECT_LT(guided.at("error").number, many.at("error").number);
  EXPECT_NEAR(guided.at("log_likelihood").number, many.at("log_likelihood").number,
              4.0 * std::hypot(guided.at("error").number, many.at("error").number));
}

// Importance sampling inside of each particle: unbiased for any number of candidates, and less variance with more of them, down to that
// of the optimal proposal.
TEST_F(FilterExamples, take_proposals_that_are_importance_sampling) {
  const double exact = exact_of_path_model(example_data("filters/nonmarkov.json"));
  std::map<int, double> variance;
  for (const int candidates : {1, 5, 50}) {
    write("candidates.json", "{\"M\": " + std::to_string(candidates) + "}");
    const Json run =
        filter("nested_proposal", "nonmarkov",
               {"--data", at("candidates.json"), "--particles", "100", "--repeats", "200"});
    const Bias found = bias(run, exact);
    EXPECT_LT(std::abs(found.z), 3.0) << candidates;
    variance[candidates] = found.variance;
    if (candidates < 50) continue;
    EXPECT_GT(std::abs(bias(run, exact + 0.1).z), 3.0);  // a bias would be seen
  }
  const double optimal =
      bias(filter("nonmarkov", "nonmarkov",
                  {"--method", "guided", "--particles", "100", "--repeats", "200"}),
           exact)
          .variance;
  std::printf("variance of the likelihood over its square: %.3f, %.3f, %.4f; optimal %.4f\n",
              variance[1], variance[5], variance[50], optimal);
  EXPECT_LT(variance[5], 0.6 * variance[1]);
  EXPECT_LT(variance[50], 0.6 * variance[5]);
  EXPECT_LT(optimal, 1.5 * variance[50]);
}

// Few particles: those that are Kalman filters lose less to the target than points, over 10 seeds (of other targets the reference has 10
// against 17.6 with 20 particles).
TEST_F(FilterExamples, lose_a_manoeuvre_less_by_kalman_filters_than_by_points) {
  const Json truth = example_data("filters/manoeuvre.json").at("truth");
  const auto error = [&](const std::string& program, std::vector<std::string> more) {
    double sum = 0.0;
    for (int seed = 1; seed <= 10; ++seed) {
      std::vector<std::string> words{"--particles", "20",     "--repeats",
                                     "1",           "--seed", std::to_string(seed)};
      words.insert(words.end(), more.begin(), more.end());
      const Json found = filter(program, "manoeuvre", words);
      for (const std::size_t e : {0u, 2u})
        sum += std::pow(root_mean_square(means_of(found, e), column(truth, e)), 2.0) / 10.0;
    }
    return sum;
  };
  const double kalman = error("manoeuvre", {"--method", "rao-blackwellised"}),
               points = error("manoeuvre_points", {});
  std::printf("mean squared error of the place: %.2f, %.2f\n", kalman, points);
  EXPECT_LT(kalman, 0.8 * points);
}

// The same model as one normal distribution of the robot and all landmarks: its likelihood, and what it knows of each
// landmark at the end.
numerics::KalmanResult exact_landmarks(const testing::Json& data) {
  const auto k = static_cast<std::size_t>(data.at("K").number), d = k + 1;
  const double q = data.at("q").number, r = data.at("r").number, far = data.at("far").number;
  std::vector<numerics::LinearGaussianStep> steps;
  for (std::size_t t = 0; t < data.at("y").items.size(); ++t) {
    numerics::LinearGaussianStep step;
    std::vector<double> identity(d * d, 0.0), noise(d * d, 0.0), observation(k * d, 0.0),
        error(k * k, 0.0);
    for (std::size_t e = 0; e < d; ++e) {
      identity[e * d + e] = 1.0;
      noise[e * d + e] = t == 0 ? (e == 0 ? 0.0 : far * far) : (e == 0 ? q * q : 0.0);
    }
    for (std::size_t e = 0; e < k; ++e) {  // column-major, k rows
      observation[e] = -1.0, observation[(e + 1) * k + e] = 1.0;
      error[e * k + e] = r * r;
    }
    if (t > 0) step.matrix = identity;
    step.offset.assign(d, 0.0);
    if (t > 0) step.offset[0] = data.at("step").items[t].number;
    step.noise = noise, step.observation = observation, step.observation_noise = error;
    step.observation_offset.assign(k, 0.0);
    for (const testing::Json& y : data.at("y").items[t].items) step.outcome.push_back(y.value());
    steps.push_back(std::move(step));
  }
  return numerics::kalman_filter(steps);
}

TEST_F(FilterExamples, map_landmarks_by_a_kalman_filter_of_each) {
  const Json data = example_data("filters/landmarks.json");
  const numerics::KalmanResult exact = exact_landmarks(data);
  const Json found = filter("landmarks", "landmarks", {"--particles", "1000", "--repeats", "60"});
  EXPECT_LT(std::abs(bias(found, exact.log_likelihood).z), 3.0);
  // Means of the landmarks rest on particles that share ancestors: half of the distribution's own standard deviation
  // is asked for, over 20 seeds.
  const std::size_t d = exact.filtered.back().mean.size();
  const auto covariance = exact.filtered.back().covariance();
  std::vector<double> mean(d, 0.0);
  for (int seed = 1; seed <= 20; ++seed) {
    const Json one =
        filter("landmarks", "landmarks",
               {"--particles", "1000", "--repeats", "1", "--seed", std::to_string(seed)});
    for (std::size_t e = 0; e < d; ++e) mean[e] += means_of(one, e).back() / 20.0;
  }
  for (std::size_t e = 0; e < d; ++e)
    EXPECT_NEAR(mean[e], exact.filtered.back().mean[e], 0.25 * std::sqrt(covariance[e * d + e]))
        << e;
}

// An object that turns beside a wall of another colour is followed, to less than half of its side; where the wall has its colour the
// posterior widens to both, and most runs end on the wall.
TEST_F(FilterExamples, lose_an_object_to_a_wall_of_its_colour) {
  const Json data = example_data("filters/object.json");
  const auto x = column(data.at("path"), 0), y = column(data.at("path"), 1);
  const auto wall = numbers(data.at("wall"));
  double widest[2] = {0.0, 0.0};
  int lost[2] = {0, 0};
  for (const int is_red : {0, 1})
    for (int seed = 1; seed <= 10; ++seed) {
      const Json found = filter("object", is_red == 1 ? "object_lost" : "object",
                                {"--particles", "250", "--resample-below", "0.6", "--repeats", "1",
                                 "--seed", std::to_string(seed)});
      if (is_red == 0) {
        EXPECT_LT(root_mean_square(means_of(found, 0), x), 1.5);  // half of its side
        EXPECT_LT(root_mean_square(means_of(found, 1), y), 1.5);
      }
      const double from_object =
          std::hypot(means_of(found, 0).back() - x.back(), means_of(found, 1).back() - y.back());
      const double from_wall =
          std::hypot(means_of(found, 0).back() - wall[0], means_of(found, 1).back() - wall[1]);
      lost[is_red] += from_wall < from_object ? 1 : 0;
      double sd = 0.0;
      for (const Json& t : found.at("times").items) sd = std::max(sd, t.at("sd").items[0].number);
      widest[is_red] += sd / 10.0;
    }
  std::printf("lost: %d and %d of 10; widest standard deviation %.2f, %.2f pixels\n", lost[0],
              lost[1], widest[0], widest[1]);
  EXPECT_EQ(lost[0], 0);
  EXPECT_GE(lost[1], 5);
  EXPECT_GT(widest[1], 1.3 * widest[0]);
}

// The robot: by particles as by sums over all cells, of one text whose states are discrete parameters. What it believes at first is broad, rooms among it; then it knows that it is in a
// corridor, in one of two that look alike; at the end of the corridor both hypotheses are left, and beyond it one.
TEST_F(FilterExamples, localise_a_robot_as_the_exact_filter_does) {
  const Json data = example_data("filters/robot.json");
  const Json exact =
      json({"exact", example("filters/robot.stan"), "--data", example("filters/robot.json")});
  const Json found = filter("robot", "robot", {"--particles", "2000", "--repeats", "20"});
  EXPECT_LT(std::abs(bias(found, exact.at("log_sum").number).z), 3.0);
  const auto cells = data.at("cells").items;
  const auto belief = [&](std::size_t time) {  // of the cells, given the outcomes up to then
    const std::string file = changed("robot", "\"seen\": 10", "\"seen\": " + std::to_string(time));
    const Json told = json({"exact", example("filters/robot.stan"), "--data", file});
    return numbers(told.at("parameters").items.at(time - 1).at("probabilities"));
  };
  // The share of beliefs for which a cell is where it is asked for.
  const auto share = [&](const std::vector<double>& p, const std::function<bool(int, int)>& holds) {
    double sum = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k)
      if (holds(static_cast<int>(cells[k].items[0].number),
                static_cast<int>(cells[k].items[1].number)))
        sum += p[k];
    return sum;
  };
  const auto in_a_room = [](int x, int) { return x > 8; };
  EXPECT_GT(share(belief(1), in_a_room), 0.2);
  EXPECT_LT(share(belief(2), in_a_room), 0.01);
  const auto third = belief(3);
  const auto upper = [](int x, int y) { return x <= 8 && y == 1; };
  const auto lower = [](int x, int y) { return x <= 8 && y == 5; };
  EXPECT_NEAR(share(third, upper), share(third, lower), 0.02);  // nothing has told them apart
  EXPECT_GT(share(third, upper), 0.4);
  EXPECT_GT(share(belief(6), [](int x, int y) { return x == 1 && y == 1; }), 0.1);
  EXPECT_GT(share(belief(6), [](int x, int y) { return x == 1 && y == 5; }), 0.1);
  EXPECT_GT(share(belief(10), [](int x, int y) { return x == 1 && y > 5; }), 0.95);
  // The particles' mean of the cell's number, at all times, in standard errors of 2,000 particles that share few ancestors.
  for (std::size_t t = 0; t < 10; ++t) {
    const auto p = belief(t + 1);
    double mean = 0.0, square = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double cell = static_cast<double>(k + 1);
      mean += p[k] * cell, square += p[k] * cell * cell;
    }
    const double sd = std::sqrt(square - mean * mean);
    EXPECT_NEAR(means_of(found, 0)[t], mean, 0.15 * sd + 1e-9) << t;
  }
}

// Health and berries: after each outcome the belief is that of the recursion p(y|z) sum of p(z | action, z before) p(z before), by
// particles and by sums over all states. The text's formula, normalised for each state before by itself, is another one. Eating tells
// more of the berries than not eating: the policy that waits learns little.
TEST_F(FilterExamples, estimate_a_state_from_actions_and_outcomes) {
  const Json data = example_data("filters/berries.json");
  const auto next = [&](double action, std::size_t before, std::size_t z) {
    return data.at("next")
        .items[static_cast<std::size_t>(action) - 1]
        .items[before]
        .items[z]
        .number;
  };
  const auto fever = numbers(data.at("fever")), action = numbers(data.at("action")),
             fever_of = numbers(data.at("fever_of"));
  std::vector<double> belief = numbers(data.at("first")), of_text = belief;
  const auto seen = [&](std::size_t t, std::size_t z) {
    return fever[t] == 1.0 ? fever_of[z] : 1.0 - fever_of[z];
  };
  const auto normalised = [](std::vector<double> p) {
    double sum = 0.0;
    for (const double x : p) sum += x;
    for (double& x : p) x /= sum;
    return p;
  };
  const Json found = filter("berries", "berries", {"--particles", "10000", "--repeats", "2"});
  double log_likelihood = 0.0, worst_of_text = 0.0;
  for (std::size_t t = 0; t < fever.size(); ++t) {
    std::vector<double> joint(4), by_parts(4);
    for (std::size_t before = 0; before < 4; ++before) {
      if (t == 0) continue;
      std::vector<double> part(4);
      for (std::size_t z = 0; z < 4; ++z) part[z] = seen(t, z) * next(action[t], before, z);
      const std::vector<double> alone = normalised(part);
      for (std::size_t z = 0; z < 4; ++z)
        joint[z] += part[z] * belief[before], by_parts[z] += alone[z] * of_text[before];
    }
    if (t == 0)
      for (std::size_t z = 0; z < 4; ++z) joint[z] = by_parts[z] = seen(t, z) * belief[z];
    double increment = 0.0, mean = 0.0, square = 0.0;
    for (const double p : joint) increment += p;
    log_likelihood += std::log(increment);
    belief = normalised(joint), of_text = normalised(by_parts);
    const std::string so_far =
        changed("berries", "\"seen\": 8", "\"seen\": " + std::to_string(t + 1));
    const Json told = json({"exact", example("filters/berries.stan"), "--data", so_far});
    const auto exact = numbers(told.at("parameters").items.at(t).at("probabilities"));
    for (std::size_t z = 0; z < 4; ++z) {
      EXPECT_NEAR(exact[z], belief[z], 1e-12) << t;
      worst_of_text = std::max(worst_of_text, std::abs(of_text[z] - belief[z]));
      mean += belief[z] * static_cast<double>(z + 1);
      square += belief[z] * static_cast<double>((z + 1) * (z + 1));
    }
    EXPECT_NEAR(told.at("log_sum").number, log_likelihood, 1e-12);
    // Particles: five standard errors of 2,000, fewer than are effective.
    EXPECT_NEAR(means_of(found, 0)[t], mean,
                5.0 * std::sqrt((square - mean * mean) / 2000.0) + 1e-9);
  }
  EXPECT_GT(worst_of_text, 0.1);
  EXPECT_GT(belief[2] + belief[3], 0.95);  // poisonous: they were eaten three times
  const std::string none =
      changed("berries", "[1, 2, 2, 1, 1, 1, 2, 1]", "[1, 1, 1, 1, 1, 1, 1, 1]");
  const Json waits = json({"exact", example("filters/berries.stan"), "--data", none});
  const auto idle = numbers(waits.at("parameters").items.at(7).at("probabilities"));
  EXPECT_NEAR(idle[2] + idle[3], 0.5, 1e-12);
}

}  // namespace
}  // namespace credo::cli::filter_examples_test
