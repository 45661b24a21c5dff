#include "density/model.hpp"

namespace credo::density {
namespace {
class OneDraw final : public Writer {
 public:
  OneDraw(const Model& model, Written what) : model_(model), what_(std::move(what)) {}
  void write(std::span<DrawRequest> draws) override {
    for (DrawRequest& draw : draws)
      draw.row = model_.write(draw.point, draw.rng, &draw.note, what_);
  }

 private:
  const Model& model_;
  Written what_;
};
}  // namespace

std::vector<double> chosen(std::vector<double> row, const Written& what) {
  if (!what.columns) return row;
  std::vector<double> some;
  for (const Index column : *what.columns) some.push_back(row[static_cast<std::size_t>(column)]);
  return some;
}

std::unique_ptr<Writer> one_by_one(const Model& model, Written what) {
  return std::make_unique<OneDraw>(model, std::move(what));
}

}  // namespace credo::density
