// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/report.hpp"

#include <fmt/format.h>

namespace gangway::harness {

/// Quoted where it has to be.
static std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string to_csv(const Results& results) {
  std::string text =
      "study,case,scope,settings,model,variant,beyond,passed,error,rounds,median_seconds,"
      "low_seconds,high_seconds,share,ceiling,shape,to_device,to_host,bytes_to_device,bytes_to_"
      "host,skipped,library\n";
  for (const CaseResult& result : results.cases)
    for (const Measurement& m : result.measurements) {
      const Estimate time = m.timed() ? bootstrap_median(m.seconds) : Estimate{};
      const std::string moved =
          m.transfers ? fmt::format("{},{},{},{}", m.transfers->to_device, m.transfers->to_host,
                                    m.transfers->bytes_to_device, m.transfers->bytes_to_host)
                      : ",,,";
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                          result.study, csv_field(result.name), name_of(result.scope),
                          csv_field(settings_text(result.settings)), name_of(m.model),
                          csv_field(m.variant), m.beyond,
                          m.runs_checked == 0 ? ""
                          : m.check.passed    ? "true"
                                              : "false",
                          m.check.error, time.samples, time.value, time.low, time.high,
                          m.share.value, csv_field(m.share.ceiling), csv_field(shape_text(m)),
                          moved, csv_field(m.skipped), csv_field(m.library));
    }
  return text;
}

} // namespace gangway::harness
