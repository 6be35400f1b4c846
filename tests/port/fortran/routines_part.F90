! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Procedures of another source that the kernels of routines.F90 call.
module parts_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: smooth, parted, edges
  real(real64), parameter :: share = 0.25_real64
contains
  pure real(real64) function weight(k)
    !$acc routine seq
    integer, intent(in) :: k
    weight = share*k
  end function
  real(real64) function smooth(x, k) result(y)
    !$acc routine seq
    real(real64), intent(in) :: x
    integer, intent(in) :: k
    real(real64) :: terms(0:3), sums(2)
    terms = x*weight(k)
    terms(1:3) = terms(0:2) + 1
    where (terms > 3) terms = terms/2
    sums(1) = 1
    sums(2) = 2*sums(1)
    y = sum(terms) + maxval(terms(1:2)) + sums(2)
  end function
  real(real64) function edges(v, from, count) ! the entities of its bounds are this source's
    !$acc routine seq
    integer, intent(in) :: from, count
    real(real64), intent(in) :: v(from:from + count - 1)
    edges = v(from)*share - v(ubound(v, 1)) + size(v)
  end function
  subroutine parted(x, n, y)
    !$acc routine seq
    real(real64), value :: x
    integer, intent(in) :: n
    real(real64), intent(out) :: y
    integer :: i
    y = 0
    do i = 1, n
      y = y + smooth(x, i)
      x = x*0.5_real64
    end do
  end subroutine
end module
