// Kept work of a command: finished pieces and states of pieces in progress, equal to the bit; other work is refused.
#include "results/draws/work.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "infer/smc/filter_answer.hpp"
#include "io/database.hpp"
#include "results/files/run_spec.hpp"
#include "support/kept_work.hpp"

namespace credo::results::work_test {
namespace {
namespace fs = std::filesystem;
using Filtered = infer::FilterAnswer;

struct Text {
  std::string text;
  static void saved(auto& self, auto&& field) { field(self.text); }
};

class KeptWork : public testing::WorkFolder {
 protected:
  Filtered result() const {
    Filtered run;
    run.filtered.log_likelihood = -1.0 / 3.0;
    run.filtered.times = {{.ess = 7.1,
                           .max_weight = 0.1,
                           .log_increment = -kInfinity,
                           .resampled = true,
                           .num_roots = 3,
                           .mean = {0.1, kNaN},
                           .sd = {1e-300, 2.0},
                           .quantiles = {-0.0}}};
    run.arrays = {{.group = "regimes",
                   .field = "probability",
                   .dimension = "regime",
                   .help = "probability",
                   .values = {{0.25, 0.75}}}};
    run.num_checked = 12;
    return run;
  }
};

TEST_F(KeptWork, has_pieces_as_they_were_to_the_bit) {
  Work(of(1)).on_done<Filtered>()(4, result());
  {
    Work work(of(1));
    ASSERT_EQ(work.done<Filtered>().size(), 1u);
    EXPECT_EQ(archived(work.done<Filtered>().at(4)), archived(result()));
  }
  try {
    Work other(of(2));
    ADD_FAILURE() << "the pieces of another seed were taken";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("seed: the number 1 there, the number 2 here"),
              std::string::npos)
        << error.message();
  }
  Work(of(1)).end();
  EXPECT_TRUE(is_empty());
}

TEST_F(KeptWork, may_have_more_pieces_than_when_it_began) {
  const auto piece = [](Index number) { return std::to_string(number); };
  const auto all_of = [&](Index count, Index expected) {
    Work work(of(1, count));
    EXPECT_EQ(work.num_done(), expected);
    const auto all = work.run<Text>(2, [&] { return [&](Index n) { return Text{piece(n)}; }; });
    for (Index n = 0; n < count; ++n) EXPECT_EQ(all[static_cast<std::size_t>(n)].text, piece(n));
  };
  all_of(3, 0);
  all_of(5, 3);
  all_of(5, 5);
  const io::RunFile kept = io::RunFile::open(file() + ".run");
  EXPECT_EQ(specification_of(kept.facts(), file()).amounts.at("count"), "5");
}

TEST_F(KeptWork, without_a_piece_leaves_no_file) {
  { Work work(of(1)); }
  EXPECT_TRUE(is_empty());
}

TEST_F(KeptWork, has_the_states_of_pieces_in_progress) {
  const std::string state("a\0b", 3);
  {
    Work work(of(1));
    EXPECT_FALSE(work.is_due(2));  // it has just begun
    work.keep(2, state);
    work.keep(5, "another");
    EXPECT_EQ(work.kept(5), "");  // states that were there at first
    work.on_done<Filtered>()(5, result());
    work.keep(3, "a third");
  }
  {
    Work work(of(1));
    EXPECT_EQ(work.kept(2), state);
    EXPECT_EQ(work.kept(3), "a third");
    EXPECT_EQ(work.kept(1), "");
    EXPECT_EQ(work.kept(5), "");  // this piece is done
  }
  {
    io::Database kept(file() + ".run", true);
    kept.execute("UPDATE chains SET state = substr(state, 2) WHERE chain = 2");
  }
  EXPECT_THROW(Work(of(1)), Error);
}

TEST_F(KeptWork, has_the_last_state_of_each_piece_from_several_threads) {
  constexpr Index kPieces = 4, kTimes = 25;
  {
    Work work(of(kPieces));
    std::vector<std::jthread> threads;
    for (Index piece = 0; piece < kPieces; ++piece)
      threads.emplace_back([&work, piece] {
        for (Index k = 0; k <= kTimes; ++k) work.keep(piece, fmt::format("{} of {}", k, piece));
      });
    threads.clear();
    work.keep(-7, "a fit");
    work.keep(-8, "another fit");
    work.keep(-8, "");
    work.keep(-7, "a fit, later");
  }
  Work work(of(kPieces));
  for (Index piece = 0; piece < kPieces; ++piece)
    EXPECT_EQ(work.kept(piece), fmt::format("{} of {}", kTimes, piece));
  EXPECT_EQ(work.kept(-7), "a fit, later");
  EXPECT_EQ(work.kept(-8), "");
}

// ---- specifications of runs

RunSpec run_of(const std::string& members) {
  return parse_run_spec(R"({"spec":1,"model":{"program":"m.stan"},)" + members + "}", "test");
}

TEST(specification_of_a_run, has_the_identity_of_its_draws) {
  const auto of = [](const std::string& members, const char* program = "model {}") {
    return specification_of(run_of(members), {{"m.stan", program}});
  };
  const Specification one = of(R"("run":{"seed":3})");
  EXPECT_EQ(one.question, "sample");
  EXPECT_EQ(one.identity(), of(R"("run":{"seed":3,"num_threads":2,"num_draws":7})").identity());
  EXPECT_FALSE(are_same_draws(one, of(R"("run":{"seed":3,"num_draws":7})")));
  EXPECT_EQ(difference_of(one, of(R"("run":{"seed":4})")),
            "run.seed: the number 3 there, the number 4 here");
  EXPECT_NE(one.identity(), of(R"("run":{"seed":3})", "model { }").identity());
  EXPECT_NE(one.identity(), of(R"("run":{"seed":3},"algorithm":{"name":"slice"})").identity());
  EXPECT_EQ(of(R"("algorithm":{"name":"lbfgs"})").question, "optimize");
  Specification elsewhere = one;
  elsewhere.arithmetic = "another";
  EXPECT_NE(elsewhere.identity(), one.identity());
  EXPECT_TRUE(are_same_draws(elsewhere, one));
  const Specification again = parse_specification(one.text(), "test");
  EXPECT_EQ(again.text(), one.text());
}

}  // namespace
}  // namespace credo::results::work_test
