! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Regions of kernels whose loops depend on their order, or seem to; kinds of integers and logical values.
program order
  use, intrinsic :: iso_fortran_env, only: int8, int16, int64, real32, real64
  implicit none
  integer, parameter :: n = 60, m = 45
  real(real64) :: a(n), b(n), g(n, n), h(n, m), t, total
  integer :: idx(n), k(n), i, j, last, count
  call fill()
  !$acc kernels copy(a, b, g, h, k) copyin(idx)
  do i = 2, n
    a(i) = a(i - 1)*0.5_real64 + b(i)
  end do
  do i = 1, n
    b(idx(i)) = a(i) + i
  end do
  do j = 1, n
    do i = 1, n
      g(i, j) = g(j, i) + i - j
    end do
  end do
  do j = 1, m
    do i = 2, n
      h(i, j) = h(i - 1, j) + h(i, j)
    end do
  end do
  do j = 2, m
    do i = 1, n
      h(i, j) = h(i, j - 1)*0.25_real64 + h(i, j)
    end do
  end do
  do i = 1, n
    k(i) = i
    k(n + 1 - i) = 2*i
  end do
  !$acc end kernels
  print "(5z17)", transfer(a, [0_8]), transfer(b, [0_8])
  print "(5z17)", transfer(g(:, 7), [0_8]), transfer(h(:, 11), [0_8]), transfer(h(9, :), [0_8])
  print *, k
  total = 0.5_real64; last = -1; count = 0
  !$acc kernels copyin(a)
  do i = 1, n
    total = total + a(i)
    if (a(i) > 1) then
      last = i
      count = count + 1
    end if
  end do
  !$acc end kernels
  print "(z16.16, 2i6)", transfer(total, 0_8), last, count
  !$acc kernels copyin(b) copy(a)
  do i = 1, n
    if (i > 3) a(i) = t
    t = b(i)
  end do
  t = 0
  i = 1
  do while (i < n)
    if (a(i) > 4) then
      i = i + 3
      cycle
    end if
    a(i) = a(i) + 1
    i = i + 1
  end do
  !$acc end kernels
  print "(5z17)", transfer(a(4:), [0_8])
  call kinds()
  do i = 1, 4
    call branches(i, mod(i, 2) == 0, 0.5_real64)
  end do
contains
  !> Branches that the host takes, and branches that only the device knows.
  subroutine branches(way, both, least)
    integer, intent(in) :: way
    logical, intent(in) :: both
    real(real64), intent(in) :: least
    real(real64) :: x(n, m), y(0:n), s
    integer :: p, q
    x = way; y = least
    !$acc kernels copy(x, y)
    if (way == 1) then
      !$acc loop independent
      do q = 1, m
        !$acc loop independent private(s)
        do p = 1, n
          s = x(p, q) + p
          x(p, q) = s*s - q
        end do
      end do
    else if (way == 2) then
    else if (both) then
      if (size(y) > way) then
        !$acc loop independent
        do p = 1, n
          y(p) = y(p) + p
        end do
      end if
      y(0) = 3
      do p = 1, n
        y(p) = y(p) + y(p - 1)
      end do
    else
      y(2) = 7
    end if
    if (.not. both .and. least > 0) then
      do q = 1, m
        do p = 1, n
          x(p, q) = x(p, q)*0.5_real64 + y(p)
        end do
      end do
    end if
    if (y(2) > 5) then
      do p = 1, n
        y(p) = y(p)*2
      end do
    end if
    s = y(4)
    if (s > 6) then
      do p = 1, n
        y(p) = y(p) - s
      end do
    end if
    !$acc end kernels
    print "(5z17)", transfer(x(:, 3), [0_8]), transfer(y, [0_8]), transfer(s, 0_8)
  end subroutine
  subroutine fill()
    do i = 1, n
      a(i) = sin(1.0_real64*i); b(i) = cos(2.0_real64*i); idx(i) = 1 + mod(i*i, n); k(i) = -i
      g(i, :) = a(i)*[(j*0.1_real64, j=1, n)]
      h(i, :) = b(i)
    end do
    t = 9
  end subroutine
  subroutine kinds()
    integer(int8) :: s(n)
    integer(int16) :: w(n)
    integer(int64) :: l(n), huge_step
    logical :: f(n), all_true
    real(real32) :: r(n)
    integer :: p
    huge_step = 40000000000_int64
    do p = 1, n
      s(p) = int(p - 30, int8); w(p) = int(p*300, int16); l(p) = p; f(p) = btest(p, 1); r(p) = p*0.1
    end do
    all_true = .true.
    !$acc parallel loop copy(s, w, l, f, r) reduction(.and.:all_true)
    do p = 1, n
      s(p) = s(p)*2_int8 + 1_int8
      w(p) = w(p) - s(p)*2_int16 + mod(w(p), 7_int16)
      l(p) = l(p)*huge_step + w(p) - s(p)
      l(p) = ieor(l(p), ishft(l(p), -3)) + not(l(p))
      f(p) = f(p) .neqv. (l(p) > 5 .or. s(p) < 0 .and. w(p) /= 3)
      r(p) = r(p)*l(p) + real(w(p)) - r(p)**2/3 + int(r(p), int64)
      if (.not. f(p)) r(p) = aint(r(p)) + anint(r(p)/3)
      all_true = all_true .and. (f(p) .or. p > 2)
    end do
    print *, s, w
    print *, l
    print *, f, all_true
    print "(8z9)", transfer(r, [0])
  end subroutine
end program
