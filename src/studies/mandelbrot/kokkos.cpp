// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/mandelbrot/mandelbrot.hpp"
#include "studies/mandelbrot/tiles.hpp"

namespace gangway::mandelbrot {
namespace {

/// Place number `index` of `count` between `low` and `high`.
KOKKOS_INLINE_FUNCTION float coordinate(double low, double high, int index, int count) {
  return static_cast<float>(low + (high - low) * index / count);
}

#ifdef FP_FAST_FMAF
[[maybe_unused]] constexpr bool host_fuses = true;
#else
[[maybe_unused]] constexpr bool host_fuses = false; // nor will the compiler
#endif

/// square² + addend, rounded once wherever the hardware can: a compiler that chose for itself could
/// choose differently for the lanes of one vector.
KOKKOS_INLINE_FUNCTION float fused(float square, float addend) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::fma(square, square, addend);))
  KOKKOS_IF_ON_HOST((if constexpr (host_fuses) return std::fma(square, square, addend);
                     else return square * square + addend;))
}

/// The document's loop. It asks after every step whether the point has left, as the document does,
/// but goes on to the next step before it has the answer, which a processor that works ahead would
/// do by itself: a GPU's threads wait for each answer otherwise, with few warps left to run. The
/// step too many is not counted. Two steps a turn keep the variables where they are.
KOKKOS_INLINE_FUNCTION int steps_of(float c_re, float c_im, int limit) {
  float re = 0;
  float im = 0;
  float im_im = 0;
  bool leaves = false;
  int k = 0;
  for (;;)
    for (int turn = 0; turn < 2; ++turn) {
      const bool left = leaves; // with the step before
      const float next = fused(re, -im_im) + c_re;
      im = static_cast<float>(2.0 * re * im + c_im);
      re = next;
      im_im = im * im;
      ++k;
      leaves = !(fused(re, im_im) < 4.0F) || k >= limit;
      if (left)
        return k - 1;
    }
}

/// Rows over gangs and vector lanes, the points of a row one after another.
void parallel(int width, int height, double re_min, double re_max, double im_min, double im_max,
              int limit, int* iterations, long* inside) {
  Data data;
  const auto steps = data.copyout(iterations, height, width);
  *inside = 0;
  gangway::parallel_reduce(
      "mandelbrot/parallel", gang_vector(height).inner(width),
      KOKKOS_LAMBDA(int row, long& count) {
        const float c_im = coordinate(im_min, im_max, row, height);
        for (int column = 0; column < width; ++column) {
          const int k = steps_of(coordinate(re_min, re_max, column, width), c_im, limit);
          steps(row, column) = k;
          if (k == limit)
            ++count;
        }
      },
      *inside);
}

/// Rows over gangs or workers, as the policy says, the points of a row over the vector; counted
/// with atomics.
template <class Policy>
void rows(const char* label, const Policy& policy, int width, int height, double re_min,
          double re_max, double im_min, double im_max, int limit, int* iterations, long* inside) {
  *inside = 0;
  Data data;
  const auto steps = data.copyout(iterations, height, width);
  const auto count = data.copy(inside, 1);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const typename Policy::Handle& handle, int row) {
        const float c_im = coordinate(im_min, im_max, row, height);
        loop_vector(handle, 0, width, [&](int column) {
          const int k = steps_of(coordinate(re_min, re_max, column, width), c_im, limit);
          steps(row, column) = k;
          if (k == limit)
            Kokkos::atomic_inc(&count(0));
        });
      });
}

void atomic(int width, int height, double re_min, double re_max, double im_min, double im_max,
            int limit, int* iterations, long* inside) {
  rows("mandelbrot/atomic", gang(height).vector_length(128), width, height, re_min, re_max, im_min,
       im_max, limit, iterations, inside);
}

/// Workers have up to 32 lanes; a longer vector is a gang's.
void of_mapping(const kernels::Mapping& mapping, int width, int height, double re_min,
                double re_max, double im_min, double im_max, int limit, int* iterations,
                long* inside) {
  const auto run = [&](const auto& policy, int rows_a_gang) {
    const int gangs = (height + rows_a_gang - 1) / rows_a_gang;
    rows("mandelbrot/of-mapping", policy.clauses(mapping.clauses).num_gangs(gangs), width, height,
         re_min, re_max, im_min, im_max, limit, iterations, inside);
  };
  if (mapping.clauses.vector > Clauses::most_worker_lanes)
    run(gang(height), mapping.items_per_worker);
  else
    run(gang_worker(height), mapping.clauses.workers * mapping.items_per_worker);
}

/// Rows and columns made one loop, its points over gangs and vector lanes.
void collapse(int width, int height, double re_min, double re_max, double im_min, double im_max,
              int limit, int* iterations, long* inside) {
  const long points = static_cast<long>(width) * height;
  Data data;
  const auto steps = data.copyout(iterations, height, width);
  *inside = 0;
  gangway::parallel_reduce(
      "mandelbrot/collapse", gang_vector(points),
      KOKKOS_LAMBDA(long point, long& count) {
        const int row = static_cast<int>(point / width);
        const int column = static_cast<int>(point % width);
        const int k = steps_of(coordinate(re_min, re_max, column, width),
                               coordinate(im_min, im_max, row, height), limit);
        steps(row, column) = k;
        if (k == limit)
          ++count;
      },
      *inside);
}

/// Points of a tile that are one lane's, in step with one another: on a device one; on a host a
/// whole tile, which the compiler turns into vector instructions.
inline constexpr int in_step = has_device ? 1 : Tiles::points;
/// Steps between two looks at whether any of them is still inside, because the next step waits for
/// a look.
inline constexpr int steps_a_look = has_device ? 4 : 8;

/// Points on their way. One that has left goes on, uncounted, until all have.
struct InStep {
  float c_re[in_step];
  float c_im[in_step];
  float re[in_step] = {};
  float im[in_step] = {};
  int inside[in_step];
  int steps[in_step] = {};

  KOKKOS_FUNCTION void step() {
    for (int l = 0; l < in_step; ++l) {
      const float next = fused(re[l], -(im[l] * im[l])) + c_re[l];
      im[l] = static_cast<float>(2.0 * re[l] * im[l] + c_im[l]);
      re[l] = next;
      steps[l] += inside[l];
      inside[l] = fused(re[l], im[l] * im[l]) < 4.0F ? inside[l] : 0;
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION bool any_inside() const {
    int any = 0;
    for (int l = 0; l < in_step; ++l)
      any |= inside[l];
    return any != 0;
  }
  KOKKOS_FUNCTION void run(int limit) {
    for (int l = 0; l < in_step; ++l)
      inside[l] = 1;
    int k = 0;
    for (; k + steps_a_look <= limit && any_inside(); k += steps_a_look)
      for (int s = 0; s < steps_a_look; ++s)
        step();
    if (any_inside())
      for (; k < limit; ++k)
        step();
  }
};

/// Data of a tile's kernel.
struct Picture {
  Tiles tiles;
  double re_min, re_max, im_min, im_max;
  int limit;
  DeviceView<int, 2> steps;

  /// The points of one tile over the vector; how many of them never leave, in every lane.
  KOKKOS_FUNCTION int draw(const Worker<>& worker, long tile) const {
    int count = 0;
    loop_vector(
        worker, 0, Tiles::points / in_step,
        [&](int lane, int& partial) {
          InStep points;
          for (int l = 0; l < in_step; ++l) {
            // Beyond the edge the edge's own point is drawn again, and not stored.
            const int row = Kokkos::min(tiles.row(tile, lane * in_step + l), tiles.height - 1);
            const int column = Kokkos::min(tiles.column(tile, lane * in_step + l), tiles.width - 1);
            points.c_re[l] = coordinate(re_min, re_max, column, tiles.width);
            points.c_im[l] = coordinate(im_min, im_max, row, tiles.height);
          }
          points.run(limit);
          for (int l = 0; l < in_step; ++l) {
            const int row = tiles.row(tile, lane * in_step + l);
            const int column = tiles.column(tile, lane * in_step + l);
            if (row >= tiles.height || column >= tiles.width)
              continue;
            steps(row, column) = points.steps[l];
            if (points.steps[l] == limit)
              ++partial;
          }
        },
        count);
    return count;
  }
};

/// A gang is one worker, which draws one tile: who is done with one takes the next, as the device's
/// own scheduler hands out gangs, and the host's dynamic schedule. A `gang` loop would give a gang
/// several.
void tiles(int width, int height, double re_min, double re_max, double im_min, double im_max,
           int limit, int* iterations, long* inside) {
  *inside = 0;
  Data data;
  const auto count = data.copy(inside, 1);
  const Picture picture{{width, height},
                        re_min,
                        re_max,
                        im_min,
                        im_max,
                        limit,
                        data.copyout(iterations, height, width)};
  gangway::parallel_for(
      "mandelbrot/tiles",
      team_policy(picture.tiles.count())
          .num_workers(1)
          .vector_length(32)
          .with(Kokkos::Schedule<Kokkos::Dynamic>()),
      KOKKOS_LAMBDA(const Member& gang) {
        const Worker<> worker(gang);
        const int never = picture.draw(worker, gang.league_rank());
        single(worker, [&] {
          if (never > 0)
            Kokkos::atomic_add(&count(0), static_cast<long>(never));
        });
      });
}

/// Variant with as many workers as the device keeps in flight. Each draws the tile of its number,
/// and then tiles from one queue until it is empty. No worker waits for another. No multiprocessor
/// gets more than its share of the points that never leave, as it may where it holds as many gangs
/// as fit. The first tile is not from the queue, because with one tile a worker the queue took
/// longer than `tiles`, by the same instructions.
class Balanced {
public:
  void operator()(int width, int height, double re_min, double re_max, double im_min, double im_max,
                  int limit, int* iterations, long* inside) const {
    Data data;
    const Picture picture{{width, height},
                          re_min,
                          re_max,
                          im_min,
                          im_max,
                          limit,
                          data.copyout(iterations, height, width)};
    const long tiles = picture.tiles.count();
    const auto counts = _counts;
    // A device takes all tiles at once if it can. Of more it takes three eighths of what it holds
    // at a time: 24 warps on each multiprocessor of NVIDIA's. A gang is one worker, because a gang
    // of several would hold its place until the slowest ends.
    const long held = Kokkos::DefaultExecutionSpace().concurrency() / 32;
    const long workers = tiles <= held ? std::max(1L, tiles) : held * 3 / 8;
    const long gangs = has_device ? workers : Kokkos::DefaultExecutionSpace().concurrency();
    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), _counts, 0L);
    // Gangs add to one number, because the last gang of a reduction joins the results of all, and
    // it has only one worker.
    gangway::parallel_for(
        "mandelbrot/balanced", team_policy(gangs).num_workers(1).vector_length(32),
        KOKKOS_LAMBDA(const Parallel<>& gang) {
          const Worker<> worker(gang.member());
          long of_gang = 0;
          long tile = worker.member().league_rank();
          while (tile < tiles) {
            of_gang += picture.draw(worker, tile);
            Kokkos::single(
                Kokkos::PerThread(worker.member()),
                [&](long& next) { next = gangs + Kokkos::atomic_fetch_add(&counts(0), 1L); }, tile);
          }
          single(gang, [&] {
            if (of_gang > 0)
              Kokkos::atomic_add(&counts(1), of_gang);
          });
        });
    Kokkos::deep_copy(*inside, Kokkos::subview(counts, 1));
  }

private:
  /// Tiles from the queue; points inside.
  Kokkos::View<long*, DeviceSpace> _counts{"mandelbrot/counts", 2};
};

const harness::Study<Problem> study({
    .stages = {{.name = "parallel", .kernel = parallel, .flag = harness::Flag::sum},
               {.name = "atomic", .kernel = atomic},
               {.name = "collapse", .kernel = collapse, .flag = harness::Flag::sum}},
    .beyond = {{.name = "tiles", .kernel = tiles},
               {.name = "balanced", .kernel = harness::run_planned<Balanced>}},
    .sweep = {.kernel = of_mapping, .most_items_per_worker = 4},
});

} // namespace
} // namespace gangway::mandelbrot
