! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> The parts of a step besides `advance`, and reports.
module channel_m
  use advance_m
  use tracer_m
  implicit none
contains

  subroutine step(t, dt, change)
    type(tracer), intent(inout) :: t
    real(wp), intent(in) :: dt
    real(wp), intent(out) :: change
    call walls(t)
    call exchange(t)
    call advance(t, dt, change)
    call keep(t)
  end subroutine

  !> No tracer crosses a wall: the halo has its neighbour's value.
  subroutine walls(t)
    type(tracer), intent(inout) :: t
    integer :: i, j, k, nx, ny, nz
    nx = t%nx; ny = t%ny; nz = t%nz
    !$acc parallel loop collapse(2) present(t%c)
    do k = 1, nz
      do j = 1, ny
        t%c(0, j, k) = t%c(1, j, k)
        t%c(nx + 1, j, k) = t%c(nx, j, k)
      end do
    end do
    !$acc parallel loop collapse(2) present(t%c)
    do k = 1, nz
      do i = 1, nx
        t%c(i, 0, k) = t%c(i, 1, k)
        t%c(i, ny + 1, k) = t%c(i, ny, k)
      end do
    end do
  end subroutine

  !> The channel's ends meet: planes go by the host, as they do between processes.
  subroutine exchange(t)
    type(tracer), intent(inout) :: t
    !$acc update self(t%c(:, :, 1), t%c(:, :, t%nz))
    t%c(:, :, 0) = t%c(:, :, t%nz)
    t%c(:, :, t%nz + 1) = t%c(:, :, 1)
    !$acc update device(t%c(:, :, 0), t%c(:, :, t%nz + 1))
  end subroutine

  subroutine keep(t)
    type(tracer), intent(inout) :: t
    integer :: i, j, k, nx, ny, nz
    nx = t%nx; ny = t%ny; nz = t%nz
    !$acc parallel loop collapse(3) present(t%c, t%next)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          t%c(i, j, k) = t%next(i, j, k)
        end do
      end do
    end do
  end subroutine

  !> The number of cells with at least this concentration, and the highest one.
  subroutine census(t, least, cells, highest)
    type(tracer), intent(in) :: t
    real(wp), intent(in) :: least
    integer, intent(out) :: cells
    real(wp), intent(out) :: highest
    integer :: i, j, k, nx, ny, nz
    nx = t%nx; ny = t%ny; nz = t%nz
    cells = 0
    highest = 0
    !$acc parallel loop collapse(3) reduction(+: cells) reduction(max: highest) present(t%c)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          if (t%c(i, j, k) >= least) cells = cells + 1
          highest = max(highest, t%c(i, j, k))
        end do
      end do
    end do
  end subroutine

  !> Appends the plane in the middle of the channel to a file.
  subroutine write_plane(t, unit)
    type(tracer), intent(inout) :: t
    integer, intent(in) :: unit
    integer :: k
    k = (t%nz + 1)/2
    !$acc update self(t%c(:, :, k))
    write (unit) t%c(1:t%nx, 1:t%ny, k)
  end subroutine

end module
