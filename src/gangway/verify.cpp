// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/verify.hpp"

#include "gangway/present.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

namespace gangway {
namespace verification {

using detail::Layout;
using detail::Scalar;
using Bytes = std::vector<std::byte>;

/// The host's copies of each array during a verification: five, and one more of the largest.
constexpr std::uint64_t copies = 6;

struct Options {
  bool on = false;
  bool trust_original = false;
  bool allow_unstable = false;
  long every = 1;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::optional<double> tolerance;
  std::map<std::string, double> tolerances; ///< by array
  std::string report;
};

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw DataError("GANGWAY_VERIFY: \"" + option + "\" " + why, {});
}

double number_of(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(number >= 0))
    refuse(option, "needs a number that is not negative after =");
  return number;
}

std::uint64_t bytes_of(const std::string& option, std::string text) {
  double factor = 1;
  for (const auto& [unit, bytes] : {std::pair{'K', 1024.}, {'M', 1048576.}, {'G', 1073741824.}})
    if (!text.empty() && text.back() == unit) {
      factor = bytes;
      text.pop_back();
    }
  return static_cast<std::uint64_t>(number_of(option, text) * factor);
}

Options read_options() {
  Options options;
  const char* const asked = std::getenv("GANGWAY_VERIFY");
  std::istringstream words(asked == nullptr ? "" : asked);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty() || word == "0")
      continue;
    options.on = true;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (word == "1")
      continue;
    if (word == "trust-original")
      options.trust_original = true;
    else if (word == "allow-unstable")
      options.allow_unstable = true;
    else if (name == "every")
      options.every = static_cast<long>(std::max(1., number_of(word, value)));
    else if (name == "limit")
      options.limit = bytes_of(word, value);
    else if (name == "tolerance")
      options.tolerance = number_of(word, value);
    else if (name.starts_with("tolerance(") && name.ends_with(")"))
      options.tolerances[name.substr(10, name.size() - 11)] = number_of(word, value);
    else if (name == "report" && !value.empty())
      options.report = value;
    else
      refuse(
          word,
          "is none of 1, trust-original, allow-unstable, every=N, limit=BYTES, tolerance=RELATIVE, "
          "tolerance(ARRAY)=RELATIVE, report=FILE");
  }
  return options;
}

const Options& options() {
  static const Options read = read_options();
  return read;
}

/// The rank among processes, as launchers tell it; empty where there is one process.
std::string rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* const value = std::getenv(name); value != nullptr)
      return value;
  return {};
}

void tell(const std::string& text) {
  const std::string of = rank();
  const std::string line =
      "gangway verify: " + (of.empty() ? "" : "rank " + of + ": ") + text + "\n";
  static_cast<void>(std::fputs(line.c_str(), stderr));
}

/// "12.3 MB"
std::string size_text(std::uint64_t bytes) {
  static constexpr std::array units{"bytes", "kB", "MB", "GB", "TB"};
  std::ostringstream text;
  text.precision(3);
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1000 && unit + 1 < units.size(); ++unit)
    size /= 1000;
  text << size << " " << units[unit];
  return text.str();
}

// Numbers.

template <class T>
T at(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

std::string text_of(const std::byte* bytes, std::size_t index, const Layout& layout) {
  const auto printed = [](const char* format, auto value) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), format, value));
    return std::string(text.data());
  };
  const bool is_real = layout.scalar == Scalar::real;
  const bool is_signed = layout.scalar == Scalar::signed_integer;
  if (is_real && layout.scalar_bytes == sizeof(float))
    return printed("%.9g", static_cast<double>(at<float>(bytes, index)));
  if (is_real && layout.scalar_bytes == sizeof(double))
    return printed("%.17g", at<double>(bytes, index));
  if (is_real && layout.scalar_bytes == sizeof(long double))
    return printed("%.21Lg", at<long double>(bytes, index));
  if (layout.scalar != Scalar::other)
    switch (layout.scalar_bytes) {
    case 1:
      return std::to_string(is_signed ? at<std::int8_t>(bytes, index)
                                      : at<std::uint8_t>(bytes, index));
    case 2:
      return std::to_string(is_signed ? at<std::int16_t>(bytes, index)
                                      : at<std::uint16_t>(bytes, index));
    case 4:
      return is_signed ? std::to_string(at<std::int32_t>(bytes, index))
                       : std::to_string(at<std::uint32_t>(bytes, index));
    case 8:
      return is_signed ? std::to_string(at<std::int64_t>(bytes, index))
                       : std::to_string(at<std::uint64_t>(bytes, index));
    default:
      break;
    }
  std::string text = "0x";
  for (std::size_t i = 0; i < std::min<std::size_t>(layout.scalar_bytes, 16); ++i)
    text += printed("%02x", std::to_integer<unsigned>(bytes[index * layout.scalar_bytes + i]));
  return text + (layout.scalar_bytes > 16 ? "..." : "");
}

/// How two arrays of the same layout differ.
struct Difference {
  std::size_t count = 0; ///< of numbers
  std::size_t first = 0;
  double relative = 0; ///< of the first, to the larger of both; infinite where one is no number
};

/// The largest finite magnitude.
template <class T>
T largest(const std::byte* bytes, std::size_t count) {
  T most = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const T value = std::abs(at<T>(bytes, i)); std::isfinite(value))
      most = std::max(most, value);
  return most;
}

/// The change of `right` when its inputs change by a unit in the last place: of each number, and at
/// least the upper quartile of all, because a number may stay by chance. `shifted` is what the
/// changed inputs gave; null: not known.
template <class T>
class Sensitivity {
public:
  Sensitivity(const std::byte* right, const std::byte* shifted, std::size_t count)
      : _right(right), _shifted(shifted) {
    if (shifted == nullptr || count == 0)
      return;
    std::vector<T> all(count);
    for (std::size_t i = 0; i < count; ++i)
      all[i] = change(i);
    const auto quartile = all.begin() + static_cast<std::ptrdiff_t>(count - 1 - count / 4);
    std::nth_element(all.begin(), quartile, all.end());
    _typical = *quartile;
  }
  [[nodiscard]] T operator()(std::size_t i) const {
    return _shifted == nullptr ? 0 : std::max(change(i), _typical);
  }

private:
  [[nodiscard]] T change(std::size_t i) const {
    const T one = std::abs(at<T>(_right, i) - at<T>(_shifted, i));
    return std::isfinite(one) ? one : 0;
  }

  const std::byte* _right;
  const std::byte* _shifted;
  T _typical = 0;
};

template <class T, class Skip>
Difference reals_differ(const std::byte* found, const std::byte* right, const std::byte* shifted,
                        std::size_t count, double relative, const Skip& skip) {
  Difference difference;
  const T scale = largest<T>(right, count);
  const Sensitivity<T> sensitivity(right, shifted, count);
  const T units = static_cast<T>(relative) / std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < count; ++i) {
    const T a = at<T>(found, i);
    const T b = at<T>(right, i);
    if (a == b || (std::isnan(a) && std::isnan(b)) || skip(i))
      continue;
    const T larger = std::max({std::abs(a), std::abs(b), scale});
    const bool comparable = std::isfinite(a) && std::isfinite(b);
    if (comparable && (std::abs(a - b) <= static_cast<T>(relative) * larger ||
                       std::abs(a - b) <= units * sensitivity(i)))
      continue;
    if (difference.count++ > 0)
      continue;
    difference.first = i;
    difference.relative =
        comparable ? static_cast<double>(std::abs(a - b) / std::max(std::abs(a), std::abs(b)))
                   : std::numeric_limits<double>::infinity();
  }
  return difference;
}

double epsilon_of(const Layout& layout) {
  return layout.scalar != Scalar::real ? 0
         : layout.scalar_bytes == sizeof(float)
             ? static_cast<double>(std::numeric_limits<float>::epsilon())
             : std::numeric_limits<double>::epsilon();
}

/// `relative` is allowed for reals, and more where a result is as sensitive as `shifted` shows.
/// `skip(i)` says which numbers are left out.
template <class Skip>
Difference differ(const std::byte* found, const std::byte* right, std::size_t bytes,
                  const Layout& layout, double relative, const Skip& skip,
                  const std::byte* shifted = nullptr) {
  if (std::memcmp(found, right, bytes) == 0)
    return {};
  const std::size_t count = bytes / layout.scalar_bytes;
  if (layout.scalar == Scalar::real) {
    if (layout.scalar_bytes == sizeof(float))
      return reals_differ<float>(found, right, shifted, count, relative, skip);
    if (layout.scalar_bytes == sizeof(double))
      return reals_differ<double>(found, right, shifted, count, relative, skip);
    return reals_differ<long double>(found, right, shifted, count, relative, skip);
  }
  Difference difference;
  for (std::size_t i = 0; i < count; ++i)
    if (std::memcmp(found + i * layout.scalar_bytes, right + i * layout.scalar_bytes,
                    layout.scalar_bytes) != 0 &&
        !skip(i) && difference.count++ == 0)
      difference.first = i;
  return difference;
}

/// Makes some reals smaller by a unit in the last place. None grows, because a program may rely on
/// a bound.
template <class T>
void shift_reals(std::byte* bytes, std::size_t count) {
  std::uint32_t random = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    random = random * 1664525U + 1013904223U;
    const T value = at<T>(bytes, i);
    if ((random >> 16U & 1U) == 0 || !std::isfinite(value))
      continue;
    const T smaller = std::nextafter(value, static_cast<T>(0));
    std::memcpy(bytes + i * sizeof(T), &smaller, sizeof(T));
  }
}
void shift(std::byte* bytes, std::size_t size, const Layout& layout) {
  if (layout.scalar != Scalar::real)
    return;
  if (layout.scalar_bytes == sizeof(float))
    shift_reals<float>(bytes, size / sizeof(float));
  else if (layout.scalar_bytes == sizeof(double))
    shift_reals<double>(bytes, size / sizeof(double));
}

/// "[17][204]" of the number's place.
std::string index_text(std::size_t number, const Layout& layout) {
  const std::size_t parts = layout.element_bytes / layout.scalar_bytes;
  std::size_t below = number / parts; // of the extents not yet written
  std::size_t size = 1;
  const auto rank = static_cast<std::size_t>(layout.rank);
  for (std::size_t d = 1; d < rank; ++d)
    size *= std::max<std::size_t>(1, layout.extents[d]);
  std::string text;
  for (std::size_t d = 0; d < rank; ++d) {
    text += "[" + std::to_string(below / size) + "]";
    below %= size;
    if (d + 1 < rank)
      size /= std::max<std::size_t>(1, layout.extents[d + 1]);
  }
  if (parts == 2)
    text += number % 2 == 0 ? " (real)" : " (imaginary)";
  return text;
}

// Memory.

using DeviceBytes = Kokkos::View<std::byte*, DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using HostBytes =
    Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// An array on the device, or a result, and what it held.
struct Kept {
  detail::OnDevice array; ///< of a result `device` is null
  Bytes host;             ///< before the construct
  Bytes device;           ///< likewise; of a result empty
  Bytes original;         ///< what the original left
  Bytes port;             ///< what the port left
  Bytes shifted;          ///< what the original left of inputs that were changed a little
  /// Numbers of which the device may lack the host's value. Empty: none.
  std::vector<bool> behind;
  /// Those of them that the original does not set. Empty: not known.
  std::vector<bool> untouched;

  [[nodiscard]] bool is_result() const { return array.device == nullptr; }
  [[nodiscard]] bool is_apart() const { return !is_result() && array.device != array.host; }
  [[nodiscard]] const Bytes& before() const { return is_result() ? host : device; }
  [[nodiscard]] bool is_pointer(std::size_t number) const {
    const std::size_t from = number * array.layout.scalar_bytes;
    return std::any_of(array.pointers.begin(), array.pointers.end(), [&](std::size_t pointer) {
      return pointer < from + array.layout.scalar_bytes && from < pointer + sizeof(void*);
    });
  }
  [[nodiscard]] std::size_t numbers() const { return array.bytes / array.layout.scalar_bytes; }
  [[nodiscard]] bool is_behind(std::size_t number) const {
    return !behind.empty() && behind[number];
  }
  /// Returns whether no update and no kernel has set the number since a clause created the array.
  [[nodiscard]] bool is_unset(std::size_t number) const {
    const std::size_t size = array.layout.scalar_bytes;
    return array.created && detail::is_unset(&device[number * size], size);
  }
  [[nodiscard]] std::string name() const {
    return array.name.empty() ? "the array of " + array.brought_by : array.name;
  }
};

/// Calls `act(from, bytes)` for what lies between attached pointers.
template <class Act>
void without_pointers(const Kept& kept, const Act& act) {
  std::size_t from = 0;
  for (const std::size_t pointer : kept.array.pointers) {
    act(from, pointer - from);
    from = pointer + sizeof(void*);
  }
  act(from, kept.array.bytes - from);
}

void take_host(const Kept& kept, Bytes& into) {
  into.assign(kept.array.host, kept.array.host + kept.array.bytes);
}
/// Leaves out what is equal, which may be read-only, and attached pointers.
void set_host(const Kept& kept, const Bytes& bytes) {
  if (!kept.array.writable)
    return;
  without_pointers(kept, [&](std::size_t from, std::size_t count) {
    if (count > 0 && std::memcmp(kept.array.host + from, &bytes[from], count) != 0)
      std::memcpy(kept.array.host + from, &bytes[from], count);
  });
}
void set_number(const Kept& kept, std::size_t number, const std::byte* value) {
  const std::size_t size = kept.array.layout.scalar_bytes;
  if (kept.array.writable)
    std::memcpy(kept.array.host + number * size, value, size);
}

void take_device(const Kept& kept, Bytes& into) {
  if (!kept.is_apart())
    return take_host(kept, into);
  into.resize(kept.array.bytes);
  Kokkos::deep_copy(HostBytes(into.data(), into.size()),
                    DeviceBytes(kept.array.device, kept.array.bytes));
}
/// The attached pointers stay, and `bytes` gets them.
void set_device(const Kept& kept, Bytes& bytes) {
  if (!kept.is_apart())
    return set_host(kept, bytes);
  for (const std::size_t pointer : kept.array.pointers)
    std::memcpy(&bytes[pointer], &kept.device[pointer], sizeof(void*));
  Kokkos::deep_copy(DeviceBytes(kept.array.device, kept.array.bytes),
                    HostBytes(bytes.data(), bytes.size()));
}

/// Takes the place of a number that nothing has set where the original may use it as an index: one,
/// or two if the host has one.
Bytes stand_in(const Kept& kept, std::size_t number) {
  const std::size_t size = kept.array.layout.scalar_bytes;
  Bytes bytes(size);
  bytes[0] = std::byte{1};
  if (std::memcmp(&kept.host[number * size], bytes.data(), size) == 0)
    bytes[0] = std::byte{2};
  return bytes;
}

// Findings.

enum class Finding { wrong, unstable, stale };

struct Tally {
  long executions = 0;
  long compared = 0;
  long left_out = 0; ///< for want of memory, or because the original reaches the device's
  std::array<long, 3> found{};
  std::string first; ///< the first message

  [[nodiscard]] long& of(Finding finding) { return found[static_cast<std::size_t>(finding)]; }
  [[nodiscard]] long of(Finding finding) const { return found[static_cast<std::size_t>(finding)]; }
};

using Name = std::tuple<std::string, unsigned, std::string>; ///< file, line, construct

std::string place_of(const Name& name) {
  return std::get<0>(name) + ":" + std::to_string(std::get<1>(name)) + " (" + std::get<2>(name) +
         ")";
}

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      json += '\\';
    json += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return json + "\"";
}

/// Everything found; tells it when the program ends.
class Findings {
public:
  std::recursive_mutex mutex;
  int depth = 0;               ///< running verifications
  std::uint64_t copied = 0;    ///< bytes between host and device
  std::uint64_t told_need = 0; ///< bytes that the last message said a verification takes
  std::map<Name, Tally> tallies;

  [[nodiscard]] long all(Finding finding) const {
    long sum = 0;
    for (const auto& [name, tally] : tallies)
      sum += tally.of(finding);
    return sum;
  }

  [[nodiscard]] bool fail() const {
    return all(Finding::wrong) > 0 || (all(Finding::unstable) > 0 && !options().allow_unstable);
  }

  /// Prints the summary and writes the report, once.
  void tell_end() {
    if (tallies.empty() || std::exchange(_is_told, true))
      return;
    long compared = 0;
    for (const auto& [name, tally] : tallies)
      compared += tally.compared;
    std::ostringstream text;
    text << tallies.size() << (tallies.size() == 1 ? " construct, " : " constructs, ") << compared
         << (compared == 1 ? " execution" : " executions") << " compared: " << all(Finding::wrong)
         << " differ, " << all(Finding::unstable) << " unstable, " << all(Finding::stale)
         << " stale; " << copied / 1'000'000 << " MB copied between host and device";
    tell(text.str());
    for (const auto& [name, tally] : tallies) {
      if (tally.found == decltype(tally.found){} && tally.left_out == 0)
        continue; // it agrees
      std::ostringstream line;
      line << "  " << place_of(name) << ": " << tally.compared << " of " << tally.executions
           << " executions compared, " << tally.of(Finding::wrong) << " differ, "
           << tally.of(Finding::unstable) << " unstable, " << tally.of(Finding::stale) << " stale";
      if (tally.left_out > 0)
        line << ", " << tally.left_out << " left out";
      tell(line.str());
    }
    report();
  }

private:
  bool _is_told = false;

  /// Appends a line, at once, so that ranks can share a file.
  void report() const {
    if (options().report.empty())
      return;
    std::string json = "{\"rank\":" + (rank().empty() ? "0" : rank()) +
                       ",\"bytes_copied\":" + std::to_string(copied) + ",\"constructs\":[";
    for (const auto& [name, tally] : tallies) {
      if (json.back() != '[')
        json += ',';
      json += "{\"file\":" + quoted(std::get<0>(name)) +
              ",\"line\":" + std::to_string(std::get<1>(name)) +
              ",\"construct\":" + quoted(std::get<2>(name)) +
              ",\"executions\":" + std::to_string(tally.executions) +
              ",\"compared\":" + std::to_string(tally.compared) +
              ",\"left_out\":" + std::to_string(tally.left_out) +
              ",\"wrong\":" + std::to_string(tally.of(Finding::wrong)) +
              ",\"unstable\":" + std::to_string(tally.of(Finding::unstable)) +
              ",\"stale\":" + std::to_string(tally.of(Finding::stale)) +
              ",\"first\":" + quoted(tally.first) + "}";
    }
    json += "]}\n";
    const int file =
        ::open(options().report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || ::write(file, json.data(), json.size()) != static_cast<ssize_t>(json.size()))
      tell("cannot write " + options().report + ": " + std::strerror(errno));
    if (file >= 0)
      ::close(file);
  }
};

Findings& findings() {
  static auto* const all = new Findings; // until the very end
  return *all;
}

/// Prints the summary when Kokkos ends, which with MPI is before MPI_Finalize: there ranks wait for
/// each other, and none is ended because another has failed. The first verification makes it, so
/// objects that the program made before live on until then; if the program is to fail, their
/// destructors do not run.
struct AtEnd {
  AtEnd() {
    Kokkos::push_finalize_hook([] { findings().tell_end(); });
  }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() {
    findings().tell_end(); // of a program that ends without Kokkos' end
    if (!findings().fail())
      return;
    std::cout.flush();
    static_cast<void>(std::fflush(nullptr));
    std::_Exit(1);
  }
};

} // namespace verification
using namespace verification;

bool detail::is_verifying() {
  static const bool on = options().on;
  return on;
}

class detail::Verification::State {
public:
  State(const Construct& construct, std::vector<Result> results)
      : _lock(findings().mutex), _results(std::move(results)),
        _name(construct.where.file_name(), construct.where.line(), construct.name),
        _tally(findings().tallies[_name]) {
    static const AtEnd at_end;
    if (memory() == Memory::shared)
      throw DataError(
          "verify(" + std::get<2>(_name) +
              "): memory is shared, and the original and the port would change the same arrays; "
              "let GANGWAY_MEMORY be separate or strict while GANGWAY_VERIFY is set",
          construct.where);
    ++findings().depth;
    ++_tally.executions;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// An original that was left by an exception leaves the host's arrays as they were.
  ~State() {
    if (is_original())
      restore_host();
    --findings().depth;
  }

  [[nodiscard]] bool is_original() const {
    return _run == Run::original || _run == Run::with_host || _run == Run::shifted ||
           _run == Run::original_again;
  }

  /// Memory that is missing ends the verification, not the program.
  bool next() {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      return give_up();
    }
  }

private:
  enum class Run {
    none,
    unverified,
    original,
    with_host,
    port,
    shifted,
    port_again,
    original_again
  };

  bool step() {
    switch (_run) {
    case Run::none:
      return begin();
    case Run::unverified:
      return false;
    case Run::original:
      if (const Kept* const reached = reached_device(); reached != nullptr)
        return leave_to_port(*reached);
      for (Kept& kept : _kept)
        take_host(kept, kept.original);
      restore_host();
      return _suspects.empty() ? begin_port(Run::port) : begin_with_host();
    case Run::with_host:
      return end_with_host();
    case Run::port:
      read_port();
      compare();
      return _different.empty() ? end() : begin_shifted();
    case Run::shifted:
      end_shifted();
      return _different.empty() ? end() : begin_again();
    case Run::port_again:
      return end_again();
    case Run::original_again:
      return end_original_again();
    }
    return false;
  }

  /// Decides whether to verify this execution; if so, the original is next.
  bool begin() {
    _run = Run::unverified;
    if (findings().depth > 1 || (_tally.executions - 1) % options().every != 0)
      return true;
    Kokkos::fence("gangway: verify");
    std::uint64_t bytes = 0;
    for (OnDevice& array : arrays_on_device()) {
      bytes += array.bytes;
      _kept.emplace_back().array = std::move(array);
    }
    if (!has_room(bytes))
      return leave_out(bytes, bytes > options().limit ? " (GANGWAY_VERIFY limit)" : "");
    for (const Result& result : _results) {
      Kept& kept = _kept.emplace_back();
      kept.array.host = result.at;
      kept.array.bytes = result.bytes;
      kept.array.name = result.name;
      kept.array.layout = result.layout;
    }
    try {
      for (Kept& kept : _kept)
        for (Bytes* copy : {&kept.host, &kept.device, &kept.original, &kept.port, &kept.shifted})
          copy->reserve(kept.array.bytes);
      std::size_t most = 0;
      for (const Kept& kept : _kept)
        most = std::max(most, kept.array.bytes);
      _spare.reserve(most);
    } catch (const std::bad_alloc&) {
      return leave_out(bytes, " (no more can be had)");
    }
    for (Kept& kept : _kept)
      take_host(kept, kept.host);
    _has_host = true;
    for (std::size_t k = 0; k < _kept.size(); ++k) {
      Kept& kept = _kept[k];
      if (!kept.is_result()) {
        take_device(kept, kept.device);
        findings().copied += kept.array.bytes;
      }
      note_behind(kept);
      if (!kept.behind.empty())
        _suspects.push_back(k);
    }
    _run = Run::original;
    bring_device();
    ++_tally.compared;
    return true;
  }

  /// Returns whether a verification finds the memory that it takes. Says how much that is before it
  /// is taken for the first time, and whenever it has doubled.
  bool has_room(std::uint64_t bytes) const {
    const std::uint64_t needed = bytes * copies;
    const std::uint64_t free = detail::available_memory();
    if (bytes > options().limit || needed > free)
      return false;
    std::uint64_t& told = findings().told_need;
    if (needed > 2 * told || told == 0) {
      tell("arrays of " + size_text(bytes) + " are on the device: a verification takes up to " +
           size_text(needed) + " of the host's memory, of which " + size_text(free) + " are free");
      told = std::max<std::uint64_t>(needed, 1);
    }
    return true;
  }
  /// Always returns true: the port runs.
  bool leave_out(std::uint64_t bytes, const std::string& why) {
    if (_tally.left_out++ == 0)
      say(std::to_string(bytes) +
          " bytes are on the device, and a verification takes six times as much of the host's "
          "memory: not compared" +
          why);
    _kept.clear();
    return true;
  }
  bool give_up() {
    if (is_original()) {
      if (_has_port)
        restore_port();
      else
        restore_host();
    }
    _run = Run::unverified;
    if (_tally.left_out++ == 0)
      say("a verification finds no memory: not compared");
    return !_has_port;
  }

  /// Returns the first array whose copy on the device the original has changed, by an address of
  /// the device's that some array holds. A GPU's memory is out of its reach.
  [[nodiscard]] const Kept* reached_device() const {
    if constexpr (!has_device)
      for (const Kept& kept : _kept)
        if (kept.is_apart() &&
            std::memcmp(kept.array.device, kept.device.data(), kept.array.bytes) != 0)
          return &kept;
    return nullptr;
  }
  bool leave_to_port(const Kept& reached) {
    if (_tally.left_out++ == 0)
      say("the original writes " + reached.name() +
          " of the device, not of the host: not compared");
    --_tally.compared;
    restore_host();
    for (Kept& kept : _kept)
      if (!kept.is_result())
        set_device(kept, kept.device);
    _run = Run::unverified;
    return true;
  }

  /// Notes which numbers the host has set since the device got the array, and which nothing has set
  /// on the device.
  static void note_behind(Kept& kept) {
    const OnDevice& array = kept.array;
    if (!kept.is_apart() ||
        (!array.created && (array.in_step == nullptr ||
                            std::memcmp(array.in_step, kept.host.data(), array.bytes) == 0)))
      return;
    const std::size_t size = array.layout.scalar_bytes;
    for (std::size_t i = 0; i < kept.numbers(); ++i) {
      const std::byte* const host = &kept.host[i * size];
      const bool is_newer = array.in_step != nullptr &&
                            std::memcmp(array.in_step + i * size, host, size) != 0 &&
                            std::memcmp(&kept.device[i * size], host, size) != 0;
      if (!(is_newer || kept.is_unset(i)) || kept.is_pointer(i))
        continue;
      if (kept.behind.empty())
        kept.behind.resize(kept.numbers());
      kept.behind[i] = true;
    }
  }

  /// The host's arrays get the device's values, and what nothing has set a number that is no
  /// dangerous index.
  void bring_device() {
    for (const Kept& kept : _kept) {
      set_host(kept, kept.before());
      for_unset_indices(kept,
                        [&](std::size_t i) { set_number(kept, i, stand_in(kept, i).data()); });
    }
  }
  void restore_host() {
    if (_has_host)
      for (const Kept& kept : _kept)
        set_host(kept, kept.host);
  }
  /// Calls `act` for what nothing has set and an original may use as an index.
  template <class Act>
  static void for_unset_indices(const Kept& kept, const Act& act) {
    if (kept.behind.empty() || !kept.array.created || kept.array.layout.scalar == Scalar::real)
      return;
    for (std::size_t i = 0; i < kept.numbers(); ++i)
      if (kept.behind[i] && kept.is_unset(i))
        act(i);
  }

  /// The original once more, with the host's values of all suspects, or of one.
  bool begin_with_host() {
    bring_device();
    for (std::size_t s = 0; s < _suspects.size(); ++s) {
      const Kept& kept = _kept[_suspects[s]];
      if (_suspect && *_suspect != s)
        continue;
      for (std::size_t i = 0; i < kept.numbers(); ++i)
        if (kept.behind[i])
          set_number(kept, i, &kept.host[i * kept.array.layout.scalar_bytes]);
    }
    _run = Run::with_host;
    return true;
  }
  bool end_with_host() {
    if (!_suspect)
      note_untouched();
    const std::vector<std::size_t> dependent = dependent_arrays();
    const bool is_last = _suspects.size() == 1 || (_suspect && *_suspect + 1 == _suspects.size());
    if (dependent.empty() ? _suspect && !is_last : !_suspect && _suspects.size() > 1) {
      _suspect = _suspect ? *_suspect + 1 : 0; // which one it is
      restore_host();
      return begin_with_host();
    }
    if (!dependent.empty() || _suspect)
      tell_stale(dependent);
    else
      restore_host();
    for (Kept& kept : _kept)
      for_unset_indices(kept, [&](std::size_t i) { // the device has no stand-in
        const std::size_t size = kept.array.layout.scalar_bytes;
        if (kept.untouched[i])
          std::memcpy(&kept.original[i * size], &kept.device[i * size], size);
      });
    return begin_port(Run::port);
  }
  /// With the host's values of all suspects.
  void note_untouched() {
    for (const std::size_t k : _suspects) {
      Kept& kept = _kept[k];
      const std::size_t size = kept.array.layout.scalar_bytes;
      kept.untouched.resize(kept.numbers());
      for (std::size_t i = 0; i < kept.numbers(); ++i) {
        const Bytes given = kept.is_unset(i) && kept.array.layout.scalar != Scalar::real
                                ? stand_in(kept, i)
                                : Bytes(&kept.device[i * size], &kept.device[i * size] + size);
        kept.untouched[i] =
            kept.behind[i] && std::memcmp(&kept.original[i * size], given.data(), size) == 0 &&
            std::memcmp(kept.array.host + i * size, &kept.host[i * size], size) == 0;
      }
    }
  }
  /// Returns the arrays and results of which the original leaves other values with the host's.
  [[nodiscard]] std::vector<std::size_t> dependent_arrays() const {
    std::vector<std::size_t> dependent;
    for (std::size_t k = 0; k < _kept.size(); ++k) {
      const Kept& kept = _kept[k];
      const auto is_apart = [&](std::size_t i) {
        return kept.is_pointer(i) || (!kept.untouched.empty() && kept.untouched[i]);
      };
      if (differ(kept.array.host, kept.original.data(), kept.array.bytes, kept.array.layout,
                 tolerance(kept), is_apart)
              .count > 0)
        dependent.push_back(k);
    }
    return dependent;
  }
  /// Tells that the original's outcome depends on values that the device lacks. The host's arrays
  /// hold the outcome with the host's values.
  void tell_stale(const std::vector<std::size_t>& dependent) {
    const bool is_one = !dependent.empty();
    const std::size_t which = _suspects[is_one && _suspect ? *_suspect : 0];
    const Kept& source = _kept[which];
    const auto first = std::find(source.behind.begin(), source.behind.end(), true);
    const auto i = static_cast<std::size_t>(first - source.behind.begin());
    const auto count = std::count(source.behind.begin(), source.behind.end(), true);
    const std::string such = " (" + std::to_string(count) + " such): ";
    const std::string what = source.name() + index_text(i, source.array.layout);
    const std::string outcome = is_one ? _kept[dependent.front()].name() : "the outcome";
    std::string text =
        source.is_unset(i)
            ? what + " has had no value on the device since " + source.array.brought_by + such +
                  "no update brought it, no construct set it, and "
            : what + " is " + text_of(source.host.data(), i, source.array.layout) +
                  " on the host and " + text_of(source.device.data(), i, source.array.layout) +
                  " on the device" + such + "the host set it later, no update brought it, and ";
    find(Finding::stale,
         text + outcome + " depends on it" + (is_one ? "" : ", or on others like it"));
    if (is_one && options().trust_original)
      for (Kept& kept : _kept)
        take_host(kept, kept.original);
    restore_host();
    for (const std::size_t k : _suspects)
      if (k == which || !is_one)
        settle(_kept[k], is_one && options().trust_original);
    for (const std::size_t k : dependent) // what has no value on the device may have been copied
      note_brought(_kept[k].array.host);
  }
  /// Says it once. The device gets the host's values if the original is trusted, and otherwise no
  /// dangerous index.
  static void settle(Kept& kept, bool bring) {
    const std::size_t size = kept.array.layout.scalar_bytes;
    for (std::size_t i = 0; i < kept.numbers(); ++i)
      if (kept.behind[i] && bring)
        std::memcpy(&kept.device[i * size], &kept.host[i * size], size);
    if (!bring)
      for_unset_indices(kept, [&](std::size_t i) {
        std::memcpy(&kept.device[i * size], stand_in(kept, i).data(), size);
      });
    set_device(kept, kept.device);
    kept.behind.clear();
    note_in_step(kept.array.host);
    note_brought(kept.array.host);
  }

  bool begin_port(Run run) {
    _run = run;
    return true;
  }

  void read_port() {
    Kokkos::fence("gangway: verify");
    const std::vector<OnDevice> now = arrays_on_device();
    const auto arrays = std::count_if(_kept.begin(), _kept.end(),
                                      [](const Kept& kept) { return !kept.is_result(); });
    if (std::ssize(now) != arrays)
      throw DataError("verify(" + std::get<2>(_name) +
                          "): the port changes which arrays are on the device; open data regions "
                          "before the verification",
                      {});
    _has_port = true;
    for (Kept& kept : _kept) {
      take_device(kept, kept.port);
      if (!kept.is_result())
        findings().copied += kept.array.bytes;
    }
  }

  /// The relative difference allowed for reals.
  [[nodiscard]] double tolerance(const Kept& kept) const {
    if (const auto own = options().tolerances.find(kept.array.name);
        own != options().tolerances.end())
      return own->second;
    if (options().tolerance)
      return *options().tolerance;
    std::size_t most = 1;
    for (const Kept& other : _kept)
      most = std::max(most, other.array.bytes / other.array.layout.scalar_bytes);
    const auto own = static_cast<double>(
        std::max<std::size_t>(1, kept.array.bytes / kept.array.layout.scalar_bytes));
    const double summed = static_cast<double>(most) / own;
    // A serial loop over equal numbers may round each time in the same direction: n / 4 units.
    return (256 + std::max(16 * std::sqrt(summed), summed / 4)) * epsilon_of(kept.array.layout);
  }

  Difference difference(const Kept& kept, const Bytes& found, const Bytes& right) const {
    const bool is_known = !kept.shifted.empty() && !options().tolerance &&
                          !options().tolerances.contains(kept.array.name);
    return differ(
        found.data(), right.data(), kept.array.bytes, kept.array.layout, tolerance(kept),
        [&](std::size_t i) { return kept.is_pointer(i); },
        is_known ? kept.shifted.data() : nullptr);
  }

  void compare() {
    for (std::size_t k = 0; k < _kept.size(); ++k) {
      const Kept& kept = _kept[k];
      if (const Difference found = difference(kept, kept.port, kept.original); found.count > 0)
        _different.push_back({k, text_of_difference(kept, found), false});
      if (kept.is_apart() &&
          std::memcmp(kept.array.host, kept.host.data(), kept.array.bytes) != 0) {
        const Difference written = differ(kept.array.host, kept.host.data(), kept.array.bytes,
                                          kept.array.layout, 0, [](std::size_t) { return false; });
        _different.push_back({k,
                              "the port writes " + kept.name() +
                                  index_text(written.first, kept.array.layout) +
                                  " of the host, not of the device",
                              true});
      }
    }
  }

  [[nodiscard]] std::string text_of_difference(const Kept& kept, const Difference& found) const {
    const Layout& layout = kept.array.layout;
    const std::size_t count = kept.array.bytes / layout.scalar_bytes;
    std::ostringstream text;
    text << kept.name();
    if (count > 1)
      text << " differs from the original in " << found.count << " of " << count
           << " elements, first at " << index_text(found.first, layout) << ":";
    text << " " << text_of(kept.port.data(), found.first, layout) << " against "
         << text_of(kept.original.data(), found.first, layout);
    if (layout.scalar == Scalar::real && std::isfinite(found.relative)) {
      text.precision(2);
      text << " (relative " << found.relative << "; " << tolerance(kept) << " allowed)";
    }
    return text.str();
  }

  /// Where terms cancel, a result has larger errors than its size tells: how it changes with the
  /// last places of its inputs says how much larger.
  bool begin_shifted() {
    bring_device();
    for (const Kept& kept : _kept)
      if (kept.array.writable)
        shift(kept.array.host, kept.array.bytes, kept.array.layout);
    _run = Run::shifted;
    return true;
  }
  void end_shifted() {
    for (Kept& kept : _kept)
      take_host(kept, kept.shifted);
    restore_port();
    std::erase_if(_different, [&](Different& one) {
      if (one.is_on_host)
        return false;
      const Kept& kept = _kept[one.which];
      const Difference found = difference(kept, kept.port, kept.original);
      if (found.count > 0)
        one.text = text_of_difference(kept, found);
      return found.count == 0;
    });
  }
  /// After a run of the original: the host's arrays as they were, and what the port left in place.
  void restore_port() {
    restore_host();
    for (const Kept& kept : _kept)
      if (!kept.is_apart())
        set_host(kept, kept.port);
  }

  /// The port once more, from the same state.
  bool begin_again() {
    for (Kept& kept : _kept)
      if (!kept.is_result())
        set_device(kept, kept.device);
    restore_host();
    return begin_port(Run::port_again);
  }
  bool end_again() {
    Kokkos::fence("gangway: verify");
    for (Kept& kept : _kept) {
      take_device(kept, _spare);
      std::swap(_spare, kept.port);
      if (difference(kept, kept.port, _spare).count > 0 && !_unstable)
        _unstable = kept.name();
    }
    if (_unstable)
      return found(Finding::unstable, "two runs of the port on the same data differ");
    _run = Run::original_again;
    bring_device();
    return true;
  }
  bool end_original_again() {
    for (Kept& kept : _kept) {
      Bytes& again = _spare;
      take_host(kept, again);
      for_unset_indices(kept, [&](std::size_t i) {
        const std::size_t size = kept.array.layout.scalar_bytes;
        if (kept.untouched[i])
          std::memcpy(&again[i * size], &kept.device[i * size], size);
      });
      if (difference(kept, again, kept.original).count > 0 && !_unstable)
        _unstable = kept.name();
    }
    restore_port();
    if (_unstable)
      return found(Finding::unstable, "two runs of the original on the same data differ");
    return found(Finding::wrong, "");
  }

  bool found(Finding finding, const std::string& why) {
    const bool is_first = findings().all(Finding::wrong) + findings().all(Finding::unstable) == 0;
    std::string text = _different.front().text;
    if (_different.size() > 1)
      text += " (and " + std::to_string(_different.size() - 1) + " more)";
    if (finding == Finding::unstable)
      text =
          *_unstable + " is unstable: " + why + " (a race, or an order that is not fixed); " + text;
    else if (is_first)
      text += ": first wrong result";
    find(finding, text);
    return end();
  }

  bool end() {
    if (options().trust_original)
      for (Kept& kept : _kept) {
        if (kept.is_result())
          set_host(kept, kept.original);
        else
          set_device(kept, kept.original);
      }
    _run = Run::unverified;
    return false;
  }

  /// Counts a finding, and prints the construct's first one of its kind.
  void find(Finding finding, const std::string& text) {
    if (_tally.of(finding)++ == 0)
      say(text);
    if (_tally.first.empty())
      _tally.first = text;
  }
  void say(const std::string& text) const { tell(place_of(_name) + ": " + text); }

  std::lock_guard<std::recursive_mutex> _lock;
  std::vector<Result> _results;
  Name _name;
  Tally& _tally;
  Run _run = Run::none;
  std::vector<Kept> _kept;
  Bytes _spare;                        ///< for one array at a time
  std::vector<std::size_t> _suspects;  ///< places in `_kept` of arrays with numbers behind
  std::optional<std::size_t> _suspect; ///< whose values the original has; none: all suspects'
  struct Different {
    std::size_t which; ///< place in `_kept`
    std::string text;
    bool is_on_host; ///< the port wrote the host's array
  };
  std::vector<Different> _different;
  std::optional<std::string> _unstable;
  bool _has_host = false; ///< the host's arrays are kept
  bool _has_port = false; ///< the port has run
};

detail::Verification::Verification(const Construct& construct, std::vector<Result> results)
    : _state(std::make_unique<State>(construct, std::move(results))) {}
detail::Verification::~Verification() = default;

bool detail::Verification::next() {
  return _state->next();
}
bool detail::Verification::is_original() const {
  return _state->is_original();
}

} // namespace gangway
