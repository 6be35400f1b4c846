! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Arrays as a whole, sections, where, select case, sums, and atomics.
program arrays
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none
  integer, parameter :: n = 41
  call whole_arrays(n)
  call sections(n)
  call masks(n)
  call reductions(n)
  call atomics(n)
  call shifts(n)
  call no_numbers(0.0)
contains

  subroutine whole_arrays(n)
    integer, intent(in) :: n
    real(real64) :: a(n, 3), b(n, 3), c(0:n - 1, 3)
    real(real64) :: scale
    integer :: i
    do i = 1, n
      a(i, :) = [1.0_real64/i, sin(1.0_real64*i), i*0.5_real64]
    end do
    b = 0; c = 1
    scale = 0.3_real64
    !$acc kernels copyin(a) copy(b, c)
    b = a*scale + 2
    c = sqrt(abs(a)) + b**2
    b(:, 2) = c(:, 1) - a(:, 3)
    b(2:n - 1, 3) = 0.5_real64*(c(0:n - 3, 2) + c(2:n - 1, 2))
    !$acc end kernels
    print "(5z17)", transfer(b, [0_8])
    print "(5z17)", transfer(c, [0_8])
  end subroutine

  subroutine sections(n)
    integer, intent(in) :: n
    integer :: k(-3:n, 4), l(n)
    integer :: i, j
    do j = 1, 4
      do i = -3, n
        k(i, j) = i*j - mod(i, 4)
      end do
    end do
    l = 0
    !$acc parallel loop copy(k, l)
    do i = 1, n
      k(i, 2:4) = k(i, 1)*k(i - 1, 1) + i
      l(i) = sum(k(i, :)) + dot_product(k(i, 1:3), k(i, 2:4))
    end do
    print *, k(:, 3), l
    !$acc kernels copy(l) copyin(k)
    l(1:n:3) = k(2:n:3, 2)*2
    l(n:2:-2) = -7
    !$acc end kernels
    print *, l
  end subroutine

  subroutine masks(n)
    integer, intent(in) :: n
    real(real32) :: x(n), y(n)
    integer :: kind(n), i
    do i = 1, n
      x(i) = 0.1*mod(i*17, 23) - 1
      kind(i) = mod(i, 6)
    end do
    y = 3
    !$acc kernels copyin(x) copy(y)
    where (x > 0)
      y = sqrt(x)
    elsewhere (x < -0.5)
      y = y - x
    elsewhere
      y = -1
    end where
    where (y > 1.2) y = y/2
    !$acc end kernels
    !$acc parallel loop copyin(kind) copy(y)
    do i = 1, n
      select case (kind(i))
      case (0)
        y(i) = y(i) + 1
      case (2:3, 5)
        y(i) = y(i)*4
      case default
        y(i) = -y(i)
      end select
    end do
    print "(8z9)", transfer(y, [0])
  end subroutine

  subroutine reductions(n)
    integer, intent(in) :: n
    real(real64) :: u(n, n), rows(n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        u(i, j) = cos(0.1_real64*i*j)
      end do
    end do
    !$acc parallel loop copyin(u) copyout(rows)
    do j = 1, n
      rows(j) = sum(u(:, j)) + sum(u(1:j, j)*u(j, 1:j)) - dot_product(u(:, j), u(j, :)) + product(u(1:3, j))
    end do
    print "(5z17)", transfer(rows, [0_8])
  end subroutine

  subroutine atomics(n)
    integer, intent(in) :: n
    integer :: bins(0:6), count, least, place(n), order(n), old
    real(real64) :: total(2)
    integer :: i
    bins = 0; count = 0; least = 1000; total = 0; order = 0
    !$acc parallel loop copy(bins, count, least, total) copyout(place) copy(order)
    do i = 1, n
      !$acc atomic update
      bins(mod(i*i, 7)) = bins(mod(i*i, 7)) + 1
      !$acc atomic
      least = min(least, mod(i*31, 37))
      !$acc atomic update
      total(1) = total(1) + 0.5_real64*i
      !$acc atomic capture
      old = count
      count = count + 1
      !$acc end atomic
      place(i) = old
      !$acc atomic write
      order(1 + mod(i, 1)) = 12
    end do
    print *, bins, count, least, total, sum(place), order(1)
  end subroutine

  !> Sections of one array on both sides, scalars of the host, and a directive after a tab.
  subroutine shifts(n)
    integer, intent(in) :: n
    integer :: u(0:n, n), v(n), least, i, now
    now = 3
    do i = 1, n
      u(:, i) = mod(i*[(now + i, now=0, n)], 17)
      v(i) = mod(i*i, 23)
    end do
    now = 5 + now
    !$acc kernels copy(u, v)
    u(:, 1) = u(:, n - 3)
    u(2, :) = u(n - 1, :) + 1
    u(1:n, 2:n) = u(0:n - 1, 2:n)
    u(1:n - 2, 1:n - 1) = u(3:n, 2:n) + u(1:n - 2, 2:n)
    v(1:n - 1) = v(2:n) + v(1:n - 1)
    v(3:n) = v(1:n - 2) + minval(u(:, 4))
    v(2) = maxval(v(5:n)) - maxval(v(1:0)) / 2
    !$acc end kernels
	!$acc parallel loop copy(u, v)
    do i = 1, n
      if (sum(u(:, i)) > 200) v(modulo(sum(u(:, i)), n) + 1) = 9
    end do
    !$acc kernels copyin(u) copy(v)
    !$acc loop independent private(least)
    do i = 2, n - 1
      now = u(i, i)
      least = maxval(u(i - 1:i + 1, i))
      v(i) = v(i) + now + least
    end do
    !$acc end kernels
    print *, u
    print *, v
  end subroutine
  subroutine no_numbers(zero) ! infinities and NaN
    real, value :: zero
    real :: x(3), y(3), found(4)
    integer :: n
    n = 0
    x = -1/zero
    y = zero/zero
    !$acc kernels copyin(x, y) copyout(found)
    found(1) = maxval(x)
    found(2) = maxval(y)
    found(3) = minval(-x)
    found(4) = maxval(x(1:n))
    !$acc end kernels
    print *, found
    y(2) = 3
    !$acc kernels copyin(y) copyout(found)
    found(1:2) = minval(y)
    found(3:4) = maxval(y)
    !$acc end kernels
    print *, found
  end subroutine
end program
