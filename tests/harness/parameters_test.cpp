// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/problem.hpp"

#include "base/errors.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace gangway::harness {
namespace {

using testing::expect_words;
using testing::message_of;

constexpr Key size_and_kind[]{{"size", "100", "how many"}, {"kind", "", "which"}};

Parameters with(const std::string& value) {
  return {"study", size_and_kind, {{"size", value}}};
}

TEST(ParametersTest, FallBackToTheDefault) {
  static constexpr Key b_and_a[]{{"b", "2", ""}, {"a", "", ""}};
  const Parameters parameters("study", b_and_a, {});
  EXPECT_EQ(parameters.text("a"), "");
  EXPECT_EQ(parameters.integer("b", 0, 10), 2);
  EXPECT_EQ(parameters.study(), "study");
  ASSERT_EQ(parameters.all().size(), 2U);
  EXPECT_EQ(parameters.all()[0].key, "b") << "in the study's order";
  EXPECT_EQ(parameters.all()[0].value, "2");
}

TEST(ParametersTest, TheLastSettingOfAKeyHolds) {
  static constexpr Key only_a[]{{"a", "1", ""}};
  const Parameters parameters("study", only_a, {{"a", "2"}, {"a", "3=4"}});
  EXPECT_EQ(parameters.text("a"), "3=4");
}

TEST(ParametersTest, UnknownKeysAreRefused) {
  const auto message = message_of<base::UsageError>(
      [] { const Parameters parameters("study", size_and_kind, {{"sise", "1"}}); });
  expect_words(message, {"study has no key 'sise'", "it has: size, kind"});
  expect_words(message_of<base::UsageError>(
                   [] { const Parameters parameters("study", {}, {{"size", "1"}}); }),
               {"study has no keys to set", "'size'"});
  EXPECT_THROW(static_cast<void>(with("1").text("nope")), std::logic_error)
      << "a mistake of the study's, not of the user's";
}

TEST(ParametersTest, WholeNumbers) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(with("4096").integer("size", 0, most), 4096);
  EXPECT_EQ(with("1e9").integer("size", 0, most), 1'000'000'000);
  EXPECT_EQ(with("2.5e3").integer("size", 0, most), 2500);
  EXPECT_EQ(with("100.0").integer("size", 0, most), 100);
  EXPECT_EQ(with("-3").integer("size", -10, 10), -3);
  EXPECT_EQ(with("0").integer("size", 0, 0), 0);
  EXPECT_EQ(with("9223372036854775807").integer("size", 0, most), most);
  const auto message = [](const std::string& value) {
    return message_of<base::UsageError>(
        [&] { static_cast<void>(with(value).integer("size", 1, 1000)); });
  };
  for (const char* value :
       {"", "abc", " 5", "5 ", "5x", "0x10", "+5", "--5", "nan", "inf", "1e", "."})
    expect_words(message(value), {"study: size=" + std::string(value), "is not a whole number"});
  for (const char* value : {"1.5", "1e-3"})
    expect_words(message(value), {"study: size=", "is not a whole number"});
  for (const char* value : {"0", "-1", "1001", "1e30", "99999999999999999999", "-1e300"})
    expect_words(message(value),
                 {"study: size=" + std::string(value), "out of range", "from 1 to 1000"});
  expect_words(message("1e400"), {"study: size=1e400", "out of range"});
}

TEST(ParametersTest, RealNumbers) {
  EXPECT_EQ(with("2.5").real("size", 0, 10), 2.5);
  EXPECT_EQ(with("1e-3").real("size", 0, 10), 1e-3);
  EXPECT_EQ(with("-2").real("size", -2, 10), -2);
  const auto message = [](const std::string& value) {
    return message_of<base::UsageError>(
        [&] { static_cast<void>(with(value).real("size", 0, 10)); });
  };
  for (const char* value : {"", "many", "1,5", "nan", "inf", "-inf"})
    expect_words(message(value), {"study: size=", "is not a number"});
  for (const char* value : {"-0.001", "10.5", "1e9"})
    expect_words(message(value), {"study: size=", "out of range", "from 0 to 10"});
}

TEST(ParametersTest, Choices) {
  EXPECT_EQ(with("red").choice("size", {"blue", "red"}), "red");
  expect_words(message_of<base::UsageError>(
                   [] { static_cast<void>(with("green").choice("size", {"blue", "red"})); }),
               {"study: size=green", "not one of blue, red"});
}

} // namespace
} // namespace gangway::harness
