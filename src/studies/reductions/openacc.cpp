// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openacc/reduction_shape.hpp"
#include "studies/reductions/reductions.hpp"

using gangway::reductions::Operator;
using gangway::reductions::Result;
using gangway::reductions::Type;
using gangway::reductions::with_type;

namespace {

template <class T>
void sum(long n, const T* values, Result* result) {
  T total = 0;
#pragma acc parallel loop gang vector reduction(+ : total) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    total += values[i];
  *result = {Operator::sum, static_cast<double>(total)};
}

template <class T>
void product(long n, const T* values, Result* result) {
  T total = 1;
#pragma acc parallel loop gang vector reduction(* : total) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    total *= values[i];
  *result = {Operator::product, static_cast<double>(total)};
}

template <class T>
void logical_and(long n, const T* values, Result* result) {
  int all = 1;
#pragma acc parallel loop gang vector reduction(&& : all) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    all = all && values[i] != 0;
  *result = {Operator::logical_and, static_cast<double>(all)};
}

template <class T>
void logical_or(long n, const T* values, Result* result) {
  int any = 0;
#pragma acc parallel loop gang vector reduction(|| : any) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    any = values[i] != 0 || any; // every value is read, also when the answer is known
  *result = {Operator::logical_or, static_cast<double>(any)};
}

void bit_and(long n, const int* values, Result* result) {
  int bits = ~0;
#pragma acc parallel loop gang vector reduction(& : bits) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    bits &= values[i];
  *result = {Operator::bit_and, static_cast<double>(bits)};
}

void bit_or(long n, const int* values, Result* result) {
  int bits = 0;
#pragma acc parallel loop gang vector reduction(| : bits) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    bits |= values[i];
  *result = {Operator::bit_or, static_cast<double>(bits)};
}

void bit_xor(long n, const int* values, Result* result) {
  int bits = 0;
#pragma acc parallel loop gang vector reduction(^ : bits) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    bits ^= values[i];
  *result = {Operator::bit_xor, static_cast<double>(bits)};
}

template <class T>
void max(long n, const T* values, Result* result) {
  T found = gangway::reductions::least<T>;
#pragma acc parallel loop gang vector reduction(max : found) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    found = values[i] > found ? values[i] : found;
  *result = {Operator::max, static_cast<double>(found)};
}

template <class T>
void min(long n, const T* values, Result* result) {
  T found = gangway::reductions::largest<T>;
#pragma acc parallel loop gang vector reduction(min : found) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    found = values[i] < found ? values[i] : found;
  *result = {Operator::min, static_cast<double>(found)};
}

/// The sum by few gangs of many threads.
template <class T>
void team(long n, const T* values, Result* result) {
  using namespace gangway::openacc;
  const int gangs = gangs_for_reduction(n, 64, 256);
  T total = 0;
#pragma acc parallel loop gang worker vector num_gangs(gangs) num_workers(workers)                 \
    vector_length(lanes) reduction(+ : total) copyin(values[0 : n])
  for (long i = 0; i < n; ++i)
    total += values[i];
  *result = {Operator::sum, static_cast<double>(total)};
}

} // namespace

extern "C" {

bool gangway_reductions_sum(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { sum(n, typed, result); });
}

bool gangway_reductions_product(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { product(n, typed, result); });
}

bool gangway_reductions_logical_and(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { logical_and(n, typed, result); });
}

bool gangway_reductions_logical_or(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { logical_or(n, typed, result); });
}

bool gangway_reductions_bit_and(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const int* typed) { bit_and(n, typed, result); });
}

bool gangway_reductions_bit_or(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const int* typed) { bit_or(n, typed, result); });
}

bool gangway_reductions_bit_xor(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const int* typed) { bit_xor(n, typed, result); });
}

bool gangway_reductions_max(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { max(n, typed, result); });
}

bool gangway_reductions_min(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { min(n, typed, result); });
}

bool gangway_reductions_team(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { team(n, typed, result); });
}

} // extern "C"
