// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver.hpp"

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "gangway/gangway.hpp"
#include "ranks/session.hpp"
#include "sparse/ordered_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gangway::apps::cg {
namespace {

std::size_t at(long index) {
  return static_cast<std::size_t>(index);
}

/// Sums over the rows of all ranks, which have the same bits whatever their number.
class Sums {
public:
  explicit Sums(const ranks::BlockSums& blocks)
      : _blocks(blocks), _of_blocks("cg/sums of blocks", 2 * at(blocks.count())),
        _on_host(Kokkos::create_mirror(_of_blocks)) {}

  /// The `number`-th sum, 0 or 1: term(i) of each of this rank's rows, a gang for each block.
  /// `term` may write what belongs to its row.
  template <class Term>
  void launch(const char* label, int number, const Term& term) const {
    if (_blocks.count() == 0)
      return;
    const auto of_blocks = _of_blocks;
    const int first = number * _blocks.count();
    const int each = static_cast<int>(_blocks.block(0).count());
    const int rows = static_cast<int>(_blocks.rows());
    // The shape is given because the order in which a device adds depends on it.
    gangway::parallel_for(
        label, gang(_blocks.count()).num_workers(8).vector_length(32),
        KOKKOS_LAMBDA(const Gang<>& gang, int block) {
          const int begin = block * each;
          double sum = 0;
          loop_vector(
              gang, begin, Kokkos::min(begin + each, rows),
              [&](int i, double& partial) { partial += term(i); }, sum);
          single(gang, [&] { of_blocks(first + block) = sum; });
        });
  }

  /// Returns the first `count` sums that were launched, over all ranks.
  template <std::size_t count>
  [[nodiscard]] std::array<double, count> totals() const {
    Kokkos::deep_copy(_on_host, _of_blocks);
    std::array<double, count> totals{};
    _blocks.add({_on_host.data(), count * at(_blocks.count())}, totals);
    return totals;
  }

private:
  using Doubles = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;

  const ranks::BlockSums& _blocks;
  Doubles _of_blocks;
  Doubles::host_mirror_type _on_host;
};

double dot(const Sums& sums, const DeviceView<const double>& a, const DeviceView<const double>& b) {
  sums.launch("cg/dot", 0, KOKKOS_LAMBDA(int i) { return a(i) * b(i); });
  return sums.totals<1>()[0];
}

/// r . r, which has been launched, and r . M r with the preconditioner M.
struct Squares {
  double plain = 0;
  double scaled = 0;
};
Squares squares(const Sums& sums, const DeviceView<const double>& scale,
                const DeviceView<const double>& r) {
  if (scale.extent(0) == 0) {
    const double plain = sums.totals<1>()[0];
    return {plain, plain};
  }
  sums.launch("cg/scaled square", 1, KOKKOS_LAMBDA(int i) { return r(i) * (scale(i) * r(i)); });
  const auto [plain, scaled] = sums.totals<2>();
  return {plain, scaled};
}

/// r = b - r; p = M r
Squares start(const Sums& sums, const DeviceView<const double>& b,
              const DeviceView<const double>& scale, const DeviceView<double>& r,
              const DeviceView<double>& p) {
  const bool scaled = scale.extent(0) != 0;
  sums.launch(
      "cg/start", 0, KOKKOS_LAMBDA(int i) {
        const double rest = b(i) - r(i);
        r(i) = rest;
        p(i) = scaled ? scale(i) * rest : rest;
        return rest * rest;
      });
  return squares(sums, scale, r);
}

/// x = x + alpha p; r = r - alpha q
Squares step(const Sums& sums, double alpha, const DeviceView<const double>& p,
             const DeviceView<const double>& q, const DeviceView<const double>& scale,
             const DeviceView<double>& x, const DeviceView<double>& r) {
  sums.launch(
      "cg/step", 0, KOKKOS_LAMBDA(int i) {
        x(i) += alpha * p(i);
        const double rest = r(i) - alpha * q(i);
        r(i) = rest;
        return rest * rest;
      });
  return squares(sums, scale, r);
}

/// p = M r + beta p
void turn(double beta, const DeviceView<const double>& r, const DeviceView<const double>& scale,
          const DeviceView<double>& p) {
  const bool scaled = scale.extent(0) != 0;
  Kokkos::parallel_for(
      "cg/turn", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, r.extent_int(0)),
      KOKKOS_LAMBDA(int i) { p(i) = (scaled ? scale(i) * r(i) : r(i)) + beta * p(i); });
}

/// Brings the halo of a vector up to date, which lies after its `rows` elements.
void exchange(ranks::VectorHalo& halo, const DeviceView<const int>& sent,
              const DeviceView<double>& packed, const DeviceView<double>& vector, int rows) {
  if (ranks::world().size() == 1)
    return;
  Kokkos::parallel_for(
      "cg/pack", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, sent.extent_int(0)),
      KOKKOS_LAMBDA(int i) { packed(i) = vector(sent(i)); });
  Kokkos::fence("cg: what is sent is packed");
  halo.start(packed.data(), vector.data() + rows);
  halo.finish();
}

/// Returns this rank's rows. One rank has them without a copy.
sparse::RowPart own_part(inputs::CsrMatrix whole, const std::vector<int>& cut) {
  if (ranks::world().size() > 1)
    return sparse::row_part(whole, cut, ranks::world().rank());
  const int rows = whole.rows;
  return {.first_row = 0, .matrix = std::move(whole), .halo = {}, .order = {}, .inner = rows};
}

/// Copies this rank's elements of a vector, if it has any, with room after them up to `size`.
base::HostArray<double> own_elements(std::span<const double> whole, const sparse::RowPart& part,
                                     int size) {
  return base::filled<double>(whole.empty() ? 0 : size, [&](long i) {
    return i < part.matrix.rows ? whole[at(part.first_row + i)] : 0.0;
  });
}

} // namespace

std::vector<double> inverse_diagonal(const inputs::CsrMatrix& matrix) {
  std::vector<double> inverse(at(matrix.rows));
  for (long row = 0; row < matrix.rows; ++row) {
    double diagonal = 0;
    for (auto j = at(matrix.row_offsets[at(row)]); j < at(matrix.row_offsets[at(row + 1)]); ++j)
      if (matrix.column_indices[j] == row)
        diagonal = matrix.values[j];
    if (!(diagonal > 0))
      throw base::UsageError(
          fmt::format("the matrix is not positive definite: the diagonal entry of row {} is {}; "
                      "conjugate gradients need all to be positive",
                      row + 1, diagonal));
    inverse[at(row)] = 1 / diagonal;
  }
  return inverse;
}

System::System(inputs::CsrMatrix matrix, std::span<const double> whole_b,
               std::span<const double> whole_scale)
    : cut(sparse::cut_by_nonzeros(matrix, ranks::world().size(),
                                  static_cast<int>(ranks::BlockSums::rows_each(matrix.rows)))),
      mean(static_cast<double>(matrix.nonzeros()) / std::max(matrix.rows, 1)),
      part(own_part(std::move(matrix), cut)), b(own_elements(whole_b, part, part.matrix.rows)),
      scale(own_elements(whole_scale, part, part.matrix.rows)),
      sums(ranks::world(), cut.back(), {part.first_row, part.first_row + part.matrix.rows}),
      halo(ranks::world(), cut, part.halo, sizeof(double), ranks::halo_choice().way) {}

State::State(const System& system, std::span<const double> guess)
    : x(own_elements(guess, system.part, system.part.matrix.columns)),
      r(at(system.part.matrix.rows)), p(at(system.part.matrix.columns)) {}

Outcome solve(System& system, State& state, int most, double target, const Report& report) {
  const sparse::Csr csr = sparse::csr_of(system.part.matrix);
  const std::size_t rows = at(csr.rows);
  const std::size_t with_halo = at(csr.columns);
  const std::vector<int>& to_send = system.halo.sent();
  base::HostArray<double> to_map(rows);
  base::HostArray<double> to_pack(to_send.size());

  Data data;
  const auto a = sparse::copyin(data, csr);
  const auto b = data.copyin(named("b", system.b.data()), rows);
  const auto scale = data.copyin(named("diagonal", system.scale.data()), system.scale.size());
  const auto sent = data.copyin(named("sent", to_send.data()), to_send.size());
  const auto x = data.copy(named("x", state.x.data()), with_halo);
  const auto residual = data.copy(named("residual", state.r.data()), rows);
  const auto direction = data.copy(named("direction", state.p.data()), with_halo);
  const auto mapped = data.create(named("mapped", to_map.data()), rows);
  const auto packed = data.create(named("packed", to_pack.data()), to_pack.size());
  const auto product = sparse::ordered_product("cg/product", csr, system.mean);
  const Sums sums(system.sums);
  const auto multiply = [&](const DeviceView<double>& in, const DeviceView<double>& out) {
    exchange(system.halo, sent, packed, in, csr.rows);
    product(a, in, out);
  };
  const auto fetch = [&] {
    update_self(state.x.data(), rows);
    update_self(state.r.data(), rows);
    update_self(state.p.data(), rows);
  };
  const auto keep = [&](const Squares& squares) {
    state.square = squares.plain;
    state.scaled = squares.scaled;
  };

  if (!state.has_begun) {
    multiply(x, residual);
    keep(start(sums, b, scale, residual, direction));
    state.has_begun = true;
  }
  for (;; ++state.iteration) {
    const double norm = std::sqrt(state.square);
    const auto ends = [&](End end) { return Outcome{end, state.iteration, norm}; };
    report(state, norm, fetch);
    if (norm <= target)
      return ends(End::converged);
    if (!std::isfinite(norm) || !std::isfinite(state.scaled))
      return ends(End::not_finite);
    if (state.iteration >= most)
      return ends(End::out_of_iterations);
    multiply(direction, mapped);
    const double curvature = dot(sums, direction, mapped);
    if (!(curvature > 0))
      return ends(std::isfinite(curvature) ? End::not_positive_definite : End::not_finite);
    const double before = state.scaled;
    keep(step(sums, before / curvature, direction, mapped, scale, x, residual));
    turn(state.scaled / before, residual, scale, direction);
  }
}

double residual_norm(System& system, std::span<double> x) {
  const inputs::CsrMatrix& matrix = system.part.matrix;
  std::vector<double> sent;
  for (const int element : system.halo.sent())
    sent.push_back(x[at(element)]);
  system.halo.on_host(sent.data(), x.data() + matrix.rows);
  const auto squares = base::filled<double>(matrix.rows, [&](long row) {
    double rest = system.b[at(row)];
    for (auto j = at(matrix.row_offsets[at(row)]); j < at(matrix.row_offsets[at(row + 1)]); ++j)
      rest -= matrix.values[j] * x[at(matrix.column_indices[j])];
    return rest * rest;
  });
  std::vector<double> of_blocks(at(system.sums.count()));
  for (int block = 0; block < system.sums.count(); ++block)
    for (long row = system.sums.block(block).begin; row < system.sums.block(block).end; ++row)
      of_blocks[at(block)] += squares[at(row)];
  double square = 0;
  system.sums.add(of_blocks, {&square, 1});
  return std::sqrt(square);
}

} // namespace gangway::apps::cg
