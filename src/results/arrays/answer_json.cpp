#include "results/arrays/answer_json.hpp"

#include "base/error.hpp"
#include "io/json_writer.hpp"
#include "results/arrays/array_tables.hpp"

namespace credo::results {
namespace {

// A value of JSON whose members may come in any order: text, or an object, or a list.
struct Node {
  enum class Kind { object, list, text };
  Kind kind = Kind::object;
  std::string text;
  std::vector<std::string> names;  // names of an object's members
  std::vector<Node> items;         // members, or elements of a list
  bool has_lines = false;          // each element on a line

  Node& member(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return items[static_cast<std::size_t>(found - names.begin())];
    names.emplace_back(name);
    return items.emplace_back();
  }
  // "a.b" is member b of member a.
  Node& at(std::string_view path) {
    Node* node = this;
    while (!path.empty()) {
      const std::size_t end = std::min(path.find('.'), path.size());
      node = &node->member(path.substr(0, end));
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    return *node;
  }
  void set(std::string json) { kind = Kind::text, text = std::move(json); }
};

template <class Write>
std::string text_by(Write write) {
  io::JsonWriter json;
  write(json);
  return json.text();
}

void append(std::string& text, const Node& node) {
  if (node.kind == Node::Kind::text) {
    text += node.text;
    return;
  }
  const bool is_object = node.kind == Node::Kind::object;
  text += is_object ? '{' : '[';
  for (std::size_t k = 0; k < node.items.size(); ++k) {
    text += k == 0 ? "" : ",";
    if (node.has_lines) text += '\n';
    if (is_object) text += text_by([&](io::JsonWriter& json) { json.string(node.names[k]); }) + ":";
    append(text, node.items[k]);
  }
  text += is_object ? '}' : ']';
}

bool is_missing(const Field& field, double value) {
  const auto place = static_cast<std::size_t>(value);
  return field.labels.empty() ? std::isnan(value)
                              : place < field.labels.size() && field.labels[place].empty();
}

std::string value_text(const Field& field, double value) {
  return text_by([&](io::JsonWriter& json) {
    if (field.missing == Missing::null && is_missing(field, value))
      json.null();
    else if (!field.labels.empty())
      json.string(field.labels[static_cast<std::size_t>(value)]);
    else if (field.kind == density::Kind::flag)
      json.boolean(value != 0.0);
    else if (field.kind == density::Kind::whole && std::isfinite(value))
      json.integer(static_cast<std::int64_t>(value));
    else
      json.number(value);
  });
}

// The elements of a node that is a list.
void add_elements(Node& node, const Field& field, std::span<const Index> shape,
                  std::span<const double> values) {
  node.kind = Node::Kind::list;
  const auto count = static_cast<std::size_t>(shape.front());
  for (std::size_t k = 0; k < count; ++k) {
    const auto part = values.subspan(k * (values.size() / count), values.size() / count);
    if (shape.size() == 1 && field.missing == Missing::left_out && is_missing(field, part.front()))
      continue;
    Node& item = node.items.emplace_back();
    if (shape.size() == 1)
      item.set(value_text(field, part.front()));
    else
      add_elements(item, field, shape.subspan(1), part);
  }
}

// Sets a member to an array of this shape; the key may ask for lists ("a[]").
void put(Node& object, const Field& field, std::vector<Index> shape,
         std::span<const double> values) {
  std::string_view key = field.key.empty() ? std::string_view(field.name) : field.key;
  std::size_t num_lists = 0;
  for (; key.ends_with("[]"); ++num_lists) key.remove_suffix(2);
  if (num_lists == 1) shape = {ssize(values)};
  while (shape.size() < num_lists) shape.insert(shape.begin(), 1);
  if (shape.empty()) {
    if (field.missing == Missing::left_out && is_missing(field, values.front())) return;
    object.at(key).set(value_text(field, values.front()));
  } else {
    add_elements(object.at(key), field, shape, values);
  }
}

class AnswerTree {
 public:
  explicit AnswerTree(const ArrayList& answer) : answer_(answer) {
    for (const Group& group : answer.groups()) {
      std::vector<std::vector<double>>& values = values_.emplace_back();
      for (const Field& field : group.fields) values.push_back(answer.read(group, field));
      rows_.push_back(rows_by_parent(group, values));
    }
  }

  Node all() const {
    Node root;
    for (const ArrayList::Member& member : answer_.members())
      if (member.key != kHidden && member.missing != Missing::left_out)
        root.at(member.key).set(text_of(member));
    put_groups(root, {}, 0);
    return root;
  }

 private:
  using Rows = std::vector<std::size_t>;

  static std::string text_of(const ArrayList::Member& member) {
    return text_by([&](io::JsonWriter& json) {
      if (member.missing == Missing::null)
        json.null();
      else
        std::visit([&](const auto& value) { json.value(value); }, member.value);
    });
  }

  // The rows that belong to each row of the group's parent; all, of a group without one.
  std::vector<Rows> rows_by_parent(const Group& group,
                                   const std::vector<std::vector<double>>& values) const {
    const std::size_t count =
        group.dims.empty() ? 1 : static_cast<std::size_t>(group.dims.front().size);
    if (group.json.of.empty()) {
      Rows all(count);
      std::iota(all.begin(), all.end(), std::size_t{0});
      return {all};
    }
    const Group& parent = *answer_.find_group(group.json.of);
    std::vector<Rows> rows(static_cast<std::size_t>(parent.dims.front().size));
    for (std::size_t f = 0; f < group.fields.size(); ++f) {
      if (!is_link(group, group.fields[f])) continue;
      const std::size_t first = group.fields[f].labels.empty() ? 1 : 0;
      for (std::size_t row = 0; row < count; ++row)
        rows[static_cast<std::size_t>(values[f][row]) - first].push_back(row);
    }
    return rows;
  }
  bool is_link(const Group& group, const Field& field) const {
    return !group.json.of.empty() &&
           field.name == answer_.find_group(group.json.of)->dims.front().name;
  }

  // The groups within a row of a group; without a name those within none.
  void put_groups(Node& into, std::string_view of, std::size_t row) const {
    for (std::size_t g = 0; g < rows_.size(); ++g)
      if (answer_.groups()[g].json.of == of && answer_.groups()[g].json.key != kHidden)
        put_group(into, g, rows_[g][row]);
  }

  void put_group(Node& into, std::size_t g, const Rows& rows) const {
    const Group& group = answer_.groups()[g];
    const std::string& key = group.json.key.empty() ? group.name : group.json.key;
    const auto place = [&]() -> Node& { return key == kWithin ? into : into.at(key); };
    if (group.json.shape == Shape::object) return put_object(place(), g);
    if (group.json.shape == Shape::row) {
      for (const std::size_t row : rows) put_row(place(), g, row);
      return;
    }
    Node& node = place();
    const bool is_named = group.json.shape == Shape::named;
    node.kind = is_named ? Node::Kind::object : Node::Kind::list;
    const std::size_t field = field_of_values(group);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t row = rows[k];
      if (is_named)
        put_named(node, g, field, row);
      else if (group.json.shape == Shape::values)
        put_value(node, g, field, row);
      else
        put_row(item_at(node, k, group.json.has_lines), g, row);
    }
  }

  void put_named(Node& node, std::size_t g, std::size_t name, std::size_t row) const {
    const Group& group = answer_.groups()[g];
    Node& member =
        node.member(group.fields[name].labels[static_cast<std::size_t>(values_[g][name][row])]);
    if (name + 1 < group.fields.size())
      member.set(value_text(group.fields.back(), values_[g].back()[row]));
    put_groups(member, group.name, row);
  }

  void put_object(Node& node, std::size_t g) const {
    const Group& group = answer_.groups()[g];
    for (std::size_t f = 0; f < group.fields.size(); ++f)
      if (group.fields[f].key != kHidden && !is_coordinate(group, group.fields[f]))
        put(node, group.fields[f], group.shape(group.fields[f]), values_[g][f]);
  }

  // The first field that is no coordinate, or the coordinate if it is the only one.
  std::size_t field_of_values(const Group& group) const {
    for (std::size_t f = 0; f < group.fields.size(); ++f)
      if (!is_coordinate(group, group.fields[f]) && !is_link(group, group.fields[f])) return f;
    return 0;
  }

  std::span<const double> values_at(std::size_t g, std::size_t f, std::size_t row) const {
    const auto rows = static_cast<std::size_t>(answer_.groups()[g].dims.front().size);
    const std::size_t count = values_[g][f].size() / rows;
    return std::span(values_[g][f]).subspan(row * count, count);
  }
  static std::vector<Index> shape_within(const Group& group, const Field& field) {
    std::vector<Index> shape = group.shape(field);
    shape.erase(shape.begin());
    return shape;
  }

  void put_value(Node& list, std::size_t g, std::size_t f, std::size_t row) const {
    const Group& group = answer_.groups()[g];
    const Field& field = group.fields[f];
    const std::vector<Index> shape = shape_within(group, field);
    const std::span<const double> values = values_at(g, f, row);
    Node& item = list.items.emplace_back();
    list.has_lines = !shape.empty();
    if (shape.empty())
      item.set(value_text(field, values.front()));
    else
      add_elements(item, field, shape, values);
  }

  // An object of a list; groups with one key share them.
  static Node& item_at(Node& list, std::size_t place, bool has_lines) {
    list.has_lines = has_lines;
    if (list.items.size() <= place) list.items.emplace_back();
    return list.items[place];
  }

  void put_row(Node& item, std::size_t g, std::size_t row) const {
    const Group& group = answer_.groups()[g];
    bool is_before_there = true;
    for (std::size_t f = 0; f < group.fields.size(); ++f) {
      const Field& field = group.fields[f];
      if (field.key == kHidden || field.dims.front() != group.dims.front().name) continue;
      const std::span<const double> values = values_at(g, f, row);
      if (field.missing != Missing::as_before)
        is_before_there = field.missing != Missing::left_out || values.size() != 1 ||
                          !is_missing(field, values.front());
      if (field.missing != Missing::as_before || is_before_there)
        put(item, field, shape_within(group, field), values);
    }
    put_groups(item, group.name, row);
  }

  const ArrayList& answer_;
  std::vector<std::vector<std::vector<double>>> values_;  // by group and field
  std::vector<std::vector<Rows>> rows_;                   // by group and row of its parent
};
}  // namespace

std::string answer_json(const ArrayList& answer) {
  std::string text;
  append(text, AnswerTree(answer).all());
  return text + "\n";
}

std::string rows_json(const ArrayList& answer) {
  std::string text;
  append(text, AnswerTree(answer).all().items.front());
  return text + "\n";
}

void add_list(ArrayList& answer, const std::string& name, const std::string& dimension,
              const std::vector<std::string>& texts, const std::string& key) {
  answer.add_group(name, {{dimension, ssize(texts)}}, {.key = key, .shape = Shape::values})
      .add_texts({.name = "text", .dims = {dimension}}, texts);
}

void add_list(ArrayList& answer, const std::string& name, const std::string& dimension,
              std::vector<double> numbers) {
  answer.add_group(name, {{dimension, ssize(numbers)}}, {.shape = Shape::values})
      .add({.name = "value", .dims = {dimension}}, std::move(numbers));
}

void add_list(ArrayList& answer, const std::string& name,
              const std::array<std::string, 2>& dimensions,
              std::span<const std::vector<double>> lists) {
  std::vector<double> all;
  for (const std::vector<double>& list : lists) all.insert(all.end(), list.begin(), list.end());
  const Index length = lists.empty() ? 0 : ssize(lists.front());
  answer
      .add_group(name, {{dimensions[0], ssize(lists)}, {dimensions[1], length}},
                 {.shape = Shape::values})
      .add({.name = "value", .dims = {dimensions[0], dimensions[1]}}, std::move(all));
}

}  // namespace credo::results
