// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of the command line and of the environment, one a line: each is taken for what it says, or
// refused by an error of usage.
#include "fuzz.hpp"

#include "../../apps/common/command_line.hpp"

#include "harness/openacc_library.hpp"
#include "harness/problem.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace gangway;
using fuzz::require;

/// Does `action`; whether it did not refuse, by an error of usage.
template <class Action>
bool takes(const Action& action) {
  try {
    action();
    return true;
  } catch (const base::UsageError& error) {
    require(std::strlen(error.what()) > 0, "it says why");
    return false;
  }
}

/// As the programs' numbers are read: what passes the check is one decimal number, the same for
/// CLI11.
void number(const std::string& text) {
  double real = 0;
  std::int64_t whole = 0;
  static const CLI::Validator check = apps::number();
  const std::string refusal = check(text);
  if (!refusal.empty())
    return;
  require(CLI::detail::lexical_cast(text, real) && std::isfinite(real), "a finite number", text);
  if (CLI::detail::lexical_cast(text, whole))
    require(static_cast<double>(whole) == real, "the same as a whole number", text);
}

void keys(const std::string& text) {
  static constexpr harness::Key study_keys[]{
      {"n", "7", ""}, {"mean", "1.5", ""}, {"kind", "a", ""}};
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    return;
  takes([&] {
    const harness::Parameters given("study", study_keys,
                                    {{text.substr(0, equals), text.substr(equals + 1)}});
    takes([&] {
      const std::int64_t n = given.integer("n", -3, 1L << 40);
      require(n >= -3 && n <= 1L << 40, "a whole number within its bounds", text);
    });
    takes([&] {
      const double mean = given.real("mean", 0, 1e300);
      require(mean >= 0 && mean <= 1e300, "a number within its bounds", text);
    });
    takes([&] { static_cast<void>(given.choice("kind", {"a", "b"})); });
  });
}

void settings(const std::string& text) {
  for (const char* const variable :
       {"KOKKOS_NUM_THREADS", "KOKKOS_DEVICE_ID", "KOKKOS_DISABLE_WARNINGS", "OMP_NUM_THREADS",
        "KOKKOS_VISIBLE_DEVICES", "KOKKOS_MAP_DEVICE_ID_BY", "OMP_PLACES"}) {
    const auto lookup = [&](const char* name) {
      return std::strcmp(name, variable) == 0 ? text.c_str() : nullptr;
    };
    takes([&] { apps::require_kokkos_settings(lookup, {"program", text}); });
    require(apps::binding(lookup, 4, {"program", text}).size() <= 2, "a binding", text);
  }
  takes([&] {
    apps::require_kokkos_settings([](const char*) { return nullptr; },
                                  {"--kokkos-num-threads=" + text});
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // As argv has them: they end with their first null.
  std::vector<std::string> values;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (bool more = true; more;) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    values.emplace_back(line.substr(0, line.find('\0')));
    more = end != std::string_view::npos;
    rest.remove_prefix(more ? end + 1 : rest.size());
  }
  for (const std::string& value : values) {
    number(value);
    keys(value);
    settings(value);
    takes([&] { static_cast<void>(harness::openacc_choice(value)); });
  }
  takes([&] {
    const auto choices = harness::openacc_choices(values);
    for (const harness::OpenAccChoice& choice : choices)
      require(!choice.path.empty() || choice.label.empty(), "a label has a file");
  });
  return 0;
}
