// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/referee.hpp"

#include "doubling.hpp"
#include "gangway/device.hpp"
#include "harness/report.hpp"
#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;
using testing::WithMemory;

TEST(BindingTest, BoundDataMovesNothingDuringARun) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result = measure(study("doubling"), problem, nullptr, {}, rounds(1));
  EXPECT_EQ(measurement(result, "plain").transfers, Transfers{});
  EXPECT_EQ(measurement(result, "teams").transfers, Transfers{});
}

TEST(BindingTest, LargeArraysCrossByPieces) {
  const WithMemory separate(Memory::separate);
  Doubling problem(3 * static_cast<long>(PinnedCopy::default_piece) / 4 + 7); // no whole pieces
  const CaseResult result = measure(study("doubling"), problem, nullptr, {}, rounds(1));
  EXPECT_TRUE(result.all_passed());
  EXPECT_EQ(measurement(result, "plain").transfers, Transfers{});
}

TEST(PinnedCopyTest, BringsEveryByteThereAndBack) {
  constexpr long piece = 1000;
  const PinnedCopy copy(piece);
  for (const long bytes : {0L, 1L, piece - 1, piece, piece + 1, 2 * piece, 5 * piece + 3}) {
    SCOPED_TRACE(bytes);
    const auto size = static_cast<std::size_t>(bytes);
    std::vector<std::byte> there(size);
    for (std::size_t i = 0; i < size; ++i)
      there[i] = static_cast<std::byte>(i * 7 / 3 % 251);
    const Kokkos::View<std::byte*, DeviceSpace> device("device", size);
    copy.to_device(device.data(), there.data(), size);
    const auto on_device = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
    EXPECT_TRUE(std::equal(there.begin(), there.end(), on_device.data()));
    std::vector<std::byte> back(size);
    copy.to_host(back.data(), device.data(), size);
    EXPECT_EQ(there, back);
  }
}

TEST(BindingTest, UnboundDataMovesWhatTheClausesSay) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  const Transfers expected{.to_device = 1,
                           .to_host = 1,
                           .bytes_to_device = 8000,
                           .bytes_to_host = 8000,
                           .allocations = 2};
  EXPECT_EQ(measurement(result, "plain").transfers, expected);
  EXPECT_EQ(measurement(result, "teams").transfers, expected);
}

TEST(BindingTest, HoldsEveryArrayAsItsIntentSays) {
  const WithMemory separate(Memory::separate);
  struct Four : Doubling {
    using Doubling::Doubling;
    std::vector<double> in = std::vector<double>(10, 1), out = std::vector<double>(20, 2),
                        inout = std::vector<double>(30, 3), scratch = std::vector<double>(40, 4),
                        none;
    std::vector<Buffer> buffers() override {
      const auto of = [](const char* name, std::vector<double>& array, Intent intent) {
        return Buffer{name, array.data(), array.size() * sizeof(double), intent};
      };
      return {of("in", in, Intent::in), of("out", out, Intent::out),
              of("inout", inout, Intent::inout), of("scratch", scratch, Intent::scratch),
              of("none", none, Intent::in)};
    }
  } problem(std::size_t{1});
  reset_transfers();
  {
    const Binding binding(problem, nullptr);
    EXPECT_EQ(present_arrays(), 4U) << "an empty array is none";
    EXPECT_EQ(transfers().bytes_to_device, 80U) << "inputs go once";
    binding.to_device();
    EXPECT_EQ(transfers().bytes_to_device, 80U + 400) << "what a reset changed";
    EXPECT_EQ(transfers().bytes_to_host, 0U);
    std::fill(problem.out.begin(), problem.out.end(), -1);
    binding.to_host();
    EXPECT_EQ(transfers().bytes_to_host, 400U) << "what a check reads";
    EXPECT_EQ(problem.out.front(), 2);
  }
  EXPECT_EQ(present_arrays(), 0U);
  EXPECT_EQ(transfers().bytes_to_host, 400U) << "the end copies nothing";
}

TEST(BindingTest, IsUndoneWhenAnArrayCannotBeBound) {
  const WithMemory separate(Memory::separate);
  struct Overlapping : Doubling {
    using Doubling::Doubling;
    std::vector<double> all = std::vector<double>(10, 1);
    std::vector<Buffer> buffers() override {
      return {{"head", all.data(), 40, Intent::in}, {"all", all.data(), 80, Intent::in}};
    }
  } problem(std::size_t{1});
  EXPECT_THROW(const Binding binding(problem, nullptr), DataError);
  EXPECT_EQ(present_arrays(), 0U);
}

/// A pretended GPU whose memory is the library's: kernels work on what was bound.
class PretendedGpu : public ::testing::Test {
protected:
  void SetUp() override {
    if (has_device)
      GTEST_SKIP() << "its kernels run on the host";
  }
  /// As the OpenACC runtime sees it.
  [[nodiscard]] bool bound(Problem& problem) const {
    return _openacc.is_present(problem.buffers().front().host, 8);
  }
  OpenAccLibrary _openacc{fake("gpu")};
};

TEST_F(PretendedGpu, RunsOnTheSameAllocation) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  {
    const Binding binding(problem, &_openacc);
    for (const Buffer& buffer : problem.buffers())
      EXPECT_TRUE(_openacc.is_present(buffer.host, buffer.bytes));
  }
  EXPECT_FALSE(bound(problem));
  const CaseResult result = measure(study("doubling"), problem, &_openacc, {}, rounds(2));
  EXPECT_TRUE(measurement(result, "plain", Model::openacc).check.passed)
      << "its result was fetched from the device";
  EXPECT_EQ(measurement(result, "plain", Model::openacc).transfers, Transfers{})
      << "bound data moves nothing";
  const std::vector<Shape>& shapes = measurement(result, "plain", Model::openacc).shapes;
  ASSERT_EQ(shapes.size(), 1U) << "of one run";
  EXPECT_EQ(shapes[0].text(), "1000 x 16 x 32");
  expect_words(table_of(result), {"OpenACC's launch", "1000 x 16 x 32"});
  EXPECT_FALSE(bound(problem));
  EXPECT_EQ(present_arrays(), 0U);
}

/// libgomp ends the program over what is mapped twice, and so do these libraries.
TEST_F(PretendedGpu, EachRuntimeIsToldOnce) {
  const WithMemory separate(Memory::separate);
  const LoadedOpenAcc two = load_openacc({{"", fake("one_of_two")}, {"", fake("other_of_two")}});
  ASSERT_EQ(two.libraries.size(), 2U);
  EXPECT_EQ(two.libraries[0]->runtime(), two.libraries[1]->runtime());
  EXPECT_NE(two.libraries[0]->runtime(), _openacc.runtime());
  std::vector<const OpenAccLibrary*> all{&_openacc, two.libraries[0].get(), two.libraries[1].get()};
  const auto all_bound = [&](Problem& problem) {
    const Buffer buffer = problem.buffers().front();
    return std::count_if(all.begin(), all.end(), [&](const OpenAccLibrary* library) {
      return library->is_present(buffer.host, buffer.bytes);
    });
  };
  Doubling problem(1000);
  {
    const Binding binding(problem, OpenAccLibraries(all));
    EXPECT_EQ(all_bound(problem), 3);
  }
  EXPECT_EQ(all_bound(problem), 0);
}

/// GCC's runtime on an NVIDIA device: what it does not say is not 0.
TEST(PretendedSilentGpu, DoesNotReportItsTransfers) {
  const WithMemory separate(Memory::separate);
  const OpenAccLibrary silent(fake("silent_gpu"));
  EXPECT_FALSE(silent.transfers());
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, &silent, {}, rounds(1, Scope::whole));
  EXPECT_FALSE(measurement(result, "plain", Model::openacc).transfers);
  EXPECT_TRUE(measurement(result, "plain", Model::openacc).shapes.empty());
  EXPECT_EQ(table_of(result).find("OpenACC's launch"), std::string::npos);
  EXPECT_EQ(measurement(result, "plain").transfers->to_device, 1U);
  expect_words(table_of(result), {"transfers of one run", "does not report its transfers"});
}

TEST_F(PretendedGpu, UnboundDataMovesWhatTheClausesSay) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, &_openacc, {}, rounds(1, Scope::whole));
  EXPECT_EQ(measurement(result, "plain", Model::openacc).transfers,
            (Transfers{.to_device = 1,
                       .to_host = 1,
                       .bytes_to_device = 8000,
                       .bytes_to_host = 8000,
                       .allocations = 0}));
}

TEST_F(PretendedGpu, NothingStaysBoundAfterAnError) {
  const WithMemory separate(Memory::separate);
  StudyEntry entry = study("doubling");
  entry.kokkos.push_back(variant(
      "throws",
      [&](Problem& problem) -> harness::Run {
        return [&] {
          EXPECT_TRUE(bound(problem));
          throw std::runtime_error("in a kernel");
        };
      },
      Model::kokkos, true));
  Doubling problem(10);
  EXPECT_THROW(static_cast<void>(measure(entry, problem, &_openacc, {}, rounds(1))),
               std::runtime_error);
  EXPECT_FALSE(bound(problem));
  EXPECT_EQ(present_arrays(), 0U);
}

} // namespace
} // namespace gangway::harness
