! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gangway/fortran/here.inc>

!> A tracer in a channel: nx * ny cells across, nz along, and one layer of halo around.
module tracer_m
  use, intrinsic :: iso_fortran_env, only: real64
  use gangway
  implicit none
  integer, parameter :: wp = real64

  type :: tracer
    integer :: nx = 0, ny = 0, nz = 0
    real(wp), allocatable :: c(:, :, :)    !< concentration, (0:nx+1, 0:ny+1, 0:nz+1)
    real(wp), allocatable :: next(:, :, :) !< of the next step
  end type

  real(wp), allocatable, target :: flow(:, :) !< speed along the channel, (0:nx+1, 0:ny+1)
  real(wp), parameter :: fastest = 1, mixing = 0.05_wp

contains

  !> A channel with a cloud in it, on the device too.
  subroutine create_tracer(t, nx, ny, nz)
    type(tracer), target, intent(out) :: t
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k
    t%nx = nx; t%ny = ny; t%nz = nz
    allocate (t%c(0:nx + 1, 0:ny + 1, 0:nz + 1), t%next(0:nx + 1, 0:ny + 1, 0:nz + 1), flow(0:nx + 1, 0:ny + 1))
    do j = 0, ny + 1
      do i = 0, nx + 1
        flow(i, j) = fastest*(i*(nx + 1 - i))*(j*(ny + 1 - j))*16/(real(nx + 1, wp)**2*real(ny + 1, wp)**2)
      end do
    end do
    t%c = 0
    do k = 1, nz/2
      do j = 1, ny
        do i = 1, (nx + 1)/2
          t%c(i, j, k) = 1 + 0.001_wp*mod(7*i + 5*j + 3*k, 11)
        end do
      end do
    end do
    call gangway_enter_data_copyin(t%c, "t%c", GANGWAY_HERE)
    call gangway_enter_data_copyin(flow, "flow", GANGWAY_HERE)
    call gangway_enter_data_create(t%next, "t%next", GANGWAY_HERE)
  end subroutine

  subroutine delete_tracer(t)
    type(tracer), target, intent(inout) :: t
    call gangway_exit_data_delete(t%c, "t%c", GANGWAY_HERE)
    call gangway_exit_data_delete(t%next, "t%next", GANGWAY_HERE)
    call gangway_exit_data_delete(flow, "flow", GANGWAY_HERE)
    deallocate (t%c, t%next, flow)
  end subroutine

end module
