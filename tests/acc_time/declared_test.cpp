// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library declares to a Kokkos tool, which the timing report turns into shapes and data
// regions.
#include "gangway/gangway.hpp"
#include "testing/no_kernel.hpp"

#include <gtest/gtest.h>

#include <source_location>
#include <string>
#include <vector>

namespace {

std::vector<std::string> declared;

/// Listens as a tool does, for one test.
class Declared : public testing::Test {
protected:
  void SetUp() override {
    declared.clear();
    Kokkos::Tools::Experimental::set_declare_metadata_callback(
        [](const char* name, const char* value) {
          declared.push_back(std::string(name) + " " + value);
        });
  }
  void TearDown() override { Kokkos::Tools::Experimental::set_declare_metadata_callback(nullptr); }
};

TEST_F(Declared, DataRegionsAndDirectives) {
  std::vector<double> a(10);
  std::vector<double> b(10);
  {
    gangway::Data data;
    static_cast<void>(data.copyin(a.data(), 10));
    static_cast<void>(data.copyout(b.data(), 10)); // the same region
  }
  static_cast<void>(gangway::enter_data_copyin(a.data(), 10));
  gangway::update_device(a.data(), 10);
  gangway::update_self(a.data(), 10);
  gangway::exit_data_delete(a.data(), 10);
  const bool shared = gangway::memory() == gangway::Memory::shared;
  std::erase_if(declared, [](const std::string& text) { return text.starts_with("gangway.copy"); });
  EXPECT_EQ(declared, (std::vector<std::string>{shared ? "gangway.data region in place"
                                                       : "gangway.data region",
                                                "gangway.data enter data", "gangway.data update",
                                                "gangway.data update", "gangway.data exit data"}));
}

TEST_F(Declared, WhatARegionMoves) {
  const gangway::Memory before = gangway::memory();
  gangway::set_memory(gangway::Memory::separate);
  const auto here = std::source_location::current();
  std::vector<double> a(10);
  {
    gangway::Data outer;
    static_cast<void>(outer.copy(a.data(), 10));
    {
      gangway::Data inner; // finds it present
      static_cast<void>(inner.copy(a.data(), 10));
    }
    gangway::update_device(a.data(), 10);
    std::vector<double> b(10);
    gangway::Data half; // one is present, the other is created
    static_cast<void>(half.present(a.data(), 10));
    static_cast<void>(half.create(b.data(), 10));
  }
  {
    const gangway::Data empty;
  } // no region without a clause
  gangway::set_memory(before);
  // Of copies also where they stand, after a tab.
  ASSERT_FALSE(declared.empty());
  const std::string place = std::string("\t") + here.file_name() + ":";
  EXPECT_EQ(declared[0], "gangway.copy in copy" + place + std::to_string(here.line() + 4));
  for (std::string& text : declared)
    if (text.starts_with("gangway.copy")) {
      EXPECT_NE(text.find(place), std::string::npos) << text;
      text.erase(text.find('\t'));
    }
  EXPECT_EQ(declared,
            (std::vector<std::string>{"gangway.copy in copy", "gangway.data region",
                                      "gangway.data region present", "gangway.data update",
                                      "gangway.copy in update device", "gangway.data region",
                                      "gangway.copy out copy"}));
}

TEST_F(Declared, ShapesAsLaunched) {
  static_cast<void>(gangway::team_policy(1000).num_workers(4).vector_length(32).for_kernel(
      gangway::testing::NoKernel()));
  ASSERT_EQ(declared.size(), 1U);
  EXPECT_EQ(declared[0], std::string(gangway::has_device ? "gangway.shape 1000 x 4 x 32"
                                                         : "gangway.shape 1000 x 1 x 1") +
                             " requested 4 x 32");
}

} // namespace
