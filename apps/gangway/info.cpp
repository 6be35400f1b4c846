// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"
#include "harness/provenance.hpp"
#include "measuring.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gangway::apps {

CLI::App& add_info(CLI::App& app, InfoOptions& options) {
  CLI::App& command =
      *app.add_subcommand("info", "Devices, compilers and run-time libraries of both models");
  command.add_flag("--json", options.json, "As JSON");
  add_openacc(command, options);
  return command;
}

int info(const InfoOptions& options) {
  const OpenAccSide openacc = load_openacc(options);
  const harness::Provenance facts = harness::environment(openacc.libraries());
  if (options.json) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : facts)
      json[name] = value;
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print("{}", harness::text_of(facts));
  }
  return exit_status(openacc, true);
}

} // namespace gangway::apps
