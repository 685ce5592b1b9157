/* Merit: separable nonnegative matrix factorization, exact and certified.
 *
 * X (rows x cols) holds a sample in each column, column after column, as in Fortran, MATLAB and Julia. Merit finds the few
 * columns that all others are mixtures of (anchors, numbered from 0), and the weights: X is close to W H with W = X(:, anchors).
 *
 *     merit_run *run;
 *     if (merit_factor(x, rows, cols, "rank=10; iterations=200", &run) != MERIT_OK)
 *         fprintf(stderr, "%s\n", merit_last_error());
 *     else {
 *         size_t anchors[10];
 *         merit_anchors(run, anchors);
 *         merit_free(run);
 *     }
 *
 * Settings are `name=value`, separated by semicolons: those of `merit factor --help`, with underscores. Every function may be
 * called from several threads at once, except on a run that is being freed. Nothing is printed.
 */

#ifndef MERIT_H
#define MERIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function that can fail returns. */
enum {
    MERIT_OK = 0,
    MERIT_BAD_DATA = 1,     /* the matrix: empty, not finite, out of range */
    MERIT_BAD_SETTING = 2,  /* a setting or an argument */
    MERIT_INTERNAL = 3      /* a defect of Merit; please report it */
};

/* What was found. */
typedef struct merit_run merit_run;

/* Anchors, W, H and, for the methods merit and exact, C with its bounds. `settings` may be NULL: all have defaults. */
int merit_factor(const double *x, size_t rows, size_t cols, const char *settings, merit_run **run);

/* The convex problem alone, at this lambda: C with its bounds, no anchors and no weights. */
int merit_solve(const double *x, size_t rows, size_t cols, double lambda, const char *settings, merit_run **run);

/* Number of anchors; 0 for a run of merit_solve. */
size_t merit_rank(const merit_run *run);

/* The anchors: merit_rank numbers. */
void merit_anchors(const merit_run *run, size_t *anchors);

/* W, rows x rank, and H, rank x cols, column after column. */
void merit_w(const merit_run *run, double *w);
void merit_h(const merit_run *run, double *h);

/* The objective at C, and how far above the optimum it is at most; NaN where that is not known. */
double merit_objective(const merit_run *run);
double merit_gap(const merit_run *run);

/* C by columns, as scipy.sparse.csc_array has it: cols + 1 starts, and a row (from 0) and a value for each of the nonzeros. */
size_t merit_c_nonzeros(const merit_run *run);
void merit_c(const merit_run *run, size_t *starts, uint32_t *rows, double *values);

/* What the user should know, a line for each note. Lives as long as the run. */
const char *merit_notes(const merit_run *run);

/* Frees a run; NULL is nothing to free. */
void merit_free(merit_run *run);

/* What went wrong in the last call on this thread that did not return MERIT_OK. Lives until the next such call. */
const char *merit_last_error(void);

/* The version, as 0.1.0. */
const char *merit_version(void);

#ifdef __cplusplus
}
#endif

#endif
