// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/provenance.hpp"

#include "doubling.hpp"
#include "gangway/device.hpp"
#include "harness/report.hpp"
#include "testing/messages.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;

TEST(UnusedGpu, IsSaidWhereTheMachineHasOne) {
  const testing::TemporaryFolder machine;
  EXPECT_EQ(unused_gpu(machine.path()), "");
  std::filesystem::create_directories(machine.path() / "dev");
  const std::ofstream device(machine.path() / "dev/nvidia0");
  expect_words(unused_gpu(machine.path()),
               {"GPU of NVIDIA", "has no CUDA", "the host is measured", "docs/gpu.md"});
}

TEST(ProvenanceTest, SaysWhereNumbersComeFrom) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  const Provenance facts = provenance(&openacc);
  const auto fact = [&](const std::string& name) {
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == facts.end() ? std::string("(missing)") : found->second;
  };
  for (const char* name :
       {"date", "gangway", "kokkos", "kokkos kernels", "kokkos compiler", "kokkos flags",
        "contraction (FMA)", "memory", "processor", "host threads", "system"}) {
    EXPECT_NE(fact(name), "(missing)") << name;
    EXPECT_NE(fact(name), "") << name;
  }
  EXPECT_EQ(fact("openacc libraries"), "pretend");
  EXPECT_EQ(fact("openacc compiler"), "Pretend 1.0");
  EXPECT_EQ(fact("openacc flags"), "-facc \"quoted\"");
  EXPECT_EQ(fact("openacc version"), "201711");
  EXPECT_EQ(fact("openacc device"), "host Abacus");
  EXPECT_TRUE(fact("gangway").starts_with("0."));
  EXPECT_EQ(text_of(facts).find('\t'), std::string::npos);
  const Provenance all = environment(&openacc);
  ASSERT_GT(all.size(), facts.size());
  std::string shown;
  for (const auto& [name, value] : all)
    shown.append(name).append(": ").append(value).append("\n");
  expect_words(shown, {"kokkos backends: " + std::string(Kokkos::DefaultExecutionSpace::name()),
                       "kokkos devices: ", "host memory: ", " GB free", "openacc library: ",
                       "openacc devices: the host", "openacc transfers: none on the host",
                       "openacc runtime: host.so", "openacc launches: not reported"});
  const Provenance without = provenance(nullptr);
  EXPECT_EQ(without.back(), (std::pair<std::string, std::string>{"openacc", "none"}));
}

TEST(ProvenanceTest, ListsEachOpenAccLibrary) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const LoadedOpenAcc loaded = load_openacc({{"a", fake("host")}, {"b", fake("gpu")}});
  const Provenance facts = provenance(loaded.all());
  const std::vector<std::pair<std::string, std::string>> expected{
      {"openacc libraries", "a, b"},
      {"openacc compiler", "Pretend 1.0"},
      {"openacc flags", "-facc \"quoted\""},
      {"openacc version", "201711"},
      {"openacc device", "host Abacus"},
      {"openacc[b] compiler", "Pretend 1.0"},
      {"openacc[b] flags", "-facc \"quoted\""},
      {"openacc[b] version", "201711"},
      {"openacc[b] device", "nvidia Abacus"}};
  ASSERT_GT(facts.size(), expected.size());
  EXPECT_EQ(Provenance(facts.end() - static_cast<std::ptrdiff_t>(expected.size()), facts.end()),
            expected);
  for (const auto& [name, value] : environment(loaded.all())) {
    if (name == "openacc[b] launches") {
      EXPECT_EQ(value, "reported by its runtime");
    }
  }
}

} // namespace
} // namespace gangway::harness
