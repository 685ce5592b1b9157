/* Two pure columns and their mixtures, factored from C:
 *
 *     cargo build --release -p merit-capi
 *     cc -I crates/capi/include crates/capi/examples/factor.c \
 *        -L target/release -lmerit_capi -o factor
 *     LD_LIBRARY_PATH=target/release ./factor
 */
#include <merit.h>
#include <stdio.h>

int main(void) {
    const char *settings = "rank=2; regularization=0.001; iterations=50";
    /* Two rows, four columns. */
    const double x[] = {1, 0, /**/ 0.5, 0.5, /**/ 0, 1, /**/ 0.25, 0.75};
    merit_run *run;
    if (merit_factor(x, 2, 4, settings, &run) != MERIT_OK) {
        fprintf(stderr, "%s\n", merit_last_error());
        return 1;
    }
    size_t anchors[2];
    double h[8];
    merit_anchors(run, anchors);
    merit_h(run, h);
    printf("Merit %s: anchors %zu and %zu\n", merit_version(), anchors[0], anchors[1]);
    for (int l = 0; l < 4; l++) {
        printf("column %d is %.2f and %.2f of them\n", l, h[2 * l], h[2 * l + 1]);
    }
    printf("objective %.4f, gap %.4f\n", merit_objective(run), merit_gap(run));
    printf("%zu nonzeros in C\n", merit_c_nonzeros(run));
    merit_free(run);
    return 0;
}
