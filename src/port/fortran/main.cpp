// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway-port-fortran, which `gangway port` runs for Fortran: says of each directive what would
/// become of it. Exit status: that of gangway-port.

#include "base/errors.hpp"
#include "port/fortran/decide.hpp"
#include "port/fortran/inputs.hpp"
#include "port/fortran/read.hpp"
#include "port/fortran/rules.hpp"
#include "port/fortran_text.hpp"
#include "port/options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::port;
namespace fs = std::filesystem;

int dispatch(int argc, char** argv) {
  Options options;
  if (const auto status = read_options(options, argc, argv))
    return *status;
  if (answer(options, fortran::rules_table()))
    return all_translated;
  require_one_way(options);
  if (!options.check)
    throw base::UsageError(
        fmt::format("{}: Fortran is only read so far. --check says what would become of each "
                    "directive; docs/fortran.md says how to port by hand",
                    options.in_place ? "--in-place" : "--output"));
  const fortran::Inputs inputs =
      fortran::find_inputs(options.files, options.commands, options.flags);
  std::vector<fs::path> files;
  for (const fortran::Input& input : inputs.sources)
    files.push_back(input.file);
  require_places_for_reports(options, files, {});
  std::vector<fortran::Source> sources = fortran::read(inputs.sources);
  std::vector<Plan> plans = fortran::decide(sources);
  std::vector<Translation> translations;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].wanted)
      translations.push_back({std::move(sources[i].unit), std::move(plans[i]), ""});
  return write_reports(options, translations,
                       inputs.without == 0
                           ? ""
                           : fmt::format("{} {} without OpenACC\n", inputs.without,
                                         inputs.without == 1 ? "source is" : "sources are"));
}

} // namespace

int main(int argc, char** argv) {
  return run(dispatch, argc, argv);
}
