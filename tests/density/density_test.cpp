#include <gtest/gtest.h>

#include "base/error.hpp"
#include "density/draws.hpp"
#include "density/function_density.hpp"
#include "density/path_density.hpp"
#include "density/state_space.hpp"
#include "density/sum_density.hpp"

namespace credo::density::density_test {
namespace {

TEST(draws, keep_the_draws_of_one_chain_and_quantity_together) {
  Draws draws(3, 2, 2);
  for (Index s = 0; s < 3; ++s)
    for (Index c = 0; c < 2; ++c) {
      const double value = static_cast<double>(100 * c + s);
      draws.set(s, c, std::vector<double>{value, -value});
    }
  const std::span<const double> chain = draws.chain(1, 1), quantity = draws.quantity(0);
  EXPECT_EQ(std::vector<double>(chain.begin(), chain.end()),
            (std::vector<double>{-100, -101, -102}));
  EXPECT_EQ(std::vector<double>(quantity.begin(), quantity.end()),
            (std::vector<double>{0, 1, 2, 100, 101, 102}));
}

TEST(draws, head_keeps_the_first_draws_of_every_chain) {
  Draws draws(3, 2, 1);
  draws.set(1, 1, std::vector<double>{7.0});
  const Draws head = draws.head(2);
  EXPECT_EQ(head.num_draws(), 2);
  EXPECT_EQ(head(1, 1, 0), 7.0);
  EXPECT_TRUE(std::isnan(head(0, 0, 0)));
}

Request ask(double value, double slope) {
  const auto density = make_density(1, [&](std::span<const double>, std::span<double> gradient) {
    gradient[0] = slope;
    return value;
  });
  const double position = 0.0;
  static double gradient;
  Request request{.position = {&position, 1}, .gradient = {&gradient, 1}, .status = {}};
  Request* batch[] = {&request};
  density->make_evaluator()->evaluate(Want::gradient, batch);
  EXPECT_FALSE(density->describe(request.status).empty());
  return request;
}

TEST(draws, part_shares_values_and_copy_has_its_own) {
  Draws draws(3, 2, 4);
  for (Index k = 0; k < 4; ++k)
    for (Index c = 0; c < 2; ++c)
      for (Index s = 0; s < 3; ++s) draws(s, c, k) = static_cast<double>(100 * k + 10 * c + s);
  Draws part = draws.part(1, 2);
  EXPECT_EQ(part.num_quantities(), 2);
  EXPECT_EQ(part(2, 1, 0), 112.0);
  EXPECT_EQ(part.quantity(1).data(), draws.quantity(2).data());
  Draws copy = part;
  copy(2, 1, 0) = -1.0;
  EXPECT_EQ(draws(2, 1, 1), 112.0);
  draws = Draws();  // the part keeps the values alive
  EXPECT_EQ(part.chain(0, 1)[2], 202.0);
  copy = part;
  EXPECT_EQ(copy(2, 1, 0), 112.0);
}

TEST(function_density, refuses_what_is_not_finite_and_says_why) {
  EXPECT_TRUE(ask(1.5, 0.0).status.ok());
  for (const auto& [value, slope, why] :
       {std::tuple{kNaN, 0.0, FunctionStatus::not_a_number},
        std::tuple{kInfinity, 0.0, FunctionStatus::infinite},
        std::tuple{-kInfinity, 0.0, FunctionStatus::outside_support},
        std::tuple{0.0, kNaN, FunctionStatus::bad_gradient}}) {
    const Request refused = ask(value, slope);
    EXPECT_EQ(refused.log_density, -kInfinity);
    EXPECT_EQ(refused.status.source, static_cast<std::int32_t>(why));
  }
}

// Refuses everywhere, with a number of its own, and says it.
class Refusing : public LogDensity {
 public:
  explicit Refusing(std::int32_t number) : number_(number) {}
  Index dimension() const override { return 1; }
  bool has_gradient() const override { return false; }
  std::unique_ptr<Evaluator> make_evaluator() const override {
    class Asked final : public Evaluator {
     public:
      explicit Asked(std::int32_t number) : number_(number) {}
      void evaluate(Want, std::span<Request* const> batch) override {
        for (Request* request : batch) {
          request->status = {.source = number_};
          request->log_density = number_ == 0 ? 0.0 : -kInfinity;
        }
      }

     private:
      std::int32_t number_;
    };
    return std::make_unique<Asked>(number_);
  }
  std::string describe(const Status& status) const override {
    return std::to_string(status.source);
  }

 private:
  std::int32_t number_;
};

// Only filters can compute its likelihood.
class WithoutStates final : public Refusing {
 public:
  WithoutStates() : Refusing(1) {}
  Capability has_likelihood() const override {
    return {.can = false, .reason = "its states are left out"};
  }
};

class StandIn final : public Refusing {
 public:
  explicit StandIn(const LogDensity& of) : Refusing(2), of_(of) {}
  Capability has_likelihood() const override { return of_.has_likelihood(); }

 private:
  const LogDensity& of_;
};

TEST(log_density, that_stands_for_another_one_may_pass_questions_on) {
  const Refusing plain(1);
  EXPECT_EQ(plain.as_model(), nullptr);
  EXPECT_EQ(plain.make_state_space(), nullptr);
  EXPECT_NO_THROW(require_likelihood(StandIn(plain), "nuts"));
  const WithoutStates other;
  try {
    require_likelihood(StandIn(other), "nuts");
    ADD_FAILURE() << "the question wasn't passed on";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "nuts needs the likelihood, and its states are left out");
  }
}

std::string told_by(const LogDensity& density) {
  const double position = 0.0;
  Request request{.position = {&position, 1}, .gradient = {}, .status = {}, .weight = 0.5};
  Request* batch[] = {&request};
  density.make_evaluator()->evaluate(Want::value, batch);
  EXPECT_FALSE(request.status.ok());
  return density.describe(request.status);
}

// Programs number some of their refusals below 0.
TEST(two_densities, are_each_asked_what_their_own_refusal_means) {
  const Refusing fine(0);
  for (const std::int32_t number : {-7, -2, -1, 1, 2, 7}) {
    const Refusing refusing(number);
    EXPECT_EQ(told_by(PathDensity(refusing, fine)), std::to_string(number));
    EXPECT_EQ(told_by(PathDensity(fine, refusing)), std::to_string(number));
    EXPECT_EQ(told_by(SumDensity(refusing, fine)), std::to_string(number));
    EXPECT_EQ(told_by(SumDensity(fine, refusing)), std::to_string(number));
  }
}

}  // namespace
}  // namespace credo::density::density_test
