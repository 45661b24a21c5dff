// Fits that several threads read, and work that is dealt to them.
#include "report/shared_fit.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "report/tasks.hpp"
#include "results/files/run_store.hpp"
#include "support/text_model.hpp"

namespace credo::report::shared_fit_test {
namespace {

TEST(shared_fit, reads_what_the_fit_reads_kept_or_not) {
  const auto model =
      model::model_from("parameters { vector[3] x; } model { x ~ normal(0, 1); }", "{}");
  const infer::SampleOptions options{.num_chains = 3, .num_warmup = 50, .num_draws = 40, .seed = 2};
  results::RunStore store(*model, options);
  store.keep(infer::run_chains(*model, options, store));
  store.close();
  for (const Index most_bytes : {Index{1} << 20, Index{0}}) {
    const auto shared = share(store, most_bytes);
    ASSERT_EQ(results::num_quantities(*shared), results::num_quantities(store));
    for (const results::DrawSlab& slab :
         {results::DrawSlab{.first = 0, .count = 4}, results::DrawSlab{.first = 2,
                                                     .count = 3,
                                                     .first_chain = 1,
                                                     .num_chains = 2,
                                                     .first_draw = 5,
                                                     .num_draws = 20}}) {
      const density::Draws own = store.read(slab), other = shared->read(slab);
      ASSERT_EQ(own.num_draws(), other.num_draws());
      ASSERT_EQ(own.num_chains(), other.num_chains());
      for (Index q = 0; q < own.num_quantities(); ++q)
        for (Index c = 0; c < own.num_chains(); ++c)
          for (Index s = 0; s < own.num_draws(); ++s) EXPECT_EQ(own(s, c, q), other(s, c, q));
    }
  }
}

TEST(tasks, are_all_done_whatever_fails_and_the_first_error_is_thrown) {
  std::atomic<int> done = 0;
  std::vector<std::function<void()>> tasks;
  for (int k = 0; k < 100; ++k)
    tasks.emplace_back([&done, k] {
      ++done;
      if (k == 30 || k == 60) throw Error(ErrorCode::data, "task " + std::to_string(k));
    });
  try {
    do_all(tasks);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "task 30");
  }
  EXPECT_EQ(done, 100);
}

TEST(tasks, end_where_the_thread_is_asked_to_stop) {
  StopFlag flag = false;
  const StopScope scope(&flag);
  std::atomic<int> done = 0;
  std::vector<std::function<void()>> tasks(1000, [&] {
    if (++done == 10) flag = true;
  });
  EXPECT_THROW(do_all(tasks), Stopped);
  EXPECT_LT(done, 1000);
}

}  // namespace
}  // namespace credo::report::shared_fit_test
