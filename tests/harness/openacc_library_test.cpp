// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/openacc_library.hpp"

#include "base/errors.hpp"
#include "doubling.hpp"
#include "gangway/device.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace gangway::harness {
namespace {

namespace fs = std::filesystem;
using testing::expect_words;
using testing::message_of;

TEST(OpenAccLibraryTest, SaysWhatItIs) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_EQ(loaded.path(), fake("host"));
  EXPECT_EQ(loaded.compiler(), "Pretend 1.0");
  EXPECT_EQ(loaded.flags(), "-facc \"quoted\"");
  EXPECT_EQ(loaded.version(), 201711);
  EXPECT_EQ(loaded.ran_on(), "host");
  EXPECT_FALSE(loaded.on_gpu());
  EXPECT_EQ(loaded.device_name(), "Abacus");
  EXPECT_EQ(loaded.device_memory().total, 2000U);
  EXPECT_EQ(loaded.device_memory().free, 1000U);
}

TEST(OpenAccLibraryTest, FindsVariantsByTheirSymbol) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  EXPECT_EQ(OpenAccLibrary::symbol("spmv", "vector-32"), "gangway_spmv_vector_32");
  EXPECT_EQ(OpenAccLibrary::symbol("two-words", "a-b-c"), "gangway_two_words_a_b_c");
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_NE(loaded.find("doubling", "plain"), nullptr);
  EXPECT_NE(loaded.find("doubling", "half-done"), nullptr);
  EXPECT_EQ(loaded.find("doubling", "other"), nullptr);
  EXPECT_EQ(loaded.find("other", "plain"), nullptr);
}

TEST(OpenAccLibraryTest, FindsPlansWithAllOfTheirFunctions) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_NE(loaded.functions("doubling", "plain").kernel, nullptr);
  EXPECT_EQ(loaded.functions("doubling", "plain").plan, nullptr);
  EXPECT_EQ(loaded.functions("doubling", "other").kernel, nullptr);
  const OpenAccFunctions planned = loaded.functions("doubling", "with-plan");
  for (void* const function : {planned.kernel, planned.plan, planned.planned, planned.unplan})
    EXPECT_NE(function, nullptr);
  expect_words(message_of<base::UsageError>(
                   [&] { static_cast<void>(loaded.functions("doubling", "half-planned")); }),
               {fake("host"), "gangway_doubling_half_planned", "_plan, _planned and _unplan"});
}

TEST(OpenAccLibraryTest, RefusesWhatIsNotOne) {
  const auto message = [](const fs::path& path) {
    return message_of<base::UsageError>([&] { const OpenAccLibrary loaded(path); });
  };
  expect_words(message("/nowhere/libgangway_openacc.so"),
               {"OpenACC library: /nowhere/libgangway_openacc.so", "No such file"});
  expect_words(message(""), {"OpenACC library"});
  expect_words(message("/"), {"OpenACC library: /"});
  expect_words(message("/proc/self/cmdline"), {"OpenACC library: ", "cmdline"});
  expect_words(message(fake("unrelated")), {fake("unrelated"), "no function gangway_openacc_abi",
                                            "is it one that Gangway built"});
  expect_words(message(fake("without_map")), {"no function gangway_openacc_map"});
  expect_words(message(fake("other_abi")), {"version 999", "speaks 2", "from the same sources"});
  expect_words(message(fake("no_device")), {"Pretend 1.0", "Is it built for a GPU"});
}

TEST(OpenAccLibraryTest, ANameWithoutAFolderIsAFileHere) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(fake("host")).parent_path());
  EXPECT_NO_THROW(const OpenAccLibrary loaded("host.so"));
  fs::current_path(before);
}

TEST(OpenAccLibraryTest, TheDefaultIsBesideTheProgramUnlessNamed) {
  ASSERT_EQ(unsetenv("GANGWAY_OPENACC_LIBRARY"), 0);
  const fs::path beside = OpenAccLibrary::default_path();
  EXPECT_EQ(beside.filename(), "libgangway_openacc.so");
  EXPECT_EQ(beside.parent_path(), fs::read_symlink("/proc/self/exe").parent_path());
  ASSERT_EQ(setenv("GANGWAY_OPENACC_LIBRARY", "/some/where.so", 1), 0);
  EXPECT_EQ(OpenAccLibrary::default_path(), "/some/where.so");
  ASSERT_EQ(setenv("GANGWAY_OPENACC_LIBRARY", "", 1), 0);
  EXPECT_EQ(OpenAccLibrary::default_path(), beside);
}

} // namespace
} // namespace gangway::harness
