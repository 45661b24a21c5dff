// Progress with a clock that is turned by hand and a string for a terminal.
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "cli/command.hpp"
#include "cli/term/progress_views.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::progress_test {
namespace {

// A run of `num_chains` chains that do a transition each per step of the clock.
class Stage {
 public:
  enum class Form { live, lines, events };
  explicit Stage(Form form, Screen screen = {.redraws = true, .colour = true, .width = 100})
      : screen_(screen), progress_(view(form), [this] { return now; }) {}

  void run(Index num_chains, Index num_warmup, Index num_draws, double seconds_per_transition) {
    begin({.num_chains = num_chains, .num_warmup = num_warmup, .num_draws = num_draws});
    for (Index i = 1; i <= num_warmup + num_draws; ++i) {
      now += seconds_per_transition;
      step(i);
    }
  }
  void begin(const RunPlan& plan) {
    plan_ = plan;
    progress_.begin(plan);
  }
  void step(Index done, Index num_divergent = 0) {
    for (Index c = 0; c < plan_.num_chains; ++c)
      progress_.update({.chain = c,
                        .iteration = done,
                        .num_iterations = plan_.num_warmup + plan_.num_draws,
                        .warmup = done <= plan_.num_warmup,
                        .num_divergent = num_divergent,
                        .step_size = 0.25});
  }
  Progress& progress() { return progress_; }

  double now = 1000.0;
  std::string out;
  Index num_writes = 0;

 private:
  std::unique_ptr<ProgressView> view(Form form) {
    const TextSink sink = [this](std::string_view text) {
      out += text;
      ++num_writes;
    };
    if (form == Form::events) return event_view(sink);
    return form == Form::lines ? line_view(sink) : live_view(sink, [this] { return screen_; });
  }

  RunPlan plan_;
  Screen screen_;
  Progress progress_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// What a terminal shows: understands the escapes that the view writes and refuses others.
class Terminal {
 public:
  explicit Terminal(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) take(text, at);
  }
  const std::vector<std::string>& rows() const { return rows_; }
  Index widest() const { return widest_; }
  bool has_colour() const { return colour_; }

 private:
  void take(std::string_view text, std::size_t& at) {
    const char c = text[at++];
    if (c == '\n') {
      ++row_;
      column_ = 0;
    } else if (c == '\r') {
      column_ = 0;
    } else if (c == '\033') {
      escape(text, at);
    } else {
      put(c);
    }
  }
  void put(char c) {
    if (rows_.size() <= row_) rows_.resize(row_ + 1);
    if (rows_[row_].size() <= column_) rows_[row_].resize(column_ + 1, ' ');
    rows_[row_][column_++] = c;
    widest_ = std::max(widest_, static_cast<Index>(column_));
  }
  void escape(std::string_view text, std::size_t& at) {
    ASSERT_EQ(text[at++], '[');
    std::size_t number = 0;
    for (; (text[at] >= '0' && text[at] <= '9') || text[at] == ';'; ++at)
      number = text[at] == ';' ? 0 : 10 * number + static_cast<std::size_t>(text[at] - '0');
    switch (text[at++]) {
      case 'A':
        ASSERT_LE(number, row_);
        row_ -= number;
        break;
      case 'K':
        if (row_ < rows_.size()) rows_[row_].clear();
        break;
      case 'J':
        rows_.resize(std::min(rows_.size(), row_));
        break;
      case 'm':
        colour_ = true;
        break;
      default:
        FAIL() << "an escape that isn't known";
    }
  }

  std::vector<std::string> rows_;
  std::size_t row_ = 0, column_ = 0;
  Index widest_ = 0;
  bool colour_ = false;
};

// ---- a terminal ----

TEST(live_progress, shows_a_line_a_chain_with_everything_about_it) {
  Stage stage(Stage::Form::live, {.redraws = true, .width = 140});
  stage.begin({.num_chains = 2, .num_warmup = 100, .num_draws = 100});
  for (Index i = 1; i <= 150; ++i) {
    stage.now += 0.125;
    stage.step(i, i > 120 ? 3 : 0);
  }
  const Terminal terminal(stage.out);
  ASSERT_EQ(terminal.rows().size(), 2u);
  for (const char* part : {"chain 1  sampling  [===============     ]  150/200   75%",
                           "3 divergent", "step 0.25", "0:07 left"})
    EXPECT_NE(terminal.rows()[0].find(part), std::string::npos) << terminal.rows()[0];
  EXPECT_FALSE(terminal.has_colour());
}

TEST(live_progress, is_drawn_ten_times_a_second_at_most) {
  Stage stage(Stage::Form::live);
  stage.run(4, 5000, 5000, 0.001);
  EXPECT_LE(stage.num_writes, 10 * 10 + 1);
  EXPECT_GE(stage.num_writes, 9 * 9);
}

TEST(live_progress, keeps_to_the_width_however_narrow) {
  for (const int width : {200, 100, 80, 60, 40, 20, 9}) {
    Stage stage(Stage::Form::live, {.redraws = true, .width = width});
    stage.run(2, 500000, 500000, 0.0001);
    const Terminal terminal(stage.out);
    EXPECT_LT(terminal.widest(), width);
    EXPECT_EQ(terminal.rows().size(), 2u);
  }
}

TEST(live_progress, of_more_chains_than_fit_is_one_line) {
  Stage stage(Stage::Form::live, {.redraws = true, .width = 100, .height = 10});
  stage.run(64, 10, 10, 1.0);
  const Terminal terminal(stage.out);
  ASSERT_EQ(terminal.rows().size(), 1u);
  EXPECT_NE(terminal.rows()[0].find("64 chains"), std::string::npos);
}

TEST(live_progress, leaves_nothing_at_the_end_but_what_was_noted) {
  Stage stage(Stage::Form::live);
  stage.begin({.num_chains = 3, .num_warmup = 10, .num_draws = 10});
  for (Index i = 1; i <= 20; ++i) {
    stage.now += 1.0;
    stage.step(i);
    if (i == 7) stage.progress().note("printed by the program\n");
  }
  stage.progress().rest();
  const Terminal terminal(stage.out);
  EXPECT_EQ(terminal.rows(), std::vector<std::string>{"printed by the program"});
}

TEST(live_progress, of_a_short_run_shows_nothing) {
  Stage stage(Stage::Form::live);
  stage.run(4, 100, 100, 0.001);
  stage.progress().rest();
  EXPECT_EQ(stage.out, "");
}

TEST(live_progress, colours_divergences_only_and_only_if_it_may) {
  for (const bool colour : {false, true}) {
    Stage stage(Stage::Form::live, {.redraws = true, .colour = colour, .width = 100});
    stage.begin({.num_chains = 1, .num_warmup = 0, .num_draws = 10});
    stage.now += 1.0;
    stage.step(1, 0);
    EXPECT_FALSE(Terminal(stage.out).has_colour());
    stage.now += 1.0;
    stage.step(2, 1);
    EXPECT_EQ(Terminal(stage.out).has_colour(), colour);
  }
}

// ---- time left ----

double seconds_left(const std::function<double(double)>& seconds_of, Index num_warmup,
                    Index num_draws, Index done) {
  Pace pace;
  double now = 0.0;
  pace.begin(now, 0);
  for (Index i = 1; i <= done; ++i) {
    now += seconds_of(static_cast<double>(i));
    pace.note(now, i, i < num_warmup);
    if (i == num_warmup) pace.begin(now, i);
  }
  return static_cast<double>(num_warmup + num_draws - done) * pace.seconds_per_transition();
}

TEST(pace, of_sampling_forgets_warm_up) {
  const auto seconds = [](double i) { return i <= 100 ? 1.0 : 0.1; };
  EXPECT_NEAR(seconds_left(seconds, 100, 1000, 600), 50.0, 1e-9);
}

TEST(pace, of_warm_up_is_that_of_the_last_seconds) {
  const auto seconds = [](double i) { return i <= 100 ? 1.0 : 0.01; };
  EXPECT_NEAR(seconds_left(seconds, 2000, 0, 1000), 10.0, 1e-6);
}

TEST(pace, of_warm_up_serves_until_sampling_has_its_own) {
  EXPECT_NEAR(seconds_left([](double) { return 0.5; }, 100, 100, 100), 50.0, 1e-9);
}

TEST(pace, is_not_known_before_the_first_transition) {
  EXPECT_TRUE(std::isnan(seconds_left([](double) { return 1.0; }, 10, 10, 0)));
  EXPECT_NEAR(seconds_left([](double) { return 7.0; }, 10, 0, 1), 63.0, 1e-9);
}

TEST(pace, of_a_run_that_goes_on_counts_from_there) {
  Stage stage(Stage::Form::events);
  stage.begin({.num_chains = 1, .num_warmup = 100, .num_draws = 1000, .done = {600}});
  stage.now += 10.0;
  stage.step(610);
  EXPECT_NE(stage.out.find(R"("seconds_left":490)"), std::string::npos) << stage.out;
}

TEST(progress, goes_on_while_a_transition_takes_long) {
  std::atomic<double> now = 0.0;
  std::mutex busy;
  std::string out;
  Progress progress(
      event_view([&](std::string_view text) {
        const std::lock_guard lock(busy);
        out += text;
      }),
      [&] { return now.load(); }, 0.001);
  const auto wait_for = [&](const std::string& text) {
    for (int tries = 0; tries < 5000; ++tries) {
      {
        const std::lock_guard lock(busy);
        if (out.find(text) != std::string::npos) return true;
      }
      usleep(1000);
    }
    return false;
  };
  progress.begin({.num_warmup = 0, .num_draws = 10});
  now = 50.0;
  EXPECT_TRUE(wait_for(R"("seconds":50,"seconds_left":null)")) << out;
  progress.update({.chain = 0, .iteration = 1, .num_iterations = 10, .warmup = false});
  now = 60.0;  // ten seconds into the second of ten, which take 50 each
  EXPECT_TRUE(wait_for(R"("seconds":60,"seconds_left":440)")) << out;
}

TEST(clock_text, is_short_at_every_length) {
  EXPECT_EQ(clock_text(0.0), "0:00");
  EXPECT_EQ(clock_text(8.2), "0:09");
  EXPECT_EQ(clock_text(751.0), "12:31");
  EXPECT_EQ(clock_text(11045.0), "3:04:05");
  EXPECT_EQ(clock_text(4.0 * 86400.0), "4 days");
  EXPECT_EQ(clock_text(1e300), "a long time");
}

// ---- lines ----

TEST(line_progress, is_a_line_after_1_2_4_seconds_and_when_sampling_begins) {
  Stage stage(Stage::Form::lines);
  stage.run(2, 100, 100, 0.125);
  const std::vector<std::string> lines = lines_of(stage.out);
  ASSERT_EQ(lines.size(), 6u) << stage.out;  // 1, 2, 4, 8, 12.5 (sampling), 16 seconds
  EXPECT_EQ(lines[1], "after 0:02: 31 of 400 transitions (7%), warm-up, about 0:23 left");
  EXPECT_NE(lines[4].find("sampling, 0 divergent"), std::string::npos) << lines[4];
  EXPECT_EQ(stage.out.find('\033'), std::string::npos);
}

TEST(line_progress, of_a_day_is_not_thousands_of_lines) {
  Stage stage(Stage::Form::lines);
  stage.run(4, 20000, 66400, 1.0);
  const auto count = std::count(stage.out.begin(), stage.out.end(), '\n');
  EXPECT_LE(count, 10 + 144 + 1);  // doubling to 10 minutes, then six an hour, and the phase
  EXPECT_GE(count, 140);
}

TEST(line_progress, of_a_second_is_none) {
  Stage stage(Stage::Form::lines);
  stage.run(4, 100, 100, 0.004);
  EXPECT_EQ(stage.out, "");
}

// ---- events ----

TEST(event_progress, is_one_object_a_line_from_begin_to_end) {
  Stage stage(Stage::Form::events);
  stage.run(2, 50, 50, 0.1);
  stage.progress().note("a \"quoted\" note\n");
  stage.progress().warn("w");
  stage.progress().stop("signal");
  stage.progress().end(7);
  std::map<std::string, int> count;
  for (const std::string& line : lines_of(stage.out)) {
    const auto json = testing::parse_json(line);
    ++count[json.at("event").text];
    if (json.at("event").text == "note") {
      EXPECT_EQ(json.at("text").text, "a \"quoted\" note");
    }
    if (json.at("event").text == "progress") {
      ASSERT_EQ(json.at("chains").items.size(), 2u);
      EXPECT_EQ(json.at("chains").items[1].at("of").number, 100.0);
    }
    if (json.at("event").text == "end") {
      EXPECT_EQ(json.at("status").number, 7.0);
    }
  }
  EXPECT_EQ(count["begin"], 1);
  EXPECT_EQ(count["phase"], 2 * 3);
  EXPECT_GE(count["progress"], 9);
  EXPECT_LE(count["progress"], 11);
  EXPECT_EQ(count["warning"] + count["stop"] + count["end"], 3);
  EXPECT_NE(stage.out.find("{\"event\":\"begin\""), std::string::npos);
}

}  // namespace
}  // namespace credo::cli::progress_test
