#include "results/arrays/arrays.hpp"

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::results {

const Field* Group::find(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

Index Group::size_of(std::string_view dimension) const {
  const auto found = std::ranges::find(dims, dimension, &Dimension::name);
  return found == dims.end() ? 0 : found->size;
}

std::vector<Index> Group::shape(const Field& field) const {
  std::vector<Index> sizes;
  for (const std::string& dim : field.dims) sizes.push_back(size_of(dim));
  return sizes;
}

Index Group::num_values(const Field& field) const {
  Index count = 1;
  for (const Index size : shape(field)) count *= size;
  return count;
}

std::string text_of(const Texts& texts, std::string_view name) {
  const auto found = std::ranges::find(texts, name, &Texts::value_type::first);
  return found == texts.end() ? std::string() : found->second;
}

std::string text_of(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
  if (const auto* whole = std::get_if<Index>(&attribute)) return std::to_string(*whole);
  if (const auto* flag = std::get_if<bool>(&attribute)) return *flag ? "1" : "0";
  return io::number_text(std::get<double>(attribute));
}

void ArrayResult::for_each_part(const Group& group, const Field& field,
                                const TakePart& take) const {
  constexpr Index kPartValues = Index{1} << 17;  // 1 MiB
  const std::vector<Index> shape = group.shape(field);
  if (shape.empty()) return take({}, read(group, field));
  const Index rows = shape.front(), row = group.num_values(field) / std::max<Index>(1, rows);
  const Index step = std::max<Index>(1, kPartValues / std::max<Index>(1, row));
  Box box{.start = std::vector<Index>(shape.size(), 0), .count = shape};
  for (Index& first = box.start.front(); first < rows; first += step) {
    box.count.front() = std::min(step, rows - first);
    take(box, read(group, field, first, box.count.front()));
  }
}

const Group* ArrayResult::find_group(std::string_view name) const {
  const auto found = std::ranges::find(groups(), name, &Group::name);
  return found == groups().end() ? nullptr : &*found;
}

std::vector<double> ArrayResult::find(std::string_view group, std::string_view field) const {
  const Group* found = find_group(group);
  const Field* array = found == nullptr ? nullptr : found->find(field);
  return array == nullptr ? std::vector<double>() : read(*found, *array);
}

std::string ArrayResult::text(std::string_view name) const {
  for (const auto& [word, value] : attributes())
    if (word == name) return text_of(value);
  return {};
}

double ArrayResult::number(std::string_view name) const {
  return io::parse_number(text(name)).value_or(kNaN);
}

ArrayList::ArrayList(const std::string& question) {
  set("question", question, kHidden);
  set("version", std::string(CREDO_VERSION), kHidden);
}

namespace {
bool is_missing(const Attribute& value) {
  const auto* number = std::get_if<double>(&value);
  const auto* text = std::get_if<std::string>(&value);
  return number != nullptr ? std::isnan(*number) : text != nullptr && text->empty();
}
}  // namespace

void ArrayList::set(std::string name, Attribute value, std::string key, Missing missing) {
  if (missing != Missing::shown && !is_missing(value)) missing = Missing::shown;
  members_.push_back({key.empty() ? name : std::move(key), value, missing});
  if (missing == Missing::shown && !name.empty())
    attributes_.emplace_back(std::move(name), std::move(value));
}

ArrayList::Builder ArrayList::add_group(std::string name, std::vector<Dimension> dims,
                                        InJson json) {
  groups_.push_back(
      {.name = std::move(name), .dims = std::move(dims), .fields = {}, .json = std::move(json)});
  values_.emplace_back();
  return {*this, groups_.size() - 1};
}

ArrayList::Builder ArrayList::group(std::string_view name) {
  const auto found = std::ranges::find(groups_, name, &Group::name);
  CREDO_ASSERT(found != groups_.end(), "fields are added to a group that is there");
  return {*this, static_cast<std::size_t>(found - groups_.begin())};
}

ArrayList::Builder& ArrayList::Builder::add(Field field, std::vector<double> values) {
  CREDO_ASSERT(ssize(values) == own().num_values(field),
               "a field has as many values as its dimensions state");
  own().fields.push_back(std::move(field));
  list_->values_[place_].push_back({.kept = std::move(values)});
  return *this;
}

ArrayList::Builder& ArrayList::Builder::add_source(Field field,
                                                   std::function<std::vector<double>()> values) {
  own().fields.push_back(std::move(field));
  list_->values_[place_].push_back({.source = std::move(values)});
  return *this;
}

ArrayList::Builder& ArrayList::Builder::add_dimension(const std::string& name, Index size) {
  own().dims.push_back({name, size});
  return *this;
}

ArrayList::Builder& ArrayList::Builder::set(const std::string& attribute, std::string text) {
  own().attributes.emplace_back(attribute, std::move(text));
  return *this;
}

ArrayList::Builder& ArrayList::Builder::keep_empty() {
  own().keeps_empty = true;
  return *this;
}

ArrayList::Builder& ArrayList::Builder::add_numbers(const std::string& dimension, Index first,
                                                    FieldInFile file) {
  std::vector<double> numbers(static_cast<std::size_t>(own().size_of(dimension)));
  std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
  return add({.name = dimension,
              .dims = {dimension},
              .kind = density::Kind::whole,
              .file = std::move(file)},
             std::move(numbers));
}

ArrayList::Builder& ArrayList::Builder::add_labels(const std::string& dimension,
                                                   std::vector<std::string> labels,
                                                   std::string key) {
  std::vector<double> places(labels.size());
  std::iota(places.begin(), places.end(), 0.0);
  return add({.name = dimension,
              .dims = {dimension},
              .kind = density::Kind::whole,
              .labels = std::move(labels),
              .key = std::move(key)},
             std::move(places));
}

ArrayList::Builder& ArrayList::Builder::add_texts(Field field,
                                                  const std::vector<std::string>& texts) {
  std::map<std::string_view, double> places;
  std::vector<double> values;
  for (const std::string& text : texts) {
    const auto [found, is_new] = places.try_emplace(text, static_cast<double>(places.size()));
    if (is_new) field.labels.push_back(text);
    values.push_back(found->second);
  }
  field.kind = density::Kind::whole;
  return add(std::move(field), std::move(values));
}

ArrayList::Builder& ArrayList::Builder::add_links(std::vector<double> places) {
  const Group* parent = list_->find_group(own().json.of);
  CREDO_ASSERT(parent != nullptr, "the group whose rows have these comes before it");
  const std::string& name = parent->dims.front().name;
  const Field* coordinate = parent->find(name);
  Field link{.name = name,
             .dims = {first_dimension()},
             .kind = density::Kind::whole,
             .help = "row of " + parent->name,
             .key = kHidden};
  if (coordinate != nullptr) link.labels = coordinate->labels;
  if (link.labels.empty())
    for (double& place : places) ++place;  // rows have numbers from 1
  return add(std::move(link), std::move(places));
}

const ArrayList::Values& ArrayList::values_of(const Group& group, const Field& field) const {
  const auto place = static_cast<std::size_t>(&group - groups_.data());
  return values_[place][static_cast<std::size_t>(&field - group.fields.data())];
}

// All values at once: they are in memory, or are made whole.
void ArrayList::for_each_part(const Group& group, const Field& field, const TakePart& take) const {
  const Values& values = values_of(group, field);
  const std::vector<Index> shape = group.shape(field);
  const Box all{.start = std::vector<Index>(shape.size(), 0), .count = shape};
  if (values.source)
    take(all, values.source());
  else
    take(all, values.kept);
}

std::vector<double> ArrayList::read(const Group& group, const Field& field, Index first,
                                    Index count) const {
  const Values& values = values_of(group, field);
  const std::vector<double> made = values.source ? values.source() : std::vector<double>();
  const std::vector<double>& all = values.source ? made : values.kept;
  const Index rows = field.dims.empty() ? 1 : group.size_of(field.dims.front());
  if (count < 0) count = rows - first;
  const auto size = rows == 0 ? 0 : ssize(all) / rows;
  return {all.begin() + first * size, all.begin() + (first + count) * size};
}

}  // namespace credo::results
