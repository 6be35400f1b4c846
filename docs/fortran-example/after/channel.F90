! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gangway/fortran/here.inc>

!> The parts of a step besides `advance`, and reports.
module channel_m
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use advance_m
  use gangway
  use tracer_m
  implicit none

  interface ! channel.cpp
    subroutine walls_kernel(c) bind(c)
      import :: c_double
      real(c_double), allocatable, intent(inout) :: c(:, :, :)
    end subroutine
    subroutine keep_kernel(c, next) bind(c)
      import :: c_double
      real(c_double), allocatable, intent(inout) :: c(:, :, :)
      real(c_double), allocatable, intent(in) :: next(:, :, :)
    end subroutine
    subroutine census_kernel(c, least, cells, highest) bind(c)
      import :: c_double, c_int
      real(c_double), allocatable, intent(in) :: c(:, :, :)
      real(c_double), value :: least
      integer(c_int), intent(out) :: cells
      real(c_double), intent(out) :: highest
    end subroutine
  end interface

contains

  subroutine step(t, dt, change)
    type(tracer), target, intent(inout) :: t
    real(wp), intent(in) :: dt
    real(wp), intent(out) :: change
    call walls_kernel(t%c)
    call exchange(t)
    call advance(t, dt, change)
    call keep_kernel(t%c, t%next)
  end subroutine

  !> The channel's ends meet: planes go by the host, as they do between processes.
  subroutine exchange(t)
    type(tracer), target, intent(inout) :: t
    call gangway_update_self(t%c(:, :, 1), "t%c", GANGWAY_HERE)
    call gangway_update_self(t%c(:, :, t%nz), "t%c", GANGWAY_HERE)
    t%c(:, :, 0) = t%c(:, :, t%nz)
    t%c(:, :, t%nz + 1) = t%c(:, :, 1)
    call gangway_update_device(t%c(:, :, 0), "t%c", GANGWAY_HERE)
    call gangway_update_device(t%c(:, :, t%nz + 1), "t%c", GANGWAY_HERE)
  end subroutine

  !> The number of cells with at least this concentration, and the highest one.
  subroutine census(t, least, cells, highest)
    type(tracer), intent(in) :: t
    real(wp), intent(in) :: least
    integer, intent(out) :: cells
    real(wp), intent(out) :: highest
    call census_kernel(t%c, least, cells, highest)
  end subroutine

  !> Appends the plane in the middle of the channel to a file.
  subroutine write_plane(t, unit)
    type(tracer), target, intent(inout) :: t
    integer, intent(in) :: unit
    integer :: k
    k = (t%nz + 1)/2
    call gangway_update_self(t%c(:, :, k), "t%c", GANGWAY_HERE)
    write (unit) t%c(1:t%nx, 1:t%ny, k)
  end subroutine

end module
