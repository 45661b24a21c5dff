#include "density/output_writers.hpp"

namespace credo::density {
namespace {
class OneDraw final : public Writer {
 public:
  OneDraw(const OutputWriters& writers, Written what) : writers_(writers), what_(std::move(what)) {}
  void write(std::span<DrawRequest> draws) override {
    for (DrawRequest& draw : draws)
      draw.row = writers_.write(draw.point, draw.rng, &draw.note, what_);
  }

 private:
  const OutputWriters& writers_;
  Written what_;
};
}  // namespace

std::unique_ptr<Writer> OutputWriters::make_writer(Written what) const {
  return std::make_unique<OneDraw>(*this, std::move(what));
}

std::vector<double> OutputWriters::with_discrete(std::span<const double> position,
                                                 Rng& /*rng*/) const {
  return {position.begin(), position.end()};
}

std::vector<double> chosen(std::vector<double> row, const Written& what) {
  if (!what.columns) return row;
  std::vector<double> some;
  for (const Index column : *what.columns) some.push_back(row[static_cast<std::size_t>(column)]);
  return some;
}

}  // namespace credo::density
