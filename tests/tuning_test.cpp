// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/tuning.hpp"

#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace gangway {
namespace {

/// Any device with wide teams: `effective_shape` only asks where its memory is.
struct PretendDevice {
  using memory_space = void;
};

TuningEntry entry(const std::string& kernel, const std::string& architecture,
                  const Mapping& mapping = {{8, 8}, 4}) {
  return {kernel,         architecture,         mapping, 1.5, 1.25, 2, "2026-11-21",
          "0123456789ab", "guide n=100, a card"};
}

const std::vector<TuningEntry> some{entry("spmv", "Cuda/Hopper90"),
                                    entry("spmv", "OpenMP/x86-64", {{1, 1}, 1024}),
                                    entry("vadd", "Cuda/Hopper90", {{1, 256}, 16})};

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(parse_tuning_table(text, "a table"));
  } catch (const TuningError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown for: " << text;
  return {};
}

// The tables of this program: the one that is committed for the studies, one more, and the user's.

constexpr const char* committed =
#include "studies/tuning_table.inc"
    ;

/// Set up before any test asks for the table, and Kokkos is running then.
class Tables : public ::testing::Environment {
public:
  void SetUp() override {
    add_tuning_table(committed, "studies/tuning_table.inc");
    const Mapping programs{{2, 16}, 3};
    const Mapping users{{4, 8}, 1};
    const std::string here = architecture();
    add_tuning_table(
        tuning_table_text({entry("programs", here, programs), entry("both", here, programs),
                           entry("own", here, programs), entry("both", "Pretend/1", programs)}),
        "the test's");
    TuningEntry own = entry("own", here, {{2, 2}, 2});
    own.ratio = own.low = own.high = 1; // nothing was faster
    // Removed before any test, for a test that dies in a child of its own would leave it.
    const gangway::testing::TemporaryFolder folder;
    const auto file = folder / "table.inc";
    std::ofstream(file) << tuning_table_text(
        {entry("users", here, users), entry("both", here, users), own});
    setenv(tuning_table_variable, file.c_str(), 1);
    static_cast<void>(tuning_table()); // read now, and not again
    unsetenv(tuning_table_variable);
  }
};

[[maybe_unused]] const auto* const tables = ::testing::AddGlobalTestEnvironment(new Tables);

constexpr Mapping none{{2, 2}, 3};

TEST(Tables, OfTheProgramAreUsed) {
  EXPECT_EQ(tuned_mapping("programs", none), (Mapping{{2, 16}, 3}));
  EXPECT_EQ(tuned("programs", {4, 32}), (Clauses{4, 32})) << "found with three items a worker";
}

TEST(Tables, OfTheUserAreUsed) {
  EXPECT_EQ(tuned_mapping("users", none), (Mapping{{4, 8}, 1}));
  EXPECT_EQ(tuned("users", {4, 32}), (Clauses{4, 8}));
}

TEST(Tables, OfTheUserGoBeforeTheProgram) {
  EXPECT_EQ(tuned_mapping("both", none), (Mapping{{4, 8}, 1}));
  EXPECT_EQ(tuned_mapping("own", none), none) << "where nothing was faster";
  ASSERT_NE(find_tuning(tuning_table(), "both", "Pretend/1"), nullptr)
      << "which the user's does not have";
  EXPECT_EQ(find_tuning(tuning_table(), "both", "Pretend/1")->mapping, (Mapping{{2, 16}, 3}));
}

TEST(Tables, AreNotAddedOnceTheyWereAskedFor) {
  EXPECT_FALSE(tuning_table().empty());
  try {
    add_tuning_table("", "too late");
    ADD_FAILURE() << "it was taken";
  } catch (const TuningError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("too late: ")) << error.what();
  }
}

/// The limits are those of the devices in the table, not of the one that runs this.
TEST(CommittedTable, HasOnlyWhatItsDevicesCanRun) {
  for (const TuningEntry& entry : tuning_table()) {
    SCOPED_TRACE(entry.kernel + " on " + entry.architecture);
    ASSERT_NO_THROW(validate(entry.mapping.clauses, 1));
    const Shape shape = effective_shape<PretendDevice>(entry.mapping.clauses, 1);
    EXPECT_LE(shape.team_size * shape.vector_length, gang_thread_limit);
    EXPECT_LE(shape.vector_length, thread_vector_limit);
    EXPECT_EQ(entry.mapping.clauses.workers * entry.mapping.clauses.vector,
              shape.team_size * shape.vector_length);
    EXPECT_GE(entry.mapping.items_per_worker, 1);
    EXPECT_GE(entry.low, 1);
    EXPECT_EQ(entry.date.size(), 10U) << entry.date;
  }
}

TEST(CommittedTable, IsAsItIsWritten) {
  const std::vector<TuningEntry> entries = parse_tuning_table(committed, "committed");
  const std::string text = tuning_table_text(entries);
  EXPECT_EQ(parse_tuning_table(text, "text"), entries);
  EXPECT_EQ(text, "R\"table(" + std::string(committed) + ")table\"\n");
}

TEST(CommittedTable, IsWhatKernelsGet) {
  const Mapping fallback{{2, 2}, 3};
  for (const TuningEntry& entry : tuning_table()) {
    const bool taken = entry.architecture == architecture() && entry.gained();
    const Mapping expected = taken ? entry.mapping : fallback;
    if (find_tuning(tuning_table(), entry.kernel, architecture()) == nullptr ||
        entry.architecture == architecture()) {
      EXPECT_EQ(tuned_mapping(entry.kernel, fallback), expected) << entry.kernel;
      EXPECT_EQ(tuned(entry.kernel, fallback.clauses),
                taken && entry.mapping.items_per_worker == 1 ? expected.clauses : fallback.clauses)
          << entry.kernel;
    }
  }
  EXPECT_EQ(tuned_mapping("no such kernel", fallback), fallback);
  EXPECT_EQ(tuned("no such kernel", {4, 32}), (Clauses{4, 32}));
}

TEST(Architecture, IsTheSpaceAndItsProcessor) {
  const std::string here = architecture();
  EXPECT_TRUE(here.starts_with(std::string(Kokkos::DefaultExecutionSpace::name()) + "/")) << here;
  EXPECT_GT(here.size(), here.find('/') + 1) << here;
  EXPECT_EQ(here.find_first_of(" _"), std::string::npos) << here;
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && defined(__x86_64__)
  EXPECT_TRUE(here.ends_with("/x86-64")) << here;
#endif
}

// Reading and writing

TEST(TuningTable, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_tuning_table(tuning_table_text(some), "some"), some);
  EXPECT_TRUE(parse_tuning_table(tuning_table_text({}), "none").empty());
  EXPECT_TRUE(parse_tuning_table("", "empty").empty());
}

TEST(TuningTable, IsOrderedSoThatChangesAreSmall) {
  std::vector<TuningEntry> reversed(some.rbegin(), some.rend());
  EXPECT_EQ(tuning_table_text(reversed), tuning_table_text(some));
}

TEST(TuningTable, TakesCommentsBlanksAndForeignLineEnds) {
  const auto entries = parse_tuning_table(
      "# a comment\r\n\r\n  \t\n"
      "  spmv\tCuda/Hopper90  8 8 4  1.5 1.25 2  2026-11-21 0123456789ab  guide n=100, a card\r\n"
      "  # another",
      "a table");
  EXPECT_EQ(entries, std::vector<TuningEntry>{some[0]});
}

TEST(TuningTable, SaysWhereNothingWasGained) {
  TuningEntry own = some[0];
  EXPECT_TRUE(own.gained());
  own.ratio = own.low = own.high = 1;
  EXPECT_FALSE(parse_tuning_table(tuning_table_text({own}), "own").at(0).gained());
}

/// A ratio just above 1 is written as 1; it is read all the same.
TEST(TuningTable, RatiosMayRoundTo1) {
  TuningEntry close = some[0];
  close.low = 1.0000001;
  EXPECT_EQ(parse_tuning_table(tuning_table_text({close}), "close").at(0).low, 1);
}

TEST(TuningTable, SaysItsVersion) {
  EXPECT_NE(tuning_table_text({}).find("\n# gangway-tuning/1\n"), std::string::npos);
  const std::string line = "spmv Cuda/Hopper90 8 8 4 1.5 1.25 2 2026-11-21 abc guide, a card\n";
  EXPECT_EQ(parse_tuning_table("# gangway-tuning/1\r\n" + line, "a table").size(), 1U);
  for (const char* version :
       {"# gangway-tuning/2\n", "# gangway-tuning/\n", "# gangway-tuning/1.1\n"}) {
    const std::string message = message_of(version + line);
    EXPECT_TRUE(message.starts_with("a table:1: this is not version 1")) << message;
  }
}

TEST(TuningTable, QuotesNoMoreThanTellsWhatItIs) {
  const std::string message = message_of("spmv " + std::string(100'000, 'x') + " 8 8");
  EXPECT_LT(message.size(), 300U);
  EXPECT_LT(message_of("spmv OpenMP/x " + std::string(100'000, '9')).size(), 300U);
}

class TuningFile : public ::testing::Test {
protected:
  std::string refused(const std::filesystem::path& file) {
    try {
      static_cast<void>(read_tuning_table(file));
    } catch (const TuningError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(file.string() + ":")) << message;
      return message;
    }
    ADD_FAILURE() << "it was read";
    return {};
  }

  gangway::testing::TemporaryFolder _folder;
};

TEST_F(TuningFile, IsReadAsItWasWritten) {
  std::ofstream(_folder / "table.inc") << tuning_table_text(some);
  EXPECT_EQ(read_tuning_table(_folder / "table.inc"), some);
}

TEST_F(TuningFile, ThatCannotBeReadIsRefused) {
  EXPECT_NE(refused(_folder / "gone").find("no such file"), std::string::npos);
  EXPECT_NE(refused(_folder.path()).find("is not a file"), std::string::npos);
  EXPECT_NE(refused("/dev/zero").find("is not a file"), std::string::npos);
}

TEST_F(TuningFile, SaysInWhichLineWhatIsWrong) {
  std::ofstream(_folder / "bad.inc") << "# first\nspmv\n";
  EXPECT_TRUE(refused(_folder / "bad.inc").starts_with((_folder / "bad.inc").string() + ":2: "));
}

TEST_F(TuningFile, HasABound) {
  std::ofstream(_folder / "most.inc") << std::string(most_tuning_bytes - 1, '#') << '\n';
  EXPECT_TRUE(read_tuning_table(_folder / "most.inc").empty());
  std::ofstream(_folder / "more.inc") << std::string(most_tuning_bytes, '#') << '\n';
  EXPECT_NE(refused(_folder / "more.inc").find("larger than 1048576 bytes"), std::string::npos);
}

TEST(TuningTable, SaysInWhichLineWhatIsWrong) {
  const std::string good = "spmv Cuda/Hopper90 8 8 4 1.5 1.25 2 2026-11-21 abc guide, a card\n";
  struct Bad {
    const char* line;
    std::vector<std::string> words;
  };
  const std::vector<Bad> all{
      {"spmv", {"ends before its architecture", "a line is: kernel architecture"}},
      {"spmv OpenMP/x 8 8", {"items is ''", "no number"}},
      {"spmv OpenMP/x eight 8 4 1.5 1.2 2 today abc n", {"workers is 'eight'", "no number"}},
      {"spmv OpenMP/x 8 8.5 4 1.5 1.2 2 today abc n", {"vector is '8.5'"}},
      {"spmv OpenMP/x 8 8 4x 1.5 1.2 2 today abc n", {"items is '4x'"}},
      {"spmv OpenMP/x 99999999999 8 4 1.5 1.2 2 today abc n", {"workers is '99999999999'"}},
      {"spmv OpenMP/x 8 8 4 fast 1.2 2 today abc n", {"ratio is 'fast'"}},
      {"spmv OpenMP/x 8 8 4 1.5 1.2 2", {"ends before its date"}},
      {"spmv OpenMP/x 8 8 4 1.5 1.2 2 today", {"ends before its commit"}},
      {"spmv OpenMP/x 8 8 4 1.5 1.2 2 today abc ", {"ends before its problem"}},
      {"spmv OpenMP 8 8 4 1.5 1.2 2 today abc n", {"'OpenMP'", "SPACE/PROCESSOR"}},
      {"spmv OpenMP/x 0 8 4 1.5 1.2 2 today abc n", {"from 1 up"}},
      {"spmv OpenMP/x 8 -8 4 1.5 1.2 2 today abc n", {"from 1 up"}},
      {"spmv OpenMP/x 8 8 0 1.5 1.2 2 today abc n", {"items is 0", "at least 1"}},
      {"spmv OpenMP/x 8 8 1048577 1.5 1.2 2 today abc n", {"items is 1048577", "at most 1048576"}},
      // as team_policy refuses them
      {"spmv OpenMP/x 64 32 1 1.5 1.2 2 today abc n", {"1024", "nearest"}},
      {"spmv OpenMP/x 1 33 1 1.5 1.2 2 today abc n", {"power of two", "vector_length(32)"}},
      {"spmv OpenMP/x 2 64 1 1.5 1.2 2 today abc n", {"no level for several workers"}},
      {"spmv OpenMP/x 1 2048 1 1.5 1.2 2 today abc n", {"vector_length(1024)"}},
      {"spmv OpenMP/x 8 8 4 1.5 0.9 2 today abc n", {"do not belong together", "1 <= low"}},
      {"spmv OpenMP/x 8 8 4 1.5 1.6 2 today abc n", {"low <= ratio"}},
      {"spmv OpenMP/x 8 8 4 2.5 1.6 2 today abc n", {"ratio <= high"}},
      {"spmv OpenMP/x 8 8 4 nan nan nan today abc n", {"do not belong together"}},
      {"spmv Cuda/Hopper90 4 4 1 1.5 1.2 2 today abc n",
       {"a second entry for spmv on Cuda/Hopper90"}},
  };
  for (const Bad& bad : all) {
    const std::string message = message_of("# first\n" + good + bad.line + "\n" + "vadd\n");
    EXPECT_TRUE(message.starts_with("a table:3: ")) << message;
    for (const std::string& word : bad.words)
      EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
  }
}

TEST(TuningTable, NewLinesReplaceThoseOfTheirArchitectureAlone) {
  const TuningEntry better = entry("spmv", "OpenMP/x86-64", {{1, 1}, 64});
  const TuningEntry first = entry("saxpy", "OpenMP/x86-64");
  // vadd was measured too, and nothing was gained; jacobi was not measured.
  const std::vector<TuningEntry> before{some[0], some[1], entry("vadd", "OpenMP/x86-64"),
                                        entry("jacobi", "OpenMP/x86-64"), some[2]};
  const auto after =
      merge_tuning(before, {"saxpy", "spmv", "vadd"}, "OpenMP/x86-64", {better, first});
  EXPECT_EQ(after, (std::vector<TuningEntry>{some[0], entry("jacobi", "OpenMP/x86-64"), some[2],
                                             better, first}));
}

TEST(TuningTable, IsSearchedByKernelAndArchitecture) {
  EXPECT_EQ(find_tuning(some, "spmv", "OpenMP/x86-64"), &some[1]);
  EXPECT_EQ(find_tuning(some, "vadd", "OpenMP/x86-64"), nullptr);
  EXPECT_EQ(find_tuning(some, "spm", "Cuda/Hopper90"), nullptr);
}

} // namespace
} // namespace gangway
