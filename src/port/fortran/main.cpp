// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway-port-fortran, which `gangway port` runs for Fortran: OpenACC in, Fortran with kernels in
/// C++ out. Exit status: that of gangway-port.

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "port/fortran/decide.hpp"
#include "port/fortran/inputs.hpp"
#include "port/fortran/read.hpp"
#include "port/fortran/rules.hpp"
#include "port/fortran/translate.hpp"
#include "port/fortran_text.hpp"
#include "port/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::port;
namespace fs = std::filesystem;

/// Places of a source's translation; empty if it is only reported.
struct Places {
  fs::path host;
  fs::path kernels;
};

/// Returns `solver.F90` for `solver.f90`, because what comes out is preprocessed.
fs::path name_of_output(fs::path name) {
  std::string ending = name.extension().string();
  if (ending.size() > 1)
    ending[1] = static_cast<char>(std::toupper(static_cast<unsigned char>(ending[1])));
  return name.replace_extension(ending);
}

void require_free(const fs::path& place, const char* instead) {
  std::error_code error;
  if (fs::exists(place, error))
    throw base::UsageError(
        fmt::format("{} exists, and is not overwritten; {}", place.string(), instead));
}

/// Returns where the translation goes. Errors: UsageError.
Places places_of(const fortran::Input& input, const Options& options) {
  if (options.check)
    return {};
  if (!options.in_place) {
    const fs::path place = fs::path(options.output) / name_of_output(input.name);
    Places places{place, place.parent_path() / fortran::name_of_kernels(place.string())};
    for (const fs::path& one : {places.host, places.kernels})
      require_free(one, "remove it, or give another --output");
    return places;
  }
  if (input.file != name_of_output(input.file))
    throw base::UsageError(
        fmt::format("{}: what comes out is preprocessed, so its name has to end in {}; rename it, "
                    "or give --output DIR",
                    input.file.string(), name_of_output(input.file).extension().string()));
  Places places{input.file,
                input.file.parent_path() / fortran::name_of_kernels(input.file.string())};
  require_free(places.kernels, "remove it, or give --output DIR");
  return places;
}

/// Returns the places of all sources that are wanted. Errors: UsageError, before anything is read.
std::vector<Places> places_of(const std::vector<fortran::Input>& inputs, const Options& options) {
  std::vector<Places> places;
  std::set<fs::path> taken;
  for (const fortran::Input& input : inputs) {
    if (!input.wanted)
      continue;
    places.push_back(places_of(input, options));
    for (const fs::path& place : {places.back().host, places.back().kernels}) {
      std::error_code error;
      if (!place.empty() && !taken.insert(fs::weakly_canonical(place, error)).second)
        throw base::UsageError(fmt::format(
            "{}: two of the sources would be written there; translate them into different folders",
            place.string()));
    }
  }
  return places;
}

void make_folders(const std::vector<Places>& places, const Options& options) {
  for (const Places& one : places) {
    std::error_code error;
    if (!options.output.empty())
      fs::create_directories(one.host.parent_path(), error);
    if (error)
      throw base::UsageError(fmt::format("--output {}: {}", options.output, error.message()));
  }
}

/// Writes a translation, and says in it where.
void write(Translation& translation, const fortran::Texts& texts, const Places& places,
           const Options& options) {
  if (places.host.empty() || (options.in_place && texts.host == translation.unit.text))
    return;
  if (!texts.kernels.empty()) {
    base::write_whole(places.kernels, texts.kernels);
    translation.kernels = places.kernels.string();
  }
  base::write_whole(places.host, texts.host);
  translation.output = places.host.string();
}

int dispatch(int argc, char** argv) {
  Options options;
  if (const auto status = read_options(options, argc, argv))
    return *status;
  if (answer(options, fortran::rules_table()))
    return all_translated;
  require_one_way(options);
  if (options.verify || options.queues)
    throw base::UsageError(fmt::format("{} is for C and C++: a translation of Fortran {}",
                                       options.verify ? "--verify" : "--queues",
                                       options.verify ? "has no originals beside its kernels"
                                                      : "has everything on one queue"));
  const fortran::Inputs inputs =
      fortran::find_inputs(options.files, options.commands, options.flags, options.output);
  const std::vector<Places> places = places_of(inputs.sources, options);
  std::vector<fs::path> files;
  for (const fortran::Input& input : inputs.sources)
    files.push_back(input.file);
  std::vector<fs::path> written;
  for (const Places& one : places)
    written.insert(written.end(), {one.host, one.kernels});
  require_places_for_reports(options, files, written);

  std::vector<fortran::Source> sources = fortran::read(inputs.sources);
  std::vector<Plan> plans = fortran::decide(sources);
  const std::vector<fortran::Texts> texts = fortran::translate(sources, plans);
  make_folders(places, options);
  std::vector<Translation> translations;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].wanted) {
      translations.push_back({std::move(sources[i].unit), std::move(plans[i])});
      write(translations.back(), texts[i], places[translations.size() - 1], options);
    }
  tell_of_missing_main(translations);
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
