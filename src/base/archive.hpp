// Values as bytes, field by field, and back.
//
// A class lists the fields that it saves once:
//   static void saved(auto& self, auto&& field) { field(self.position); field(self.count); }
// ArchiveWriter and ArchiveReader visit the list. Each value is written with its kind and, for
// containers, its length, so that bytes of another layout are refused and never misread. Numbers
// are little endian, doubles keep every bit.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo {

template <class T>
concept Saved = requires(T& value) {
  T::saved(value, [](auto&) {});
};

// A class whose kind isn't known where it is saved: virtual void save(ArchiveWriter&) const and
// load(ArchiveReader&). A pointer to one is saved as its object, and must point to one of
// the same kind when it is loaded.
class ArchiveReader;
class ArchiveWriter;
template <class T>
concept SavesItself = requires(const T& value, T& target, ArchiveWriter& to, ArchiveReader& from) {
  value.save(to);
  target.load(from);
};

class ArchiveWriter {
 public:
  template <class T>
  ArchiveWriter& operator()(const T& value);
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void tag(char kind) { bytes_.push_back(kind); }
  void whole(std::uint64_t value);
  void real(double value) { whole(std::bit_cast<std::uint64_t>(value)); }

  std::string bytes_;
};

// Throws Error(io) that names `source` where the bytes end too early, are of another kind or leave
// something unread.
class ArchiveReader {
 public:
  ArchiveReader(std::string_view bytes, std::string source)
      : bytes_(bytes), source_(std::move(source)) {}

  template <class T>
  ArchiveReader& operator()(T& value);
  void finish() const;

 private:
  template <class List>
  void read_list(List& list) {
    for (auto& x : list) (*this)(x);
  }
  void read_list(std::vector<bool>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      bool flag = false;
      (*this)(flag);
      list[i] = flag;
    }
  }
  void expect(char kind);
  std::uint64_t whole();
  double real() { return std::bit_cast<double>(whole()); }
  std::size_t length(std::size_t least_bytes);
  [[noreturn]] void refuse(std::string_view why) const;

  std::string_view bytes_;
  std::size_t next_ = 0;
  std::string source_;
};

// ---- kinds

namespace archive {
inline constexpr char kWhole = 'i', kReal = 'd', kText = 's', kList = '[', kReals = 'v',
                      kFields = '{', kNothing = '0', kSomething = '1';

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T, std::size_t n>
struct IsList<std::array<T, n>> : std::true_type {};

template <class T>
struct IsPointer : std::false_type {};
template <class T>
struct IsPointer<std::unique_ptr<T>> : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
inline constexpr bool kIsWhole = std::is_integral_v<T> || std::is_enum_v<T>;
}  // namespace archive

template <class T>
ArchiveWriter& ArchiveWriter::operator()(const T& value) {
  if constexpr (archive::kIsWhole<T>) {
    tag(archive::kWhole);
    whole(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  } else if constexpr (std::is_same_v<T, double>) {
    tag(archive::kReal);
    real(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    tag(archive::kText);
    whole(value.size());
    bytes_ += value;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    tag(archive::kReals);
    whole(value.size());
    for (const double x : value) real(x);
  } else if constexpr (archive::IsList<T>::value) {
    tag(archive::kList);
    whole(value.size());
    for (const auto& x : value) (*this)(x);
  } else if constexpr (archive::IsOptional<T>::value) {
    tag(value ? archive::kSomething : archive::kNothing);
    if (value) (*this)(*value);
  } else if constexpr (archive::IsPointer<T>::value) {
    tag(value ? archive::kSomething : archive::kNothing);
    if (value) (*this)(std::as_const(*value));
  } else if constexpr (SavesItself<T>) {
    tag(archive::kFields);
    value.save(*this);
  } else {
    static_assert(Saved<const T>, "a class that is saved has a list `saved`");
    tag(archive::kFields);
    T::saved(value, [this](const auto& field) { (*this)(field); });
  }
  return *this;
}

template <class T>
ArchiveReader& ArchiveReader::operator()(T& value) {
  if constexpr (archive::kIsWhole<T>) {
    expect(archive::kWhole);
    const auto read = static_cast<std::int64_t>(whole());
    value = static_cast<T>(read);
    if (static_cast<std::int64_t>(value) != read) refuse("a whole number is out of range");
  } else if constexpr (std::is_same_v<T, double>) {
    expect(archive::kReal);
    value = real();
  } else if constexpr (std::is_same_v<T, std::string>) {
    expect(archive::kText);
    const std::size_t size = length(1);
    value.assign(bytes_.substr(next_, size));
    next_ += size;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    expect(archive::kReals);
    value.resize(length(sizeof(double)));
    for (double& x : value) x = real();
  } else if constexpr (archive::IsList<T>::value) {
    expect(archive::kList);
    const std::size_t size = length(1);
    // Pointers come with their objects; other elements are created.
    if constexpr (requires { value.resize(size); } &&
                  !archive::IsPointer<typename T::value_type>::value)
      value.resize(size);
    if (value.size() != size) refuse("a list of fixed length has another length");
    read_list(value);
  } else if constexpr (archive::IsOptional<T>::value) {
    if (next_ < bytes_.size() && bytes_[next_] == archive::kNothing) {
      ++next_;
      value.reset();
    } else {
      expect(archive::kSomething);
      (*this)(value.emplace());
    }
  } else if constexpr (archive::IsPointer<T>::value) {
    expect(value ? archive::kSomething : archive::kNothing);
    if (value) (*this)(*value);
  } else if constexpr (SavesItself<T>) {
    expect(archive::kFields);
    value.load(*this);
  } else {
    static_assert(Saved<T>, "a class that is saved has a list `saved`");
    expect(archive::kFields);
    T::saved(value, [this](auto& field) { (*this)(field); });
  }
  return *this;
}

// One value as bytes, and back. from_archive throws as ArchiveReader does.
template <class T>
std::string archived(const T& value) {
  ArchiveWriter writer;
  writer(value);
  return writer.take();
}
template <class T>
T from_archive(std::string_view bytes, std::string source) {
  T value{};
  ArchiveReader(bytes, std::move(source))(value).finish();
  return value;
}

}  // namespace credo
