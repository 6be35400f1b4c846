! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Loops that are shared out: bounds, steps, levels, private and reductions. Prints all results.
program nests
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: n = 37, m = 23
  real(real64) :: a(0:n + 1, -2:m), b(0:n + 1, -2:m)
  real(real32) :: s(n)
  integer :: k(n), i, j
  integer(int64) :: wide(n)
  logical :: flags(n)

  do j = -2, m
    do i = 0, n + 1
      a(i, j) = sin(0.37_real64*i)*cos(0.21_real64*j) + 0.01_real64*i
    end do
  end do
  b = 0
  do i = 1, n
    s(i) = 1.0/real(i) - 0.3*real(mod(i, 5))
    k(i) = mod(i*7919, 1013) - 500
    wide(i) = int(k(i), int64)*123456789_int64
    flags(i) = mod(i, 3) == 0
  end do
  call smooth(a, b, n, m)
  call show("smooth", b)
  call strided(b, n)
  call show("strided", b)
  call sums(k, s, n)
  call levels(a, b, n, m)
  call firsts(a(:, 1), n)
  call show("levels", b)
  call numbers(k, wide, s, flags, n)
  call privates(a, n, m)
  call inner(a, b, n, m)
  call show("inner", b)
  call nothing(b, 5, 3)
  call show("nothing", b)

contains

  subroutine show(name, x)
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: x(:, :)
    integer(int64) :: bits
    integer :: p, q
    bits = 0
    do q = 1, size(x, 2)
      do p = 1, size(x, 1)
        bits = ieor(ishftc(bits, 7), transfer(x(p, q), bits))
      end do
    end do
    print "(a, 1x, z16.16)", name, bits
  end subroutine

  subroutine smooth(u, v, nx, ny)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, -2:ny)
    real(real64), intent(inout) :: v(0:nx + 1, -2:ny)
    real(real64) :: worst
    integer :: p, q
    worst = -1
    !$acc parallel loop collapse(2) reduction(max:worst) copyin(u) copy(v)
    do q = -1, ny - 1
      do p = 1, nx
        v(p, q) = 0.25_real64*(u(p - 1, q) + u(p + 1, q) + u(p, q - 1) + u(p, q + 1))
        worst = max(worst, abs(v(p, q) - u(p, q)))
      end do
    end do
    print "(a, 1x, z16.16)", "worst", transfer(worst, 0_int64)
  end subroutine

  subroutine strided(v, nx)
    integer, intent(in) :: nx
    real(real64), intent(inout) :: v(0:, -2:)
    integer :: p, step
    step = 3
    !$acc parallel loop gang vector
    do p = nx, 1, -step
      v(p, 0) = v(p, 0)*1.5_real64 + p
    end do
    !$acc kernels loop independent copy(v)
    do p = 2, nx, 2
      v(p, 1) = v(p, 1) - p**3/(p + 1)
    end do
  end subroutine

  subroutine sums(k, s, nx)
    integer, intent(in) :: nx
    integer, intent(in) :: k(nx)
    real(real32), intent(in) :: s(nx)
    integer :: total, bits, both, differ, product
    real(real32) :: least
    logical :: all_small, any_large
    integer :: p
    total = 100; bits = 0; both = -1; differ = 5; product = 1; least = 10; all_small = .true.; any_large = .false.
    !$acc parallel loop reduction(+:total) reduction(ior:bits) reduction(iand:both) reduction(ieor:differ)
    do p = 1, nx
      total = total + k(p)
      bits = ior(bits, k(p))
      both = iand(both, k(p))
      differ = ieor(differ, k(p))
    end do
    !$acc parallel loop reduction(min:least) reduction(*:product) reduction(.and.:all_small) &
    !$acc   reduction(.or.:any_large)
    do p = 1, nx
      least = min(least, s(p))
      product = product*merge(1, -1, k(p) > 0)
      all_small = all_small .and. abs(k(p)) < 400
      any_large = any_large .or. k(p) > 480
    end do
    print *, total, bits, both, differ, product, all_small, any_large
    print "(z8.8)", transfer(least, 0)
  end subroutine

  subroutine levels(u, v, nx, ny)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, -2:ny)
    real(real64), intent(inout) :: v(0:nx + 1, -2:ny)
    real(real64) :: row
    integer :: p, q
    !$acc parallel num_gangs(8) vector_length(32) copyin(u) copy(v)
    !$acc loop gang private(row)
    do q = 0, ny
      row = 0
      !$acc loop seq
      do p = 1, nx
        row = row + u(p, q)
      end do
      !$acc loop vector
      do p = 1, nx
        v(p, q) = u(p, q)/(1 + row*row)
      end do
    end do
    !$acc loop gang
    do q = -2, ny
      !$acc loop vector
      do p = 0, nx + 1
        v(p, q) = v(p, q) + 1
      end do
    end do
    !$acc end parallel
  end subroutine

  subroutine numbers(k, wide, s, flags, nx)
    integer, intent(in) :: nx
    integer, intent(inout) :: k(nx)
    integer(int64), intent(inout) :: wide(nx)
    real(real32), intent(inout) :: s(nx)
    logical, intent(inout) :: flags(nx)
    integer :: p
    real(real64), parameter :: third = 1.0_real64/3
    real(real64) :: d(nx)
    integer(int64) :: bits
    !$acc parallel loop
    do p = 1, nx
      k(p) = mod(k(p), 7) + modulo(k(p), 11)*sign(3, k(p)) + dim(p, 5)
      wide(p) = wide(p)/3 + k(p)*p
      flags(p) = (flags(p) .eqv. k(p) > 0) .or. (.not. flags(p) .and. p > 10)
      d(p) = third*nint(s(p)*10) + int(s(p)*7)**2 + real(p, real64)**5 - 2.5_real64**p
      s(p) = sqrt(abs(s(p))) + exp(s(p)) + s(p)**3 + s(p)**(-2) + mod(s(p), 0.2) + modulo(s(p), 0.3)
      if (p > 20 .and. d(p) > 0) then
        d(p) = -d(p)**4 + atan2(d(p), 2.0_real64) + sign(d(p), -1.0_real64)**7
      else if (p == 3) then
        d(p) = d(p)**6 + d(p)**9 + 3.0_real64**(-p) + d(p)**0.3_real64 + max(d(p), 1.0_real64*p, 4.0_real64)
      else
        d(p) = log(abs(d(p)) + 1) + floor(d(p)*1.0e-9_real64) + ceiling(s(p)) + iand(p, 6) + ior(p, 1) + ieor(p, 3)
      end if
    end do
    print *, k
    print *, wide
    print *, flags
    bits = 0
    do p = 1, nx
      bits = ieor(ishftc(bits, 5), transfer(d(p), bits) + transfer(s(p), 0))
    end do
    print "(z16.16)", bits
  end subroutine

  subroutine privates(u, nx, ny)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, -2:ny)
    real(real64) :: w(0:2), out(nx), shift
    integer :: p, q
    shift = 0.125_real64
    !$acc parallel loop private(w) firstprivate(shift) copyin(u) copyout(out)
    do p = 1, nx
      do q = 0, 2
        w(q) = u(p, q) + shift
      end do
      out(p) = w(0)*w(1) - w(2)
      do while (out(p) > 1)
        out(p) = out(p) - 0.5_real64
      end do
      do q = 1, 100
        if (mod(q, 2) == 0) cycle
        if (out(p) > 3) exit
        out(p) = out(p) + 0.25_real64*q
      end do
      out(p) = out(p) + q
    end do
    print "(4z17)", transfer(out, [0_int64])
  end subroutine

  subroutine firsts(u, nx) ! each iteration begins with what the host had
    integer, intent(in) :: nx
    real(real64), intent(in) :: u(0:nx + 1)
    real(real64) :: w(-1:1, 2), out(nx)
    logical :: odd(0:3)
    integer :: turns(4), p, q
    w = reshape([1, 2, 3, 4, 5, 6], [3, 2])/8.0_real64
    odd = [.false., .true., .false., .true.]
    turns = [3, 1, 4, 1]
    !$acc data copyin(u) copyout(out)
    !$acc parallel loop firstprivate(w, odd, turns)
    do p = 1, nx
      odd(mod(p, 4)) = .not. odd(mod(p, 4))
      turns(2) = turns(2) + p
      out(p) = (sum(w(:, 2)) + u(p))*turns(2)*w(-1, 1)
      if (odd(1)) out(p) = -out(p)
      turns(2) = turns(2) - p ! as the host, whose iterations share it
      odd(mod(p, 4)) = .not. odd(mod(p, 4))
    end do
    w(1, 1) = 7
    !$acc parallel loop gang firstprivate(w) private(turns)
    do p = 1, nx
      do q = 1, 4
        turns(q) = q*p
      end do
      w(1, 1) = w(1, 1) + turns(3)
      out(p) = out(p) + w(1, 1)
      w(1, 1) = w(1, 1) - turns(3)
    end do
    !$acc end data
    print "(4z17)", transfer(out, [0_int64])
    print *, w, odd
  end subroutine

  subroutine inner(u, v, nx, ny)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, -2:ny)
    real(real64), intent(inout) :: v(0:nx + 1, -2:ny)
    integer :: p, q, last
    !$acc parallel loop private(last)
    do q = 0, ny
      last = q
      do p = 1, last
        last = 1
        v(p, q) = u(p, q) + p
      end do
      rows: do p = nx, 1, -1
        do last = 1, 3
          if (p*last > 60) exit rows
          v(p, q) = v(p, q) + last
        end do
      end do rows
    end do
  end subroutine

  subroutine nothing(v, first, last)
    real(real64), intent(inout) :: v(0:, -2:)
    integer, intent(in) :: first, last
    integer :: p, q, total
    total = 4
    !$acc parallel loop collapse(2) reduction(+:total)
    do q = first, last
      do p = 1, 10
        v(p, q) = -1
        total = total + 1
      end do
    end do
    !$acc parallel loop reduction(+:total)
    do p = first, last
      v(p, 0) = -2
      total = total + 1
    end do
    print *, total
  end subroutine

end program
