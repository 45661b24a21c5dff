#include "model/writer.hpp"

namespace credo::model {

// Several draws at once where their values fit the caches.
void Writer::take(std::shared_ptr<const graph::Program> program) {
  constexpr Index kMostInstructions = 1 << 12;
  workspace_.reset();
  program_ = std::move(program);
  num_lanes_ = 1;
  if (program_ == nullptr) return;
  const Index size = program_->num_instructions() + program_->output_size(0);
  if (size <= kMostInstructions) num_lanes_ = outputs_.densities().options().max_lanes;
  workspace_ = std::make_unique<graph::Workspace>(*program_, num_lanes_);
}

// If every draw takes a path of its own, interpreting is faster than tracing again.
bool Writer::worth_trying() const {
  constexpr std::int64_t kPatience = 8, kRetry = 32;
  return program_ != nullptr && (in_a_row_ < kPatience || in_a_row_ % kRetry == 0);
}

// The first draws come from where the chain began; a later path may be that of most draws.
void Writer::missed(std::span<const double> input) {
  constexpr std::int64_t kGrowth = 8;
  ++in_a_row_;
  if (++misses_ < next_trace_) return;
  next_trace_ *= kGrowth;
  take(outputs_.trace(input, what_));
}

// The point with its discrete parameters, and the draw's seed.
std::vector<double> Writer::input_of(density::DrawRequest& draw) {
  std::vector<double> input(draw.point.begin(), draw.point.end());
  const Parameters& parameters = outputs_.parts().parameters;
  if (parameters.discrete().size() > 0 && ssize(draw.point) == parameters.dimension()) {
    if (drawer_ == nullptr) drawer_ = outputs_.densities().make_drawer(draw.point);
    input = parameters.completed(draw.point);
    drawer_->draw(draw.point, draw.rng, std::span(input).subspan(draw.point.size()));
  }
  Rng copy = draw.rng;  // the interpreter takes the same seed
  const lang::DrawSeed seed = lang::DrawSeed::of(copy.bits());
  input.insert(input.end(), {seed.high.value(), seed.low.value()});
  return input;
}

void Writer::interpret(density::DrawRequest& draw, std::span<const double> input) {
  ++num_interpreted_;
  const auto point = input.first(input.size() - lang::DrawSeed::kWords);
  draw.row = outputs_.write(point, draw.rng, &draw.note, what_);
}

// Writes a draw in each lane.
void Writer::run(std::span<density::DrawRequest> draws,
                 std::span<const std::vector<double>> inputs) {
  workspace_->set_lanes(ssize(draws));
  for (std::size_t l = 0; l < draws.size(); ++l)
    workspace_->set_input(static_cast<Index>(l), inputs[l]);
  workspace_->run();
  std::vector<std::size_t> others;  // on another path
  for (std::size_t l = 0; l < draws.size(); ++l) {
    const auto lane = static_cast<Index>(l);
    if (workspace_->status(lane).check != 0) {
      others.push_back(l);
      continue;
    }
    in_a_row_ = 0;
    draws[l].rng.bits();  // the seed
    draws[l].row.resize(static_cast<std::size_t>(program_->output_size(0)));
    workspace_->copy_output(0, lane, draws[l].row);
  }
  for (const std::size_t l : others) {
    missed(inputs[l]);
    interpret(draws[l], inputs[l]);
  }
}

void Writer::write(std::span<density::DrawRequest> draws) {
  inputs_.clear();
  for (density::DrawRequest& draw : draws) inputs_.push_back(input_of(draw));
  for (std::size_t first = 0; first < draws.size();) {
    if (!std::exchange(asked_, true)) take(outputs_.program(inputs_[first], what_));
    std::size_t count = 1;
    if (worth_trying()) {
      while (count * 2 <= draws.size() - first && static_cast<Index>(count * 2) <= num_lanes_)
        count *= 2;
      run(draws.subspan(first, count), std::span(inputs_).subspan(first, count));
    } else {
      ++in_a_row_;
      interpret(draws[first], inputs_[first]);
    }
    first += count;
  }
}

void Writer::write(std::span<const double> point, Rng& rng, std::vector<double>& row,
                   std::string* note) {
  density::DrawRequest draw{.point = point, .rng = rng, .row = std::move(row)};
  write(std::span(&draw, 1));
  rng = draw.rng;
  row = std::move(draw.row);
  if (note != nullptr) *note = std::move(draw.note);
}

}  // namespace credo::model
