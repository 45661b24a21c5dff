// credo bench: what a gradient of a model costs, by number of lanes, and how long it takes to be
// ready.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "cli/load.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// A batch of points that stays the same; positions near the origin, different in every lane.
class Batch {
 public:
  Batch(Index lanes, Index dimension)
      : positions_(static_cast<std::size_t>(lanes)), gradients_(static_cast<std::size_t>(lanes)) {
    for (std::size_t l = 0; l < positions_.size(); ++l) {
      for (Index d = 0; d < dimension; ++d) {
        positions_[l].push_back(0.4 *
                                std::sin(0.37 * double(d + 1) * double(l + 1) + 0.2 * double(l)));
      }
      gradients_[l].resize(static_cast<std::size_t>(dimension));
      requests_.push_back({positions_[l], gradients_[l], -kInfinity, {}});
    }
    for (auto& request : requests_) pointers_.push_back(&request);
  }
  std::span<density::Request* const> requests() { return pointers_; }

 private:
  std::vector<std::vector<double>> positions_, gradients_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> pointers_;
};

// Median over repetitions of about 20 ms each, per point.
double microseconds_per_gradient(density::Evaluator& evaluator, Index lanes, Index dimension) {
  constexpr int kRepetitions = 7;
  Batch batch(lanes, dimension);
  evaluator.evaluate(density::Want::gradient, batch.requests());
  Index rounds = 1;
  std::vector<double> times;
  while (times.size() < kRepetitions) {
    const auto start = Clock::now();
    for (Index r = 0; r < rounds; ++r)
      evaluator.evaluate(density::Want::gradient, batch.requests());
    const double seconds = seconds_since(start);
    if (seconds < 0.01 && rounds < (Index{1} << 30)) {
      rounds *= 2;
      continue;
    }
    times.push_back(1e6 * seconds / double(rounds * lanes));
  }
  std::sort(times.begin(), times.end());
  return times[kRepetitions / 2];
}

class Bench final : public Command {
 public:
  void describe(Arguments& arguments) override { model_.describe(arguments); }

  int run(Output& output) override {
    const auto start = Clock::now();
    const auto model = load_model(model_, output, json);
    const auto evaluator = model->make_evaluator();
    const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
    const auto traced = model->trace(origin);
    const double ready = seconds_since(start);
    std::vector<std::pair<Index, double>> rows;
    for (Index lanes = 1; lanes <= model_.max_lanes; lanes *= 2) {
      rows.emplace_back(lanes, microseconds_per_gradient(*evaluator, lanes, model->dimension()));
    }
    output.print(json ? as_json(rows, ready) : as_text(*model, *traced, rows, ready));
    return 0;
  }

 private:
  using Rows = std::vector<std::pair<Index, double>>;
  static std::string as_text(const model::Model& model, const model::TracedDensity& traced,
                             const Rows& rows, double ready) {
    std::string text = fmt::format(
        "{}: {} free parameters, {} nodes\nready after {:.3f} s, peak memory {:.0f} MiB\n",
        model.name(), model.dimension(), traced.num_nodes, ready, peak_mib());
    for (const auto& [lanes, us] : rows)
      text += fmt::format("{} lane{}: {:.3f} us per gradient\n", lanes, lanes > 1 ? "s" : " ", us);
    return text;
  }
  static std::string as_json(const Rows& rows, double ready) {
    io::JsonWriter writer;
    writer.begin_object().key("lanes").begin_array();
    for (const auto& [lanes, us] : rows) {
      writer.begin_object()
          .key("lanes")
          .integer(lanes)
          .key("us_per_gradient")
          .number(us)
          .end_object();
    }
    writer.end_array().key("ready_s").number(ready).key("peak_mib").number(peak_mib()).end_object();
    return writer.text() + "\n";
  }

  ModelArguments model_;
};
}  // namespace

const CommandRow bench_command{"bench", "time the gradient of a program with its data",
                               "  credo bench model.stan --data data.json\n", make_command<Bench>};

}  // namespace credo::cli
