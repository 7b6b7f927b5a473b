/* A reference for the triad of `ridgewatt microbench`: the rules of STREAM (McCalpin 1995) in plain
 * C, without ridgewatt. The arrays are at least four times as large as the last-level cache, and
 * the best of many repetitions counts. An element counts as 24 bytes (32 bytes move if a store
 * first reads its cache line).
 *
 *   cc -O3 -march=native -fopenmp bench/stream_triad.c -o stream_triad && ./stream_triad
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 22369621; /* 3 arrays: 512 MiB */
  double* a = malloc(sizeof *a * (size_t)count);
  double* b = malloc(sizeof *b * (size_t)count);
  double* c = malloc(sizeof *c * (size_t)count);
  double best_s = 1e9;
  long i;
  int repeat;
  if (a == NULL || b == NULL || c == NULL) return 1;
#pragma omp parallel for
  for (i = 0; i < count; ++i) {
    a[i] = 0;
    b[i] = 1;
    c[i] = 2;
  }
  for (repeat = 0; repeat < 40; ++repeat) {
    const double start_s = omp_get_wtime();
#pragma omp parallel for
    for (i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
    if (omp_get_wtime() - start_s < best_s) best_s = omp_get_wtime() - start_s;
  }
  for (i = 0; i < count; ++i) {
    if (a[i] != 7) return 1;
  }
  printf("%.2f GB/s, best of 40, %d threads\n", 24.0 * (double)count / best_s / 1e9,
         omp_get_max_threads());
  return 0;
}
