! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

module advance_m
  use tracer_m
  implicit none
contains

  !> One step of length dt; `change` is the largest one of any cell.
  subroutine advance(t, dt, change)
    type(tracer), intent(inout) :: t
    real(wp), intent(in) :: dt
    real(wp), intent(out) :: change
    integer :: i, j, k, nx, ny, nz
    real(wp) :: mixed, carried
    nx = t%nx; ny = t%ny; nz = t%nz
    change = 0
    !$acc parallel loop collapse(3) private(mixed, carried) reduction(max: change) present(t%c, t%next, flow)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          mixed = (t%c(i - 1, j, k) + t%c(i + 1, j, k)) + (t%c(i, j - 1, k) + t%c(i, j + 1, k)) &
            + (t%c(i, j, k - 1) + t%c(i, j, k + 1)) - 6*t%c(i, j, k)
          carried = flow(i, j)*(t%c(i, j, k) - t%c(i, j, k - 1))
          t%next(i, j, k) = t%c(i, j, k) + dt*(mixing*mixed - carried)
          change = max(change, abs(t%next(i, j, k) - t%c(i, j, k)))
        end do
      end do
    end do
  end subroutine

end module
