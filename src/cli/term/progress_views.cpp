#include "cli/term/progress_views.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "io/json_writer.hpp"

namespace credo::cli {

std::string clock_text(double seconds) {
  constexpr double kDay = 86400.0;
  if (!(seconds < 1000.0 * kDay)) return "a long time";
  if (seconds >= 2.0 * kDay) return fmt::format("{:.0f} days", seconds / kDay);
  const auto whole = static_cast<Index>(std::ceil(seconds));
  const Index hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

namespace {
double share_of(Index done, Index all) {
  return all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1.0;
}
Index percent_of(Index done, Index all) { return static_cast<Index>(100.0 * share_of(done, all)); }

// ---- a terminal ----

// Pieces of a line; those of the lowest ranks leave it where it is too long.
struct Piece {
  std::string text;
  int rank;
  std::string_view colour = {};
};

std::string fitted(std::vector<Piece> pieces, const Screen& screen) {
  const Index width = screen.width - 1;  // the last column may begin a new line
  const auto total = [&] {
    Index columns = 2 * (ssize(pieces) - 1);
    for (const Piece& piece : pieces) columns += columns_of_text(piece.text);
    return columns;
  };
  while (pieces.size() > 1 && total() > width)
    pieces.erase(std::min_element(pieces.begin(), pieces.end(),
                                  [](const Piece& a, const Piece& b) { return a.rank < b.rank; }));
  std::string line;
  for (const Piece& piece : pieces) {
    if (!line.empty()) line += "  ";
    const bool coloured = screen.colour && !piece.colour.empty();
    const std::string text(cut_text(piece.text, width));
    line += coloured ? std::string(piece.colour) + text + "\033[0m" : text;
  }
  return line;
}

std::string bar_of(double share) {
  constexpr Index kSize = 20;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kSize));
  std::string bar(full, '=');
  bar.resize(kSize, ' ');
  return "[" + bar + "]";
}

Piece divergences(Index count) {
  constexpr std::string_view kYellow = "\033[33m";
  return {fmt::format("{} divergent", count), 3, count > 0 ? kYellow : std::string_view{}};
}

std::string_view word_of(Phase phase) {
  constexpr std::array<std::string_view, 4> words{"starting", "warm-up ", "sampling", "done    "};
  return words[static_cast<std::size_t>(phase)];
}

// Warm-up's end can't be known: about.
std::string left_text(double seconds_left, bool about) {
  if (std::isnan(seconds_left)) return {};
  return (about ? "about " : "") + clock_text(seconds_left) + " left";
}

// "iteration 120 of at most 500", with the bound if there is one.
std::string fit_text(const infer::FitProgress& fit) {
  std::string text = fmt::format("{} of at most {} {}", fit.done, fit.most, fit.unit);
  if (std::isfinite(fit.bound)) text += fmt::format(", bound {:.6g}", fit.bound);
  return text;
}

class LiveView final : public ProgressView {
 public:
  LiveView(TextSink write, std::function<Screen()> screen)
      : write_(std::move(write)), screen_(std::move(screen)) {}

  void update(const RunState& state) override {
    constexpr double kPeriod = 0.1;
    if (state.seconds < next_) return;
    next_ = state.seconds + kPeriod;
    draw(state);
  }
  void note(std::string_view text) override {
    rest();
    write_(text);
    next_ = 0.0;
  }
  void rest() override {
    if (num_drawn_ > 0) write_(fmt::format("\r\033[{}A\033[J", num_drawn_));
    num_drawn_ = 0;
  }

 private:
  void draw(const RunState& state) {
    constexpr Index kMostLines = 16, kOtherLines = 2;
    const Screen screen = screen_();
    const Index num_chains = ssize(state.chains);
    const bool together = num_chains > std::min<Index>(kMostLines, screen.height - kOtherLines);
    std::string text = num_drawn_ > 0 ? fmt::format("\r\033[{}A", num_drawn_) : "\r";
    const Index num_lines = together || state.is_fitting() ? 1 : num_chains;
    for (Index c = 0; c < num_lines; ++c)
      text += "\033[2K" +
              (state.is_fitting() ? line_of_fit(state, screen)
               : together         ? line_of_all(state, screen)
                                  : line_of(state, c, screen)) +
              "\n";
    if (num_lines < num_drawn_) text += "\033[J";
    num_drawn_ = num_lines;
    write_(text);
  }

  static std::string line_of(const RunState& state, Index number, const Screen& screen) {
    const ChainProgress& chain = state.chains[static_cast<std::size_t>(number)];
    const Index all = state.num_transitions(),
                digits = ssize(fmt::format("{}", ssize(state.chains)));
    std::vector<Piece> pieces = {
        {fmt::format("chain {:>{}}", number + 1, digits), 9},
        {std::string(word_of(chain.phase)), 8},
        {bar_of(share_of(chain.done, all)), 0},
        {fmt::format("{:>{}}/{}", chain.done, ssize(fmt::format("{}", all)), all), 4},
        {fmt::format("{:>3}%", percent_of(chain.done, all)), 6},
        divergences(chain.num_divergent)};
    if (std::isfinite(chain.step_size))
      pieces.push_back({fmt::format("step {:<8.3g}", chain.step_size), 2});
    if (chain.phase == Phase::warmup || chain.phase == Phase::sampling)
      pieces.push_back({left_text(chain.seconds_left, chain.phase == Phase::warmup), 7});
    return fitted(std::move(pieces), screen);
  }

  static std::string line_of_fit(const RunState& state, const Screen& screen) {
    return fitted({{"fit", 9},
                   {bar_of(share_of(state.fit->done, state.fit->most)), 0},
                   {fit_text(*state.fit), 8}},
                  screen);
  }

  static std::string line_of_all(const RunState& state, const Screen& screen) {
    const Index all = state.num_transitions() * ssize(state.chains), done = state.num_done();
    const Index warming = state.num_in(Phase::waiting) + state.num_in(Phase::warmup);
    return fitted({{fmt::format("{} chains", state.chains.size()), 9},
                   {fmt::format("{} in warm-up", warming), 5},
                   {bar_of(share_of(done, all)), 0},
                   {fmt::format("{}/{}", done, all), 4},
                   {fmt::format("{:>3}%", percent_of(done, all)), 6},
                   divergences(state.num_divergent()),
                   {left_text(state.seconds_left(), warming > 0), 7}},
                  screen);
  }

  TextSink write_;
  std::function<Screen()> screen_;
  double next_ = 0.25;  // shorter runs show nothing
  Index num_drawn_ = 0;
};

// ---- lines ----

class LineView final : public ProgressView {
 public:
  explicit LineView(TextSink write) : write_(std::move(write)) {}

  void update(const RunState& state) override {
    constexpr double kFirst = 1.0, kLongest = 600.0;
    if (state.seconds < next_ || state.num_in(Phase::done) == ssize(state.chains)) return;
    while (next_ <= state.seconds) next_ += std::clamp(next_, kFirst, kLongest);
    print(state);
  }
  // The last chain leaves warm-up.
  void phase(const RunState& state, Index) override {
    const Index warming = state.num_in(Phase::waiting) + state.num_in(Phase::warmup);
    if (warming > 0 || has_reported_ || state.plan.num_warmup == 0 ||
        state.num_in(Phase::sampling) == 0)
      return;
    has_reported_ = true;
    if (state.seconds >= 1.0) print(state);
  }
  void note(std::string_view text) override { write_(text); }

 private:
  void print(const RunState& state) const {
    if (state.is_fitting())
      return write_(fmt::format("after {}: fit, {}\n", clock_text(std::floor(state.seconds)),
                                fit_text(*state.fit)));
    const Index all = state.num_transitions() * ssize(state.chains), done = state.num_done();
    const Index warming = state.num_in(Phase::waiting) + state.num_in(Phase::warmup);
    std::string text =
        fmt::format("after {}: {} of {} transitions ({}%), ", clock_text(std::floor(state.seconds)),
                    done, all, percent_of(done, all));
    text += warming == ssize(state.chains) ? "warm-up"
            : warming > 0                  ? fmt::format("{} chains in warm-up", warming)
                          : fmt::format("sampling, {} divergent", state.num_divergent());
    const std::string left = left_text(state.seconds_left(), warming > 0);
    write_(text + (left.empty() ? "" : ", " + left) + "\n");
  }

  TextSink write_;
  double next_ = 1.0;
  bool has_reported_ = false;
};

// ---- events ----

class EventView final : public ProgressView {
 public:
  explicit EventView(TextSink write) : write_(std::move(write)) {}

  void begin(const RunState& state) override {
    const RunPlan& plan = state.plan;
    io::JsonWriter writer = begun("begin");
    std::vector<Index> done;
    for (const ChainProgress& chain : state.chains) done.push_back(chain.done);
    writer.members("schema", kSchema, "version", CREDO_VERSION, "model", plan.model, "sampler",
                   plan.sampler, "num_chains", plan.num_chains, "num_warmup", plan.num_warmup,
                   "num_draws", plan.num_draws, "seed", fmt::format("{}", plan.seed), "output",
                   plan.output, "run_file", plan.run_file, "done", done);
    send(writer);
  }

  void update(const RunState& state) override {
    constexpr double kPeriod = 1.0;
    if (state.seconds < next_) return;
    next_ = state.seconds + kPeriod;
    if (state.is_fitting()) return send_fit(state);
    io::JsonWriter writer = timed("progress", state);
    Index number = 0;
    writer.members("seconds_left", io::if_finite(state.seconds_left()));
    writer.key("chains").array(state.chains, [&](const ChainProgress& chain) {
      writer.object("chain", ++number, "phase", to_string(chain.phase), "done", chain.done, "of",
                    state.num_transitions(), "divergences", chain.num_divergent, "step_size",
                    io::if_finite(chain.step_size), "seconds_left",
                    io::if_finite(chain.seconds_left));
    });
    send(writer);
  }

  void phase(const RunState& state, Index chain) override {
    io::JsonWriter writer = timed("phase", state);
    writer.members("chain", chain + 1, "phase",
                   to_string(state.chains[static_cast<std::size_t>(chain)].phase));
    send(writer);
  }

  void note(std::string_view text) override { send_text("note", text); }
  void warn(std::string_view text) override { send_text("warning", text); }

  void stop(const RunState& state, std::string_view reason) override {
    io::JsonWriter writer = timed("stop", state);
    writer.members("reason", reason, "run_file", state.plan.run_file);
    send(writer);
  }

  void end(const RunState& state, int status) override {
    io::JsonWriter writer = timed("end", state);
    writer.members("status", status, "done", state.num_done(), "divergences",
                   state.num_divergent());
    send(writer);
  }

 private:
  static constexpr Index kSchema = 1;

  static io::JsonWriter begun(std::string_view event) {
    io::JsonWriter writer;
    writer.begin_object().members("event", event);
    return writer;
  }
  static io::JsonWriter timed(std::string_view event, const RunState& state) {
    io::JsonWriter writer = begun(event);
    writer.members("seconds", std::round(1000.0 * state.seconds) / 1000.0);
    return writer;
  }
  void send_fit(const RunState& state) {
    io::JsonWriter writer = timed("fit", state);
    writer.members("unit", state.fit->unit, "done", state.fit->done, "most", state.fit->most,
                   "bound", io::if_finite(state.fit->bound));
    send(writer);
  }
  void send_text(std::string_view event, std::string_view text) {
    io::JsonWriter writer = begun(event);
    writer.members("text", text.substr(0, text.find_last_not_of('\n') + 1));
    send(writer);
  }
  void send(io::JsonWriter& writer) { write_(writer.end_object().text() + "\n"); }

  TextSink write_;
  double next_ = 0.0;
};

void to_standard_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}
}  // namespace

std::unique_ptr<ProgressView> live_view(TextSink write, std::function<Screen()> screen) {
  return std::make_unique<LiveView>(std::move(write), std::move(screen));
}
std::unique_ptr<ProgressView> line_view(TextSink write) {
  return std::make_unique<LineView>(std::move(write));
}
std::unique_ptr<ProgressView> event_view(TextSink write) {
  return std::make_unique<EventView>(std::move(write));
}

std::unique_ptr<ProgressView> standard_view(bool quiet, bool json) {
  if (quiet) return nullptr;
  if (json) return event_view(to_standard_error);
  const auto screen = [] { return screen_of(STDERR_FILENO); };
  return screen().redraws ? live_view(to_standard_error, screen) : line_view(to_standard_error);
}

}  // namespace credo::cli
