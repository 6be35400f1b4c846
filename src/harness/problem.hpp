// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a study tells the referee about its problem. Standard C++ only: this header is also read by
/// the OpenACC compiler.
namespace gangway::harness {

/// What a kernel does with an array; decides what is restored before, and fetched after, each run.
enum class Intent { in, out, inout, scratch };

/// A host array that kernels name in their data clauses.
struct Buffer {
  std::string name;
  void* host;
  std::size_t bytes;
  Intent intent;

  /// Of a contiguous container, such as a std::vector. Inputs may be const: they are only read.
  template <class Container>
  static Buffer of(std::string name, const Container& array, Intent intent) {
    using T = typename Container::value_type;
    return {std::move(name), const_cast<T*>(array.data()), array.size() * sizeof(T), intent};
  }
};

/// The least work one run must do, whatever the variant: every input read once, every output
/// written once, every floating-point operation of the mathematics. `reasoning` says so in one
/// line.
struct Work {
  double bytes = 0;
  double flops = 0;
  bool single_precision = false;
  std::string reasoning;
  /// All that is written was read before. A host's cache fetches a line before it is written, which
  /// costs a third transfer where a kernel writes what it has not read, and nothing here.
  bool in_place = false;
  /// Nothing is read, and every byte that is written costs a host that fetch.
  bool write_only = false;
  /// What must cross to the device and back where memories are separate. Negative: every buffer
  /// once, as its intent says. Given where variants hold the same data in different arrays.
  double bytes_in = -1;
  double bytes_out = -1;
};

/// The verdict on one run.
struct Check {
  bool passed = false;
  double error = 0;     ///< largest error found, in the units of `tolerance`
  double tolerance = 0; ///< 0 for exact results
  std::string detail;   ///< what was wrong, or what was compared
};

/// One instance of a study: its arrays on the host, held once for both models, and the truth about
/// them.
class Problem {
public:
  virtual ~Problem() = default;

  /// The arrays kernels name in data clauses. Pointers stay valid for the life of the problem.
  [[nodiscard]] virtual std::vector<Buffer> buffers() = 0;
  /// Before each run: poisons outputs, restores what the run before changed. Host arrays only.
  virtual void reset() = 0;
  /// After each run: compares the host arrays with the reference.
  [[nodiscard]] virtual Check check() const = 0;
  [[nodiscard]] virtual Work work() const = 0;
  /// Such as "1 030 301 rows, 27 325 801 non-zeros, 3 to 27 a row".
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// How much time a comparison may take.
enum class Effort { quick, normal, full };

/// A key that `--set key=value` accepts.
struct Key {
  std::string name;
  std::string fallback;
  std::string help;
};

/// The values of a study's keys.
class Parameters {
public:
  struct Setting {
    std::string key;
    std::string value;
  };

  /// Errors: UsageError for a key the study does not have, naming those it has.
  Parameters(std::string study, const std::vector<Key>& keys, const std::vector<Setting>& given);

  [[nodiscard]] const std::string& text(const std::string& key) const;
  /// Whole numbers, also written 1e9 or 4096. Errors: UsageError unless minimum <= value <=
  /// maximum.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t minimum,
                                     std::int64_t maximum) const;
  [[nodiscard]] double real(const std::string& key, double minimum, double maximum) const;
  /// One of a few words. Errors: UsageError that lists them.
  [[nodiscard]] const std::string& choice(const std::string& key,
                                          const std::vector<std::string>& choices) const;
  [[nodiscard]] const std::string& study() const { return _study; }
  /// Every key with the value in force, in the study's order.
  [[nodiscard]] const std::vector<Setting>& all() const { return _values; }

private:
  std::string _study;
  std::vector<Setting> _values;
};

/// A named instance that `compare` runs unless told otherwise.
struct Case {
  std::string name;
  std::vector<Parameters::Setting> settings;
  /// Variants left out of this case in both models: those that would take hours at this size. They
  /// are reported as skipped; `--set` runs them.
  std::vector<std::string> without = {};
};

} // namespace gangway::harness
