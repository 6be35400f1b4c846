// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/openacc_library.hpp"

#include "base/errors.hpp"
#include "doubling.hpp"
#include "fake_kokkos.hpp"
#include "gangway/device.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <vector>

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
  EXPECT_EQ(loaded.label(), "pretend");
  EXPECT_EQ(loaded.runtime_file(), "host.so");
  EXPECT_FALSE(loaded.launches()) << "nothing is launched on a host";
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

TEST(OpenAccLibraryTest, RefusesANumberThatNoDeviceHas) {
  const auto load = [](const char* number) {
    setenv("ACC_DEVICE_NUM", number, 1);
    const std::string message =
        message_of<base::UsageError>([] { const OpenAccLibrary loaded(fake("host")); });
    unsetenv("ACC_DEVICE_NUM");
    return message;
  };
  for (const char* number : {"9", "1", "-1", "first", ""})
    expect_words(load(number), {std::string("ACC_DEVICE_NUM=") + number, "number 0"});
  setenv("ACC_DEVICE_NUM", "0", 1);
  if (!has_device) {
    EXPECT_NO_THROW(const OpenAccLibrary loaded(fake("host")));
  }
  unsetenv("ACC_DEVICE_NUM");
}

TEST(OpenAccLibraryTest, FindsPlansWithAllOfTheirFunctions) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_NE(loaded.functions("doubling", "plain").kernel, nullptr);
  EXPECT_EQ(loaded.functions("doubling", "plain").plan, nullptr);
  EXPECT_EQ(loaded.functions("doubling", "other").kernel, nullptr);
  const OpenAccFunctions planned = loaded.functions("doubling", "with-plan");
  for (void* const function : {planned.kernel, planned.plan, planned.unplan})
    EXPECT_NE(function, nullptr);
  expect_words(message_of<base::UsageError>(
                   [&] { static_cast<void>(loaded.functions("doubling", "half-planned")); }),
               {fake("host"), "gangway_doubling_half_planned", "_plan and _unplan"});
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
  expect_words(message(fake("other_abi")), {"version 999", "speaks 4", "from the same sources"});
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

/// A Kokkos with OpenMP brings libgomp's acc_* functions into the process, where they come first.
TEST(OpenAccLibraryTest, CallsItsOwnRuntime) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  if (dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") == nullptr) {
    const OpenAccLibrary loaded(fake("other_maker"));
    EXPECT_EQ(loaded.runtime_file(), "other_maker.so");
    EXPECT_EQ(loaded.label(), "nvc++");
  }
  expect_words(
      message_of<base::UsageError>([] { const OpenAccLibrary loaded(fake("bound_elsewhere")); }),
      {"bound_elsewhere.so (Pretend 1.0): its acc_* calls go to", "Kokkos without OpenMP"});
}

/// That of a library that has a runtime of its own, so that its names have to be looked for in it
/// first: not those of Kokkos, which is the program's.
TEST(OpenAccLibraryTest, SharesTheProgramsKokkos) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  fake_openacc::Kokkos::initialized = 1;
  const OpenAccLibrary loaded(fake("of_kokkos"));
  EXPECT_EQ(loaded.runtime_file(), "of_kokkos.so");
}

TEST(OpenAccChoiceTest, IsAFileOrALabelAndAFile) {
  const auto label = [](const std::string& text) { return openacc_choice(text).label; };
  const auto path = [](const std::string& text) { return openacc_choice(text).path.string(); };
  EXPECT_EQ(label("a.so"), "");
  EXPECT_EQ(path("a.so"), "a.so");
  EXPECT_EQ(label("nvc++=/some/where.so"), "nvc++");
  EXPECT_EQ(path("nvc++=/some/where.so"), "/some/where.so");
  EXPECT_EQ(label("./a=b.so"), "") << "a folder's name has a slash, a label has none";
  EXPECT_EQ(path("x=/some=where.so"), "/some=where.so");
}

TEST(OpenAccChoiceTest, RefusesWhatCannotBeMeant) {
  const auto message = [](const std::vector<std::string>& texts) {
    return message_of<base::UsageError>([&] { static_cast<void>(openacc_choices(texts)); });
  };
  expect_words(message({"gcc="}), {"--openacc-library gcc=", "no file"});
  expect_words(message({"=a.so"}), {"'' is no label"});
  expect_words(message({"a[b]=a.so"}), {"'a[b]' is no label"});
  expect_words(message({"a=x.so", "a=y.so"}), {"a=y.so", "given before, to x.so"});
  expect_words(message({"a=x.so", "none"}), {"none", "give it alone"});
  EXPECT_TRUE(openacc_choices({"none"}).empty());
  EXPECT_EQ(openacc_choices({"x.so", "a=y.so"}).size(), 2U);
}

TEST(OpenAccChoiceTest, TheDefaultIsBothLibrariesBesideTheProgram) {
  ASSERT_EQ(unsetenv("GANGWAY_OPENACC_LIBRARY"), 0);
  const std::vector<OpenAccChoice> choices = default_openacc_choices();
  const fs::path decompose =
      OpenAccLibrary::default_path().parent_path() / "libgangway_openacc_decompose.so";
  ASSERT_EQ(choices.size(), fs::exists(decompose) ? 2U : 1U);
  EXPECT_EQ(choices[0].label, "");
  if (choices.size() == 2) {
    EXPECT_EQ(choices[1].label, "decompose");
    EXPECT_EQ(choices[1].path, decompose);
  }
  ASSERT_EQ(setenv("GANGWAY_OPENACC_LIBRARY", "mine=/some/where.so", 1), 0);
  ASSERT_EQ(default_openacc_choices().size(), 1U) << "what is named is alone";
  EXPECT_EQ(default_openacc_choices()[0].label, "mine");
  ASSERT_EQ(unsetenv("GANGWAY_OPENACC_LIBRARY"), 0);
}

TEST(SeveralLibraries, EachHasALabelOfItsOwn) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const LoadedOpenAcc loaded = load_openacc({{"", fake("host")},
                                             {"mine", fake("gpu")},
                                             {"", fake("silent_gpu")},
                                             {"pretend", fake("one_of_two")}});
  std::vector<std::string> labels;
  for (const OpenAccLibrary* library : loaded.all())
    labels.push_back(library->label());
  EXPECT_EQ(labels, (std::vector<std::string>{"pretend", "mine", "pretend-2"}));
  ASSERT_EQ(loaded.failures.size(), 1U);
  expect_words(loaded.failures[0], {"one_of_two.so", "another library is called 'pretend'"});
  EXPECT_TRUE(loaded.all().several());
}

TEST(SeveralLibraries, WhatCannotBeLoadedIsSaidAndTheOthersStay) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const LoadedOpenAcc loaded = load_openacc(
      {{"", "gone.so"}, {"", fake("host")}, {"", fake("host")}, {"", fake("no_device")}});
  ASSERT_EQ(loaded.libraries.size(), 1U);
  EXPECT_EQ(loaded.libraries[0]->path(), fake("host"));
  EXPECT_FALSE(loaded.all().several());
  ASSERT_EQ(loaded.failures.size(), 3U);
  expect_words(loaded.failures[0], {"gone.so"});
  EXPECT_EQ(loaded.failures[0].find("two runs"), std::string::npos);
  expect_words(loaded.failures[1], {"host.so", "it is loaded already, as 'pretend'"});
  expect_words(loaded.failures[2],
               {"Is it built for a GPU", "Library 'pretend' (Pretend 1.0) is loaded already",
                "compare them in two runs"});
  EXPECT_TRUE(loaded.runtimes_clash);
  EXPECT_FALSE(load_openacc({{"", "gone.so"}, {"", fake("other_abi")}}).runtimes_clash);
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
