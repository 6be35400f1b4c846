! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Functions and subroutines that kernels call.
module routines_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), parameter :: gamma = 1.4_real64
contains
  pure real(real64) function pressure(rho, energy)
    !$acc routine seq
    real(real64), intent(in) :: rho, energy
    pressure = (gamma - 1)*rho*energy
    if (pressure < 0.1_real64) pressure = 0.1_real64
  end function
  pure function speed(rho, p) result(c)
    !$acc routine seq
    real(real64), intent(in) :: rho, p
    real(real64) :: c
    c = 0
    if (rho <= 0) return
    c = sqrt(gamma*pressure(rho, p)/rho)
  end function
  real(real64) function weight(k) ! another one is in parts_m
    !$acc routine seq
    integer, intent(in) :: k
    weight = 1.0_real64/k
  end function
  real(real64) function halved(x, times) result(y)
    !$acc routine seq
    real(real64), value :: x
    integer, value :: times
    do while (times > 0)
      x = x/2
      times = times - 1
    end do
    y = x
  end function
  subroutine split(x, whole, part)
    !$acc routine seq
    real(real64), intent(in) :: x
    integer, intent(out) :: whole
    real(real64), intent(inout) :: part
    real(real64) :: work(3)
    integer :: i
    do i = 1, 3
      work(i) = x*i
    end do
    whole = int(work(1))
    part = part + (work(3) - work(2)) - whole
  end subroutine
end module

program routines
  use routines_m
  use parts_m
  implicit none
  integer, parameter :: n = 50
  real(real64) :: a(n), b(n), part
  integer :: k(n), i, whole
  external :: acc_scaled ! which is none of OpenACC's
  do i = 1, n
    a(i) = 0.1_real64*i - 0.5_real64
    b(i) = 3 - 0.03_real64*i
  end do
  !$acc parallel loop copyin(a) copy(b) copyout(k) private(part)
  do i = 1, n
    part = 0.25_real64
    call split(a(i)*7, whole, part)
    k(i) = whole
    b(i) = speed(a(i), b(i)) + pressure(a(i), part)
    call split(b(i)*2, k(i), b(i))
    b(i) = b(i) + halved(a(i), k(i)) + smooth(a(i), mod(i, 5))
    call parted(b(i), 3, part)
    b(i) = b(i) - part*weight(i) + edges(a(i:), -i, n - i + 1)
  end do
  call acc_scaled(b)
  print *, k
  print "(5z17)", transfer(b, [0_8])
end program

subroutine acc_scaled(b)
  double precision, intent(inout) :: b(50)
  integer :: i
  !$acc parallel loop
  do i = 1, 50
    b(i) = b(i)*1.5d0
  end do
end subroutine
