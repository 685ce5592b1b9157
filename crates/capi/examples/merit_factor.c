/* Merit for Octave and MATLAB, as a MEX file:
 *
 *     [anchors, W, H, info] = merit_factor(X, K)
 *     [anchors, W, H, info] = merit_factor(X, K, 'iterations=200; method=spa')
 *
 * X has a sample in each column, K is the number of anchors ([] estimates it), and the third argument has settings of `merit factor`
 * as in merit.h. Anchors count from 1, so W is X(:, anchors), and X is close to W * H. info has the fields objective, gap and notes;
 * without it, notes are shown as a warning. In Octave (mkoctfile comes with the package octave-dev) or MATLAB:
 *
 *     mex -Icrates/capi/include crates/capi/examples/merit_factor.c -Ltarget/release -lmerit_capi
 *
 * The library must be found when Octave starts: LD_LIBRARY_PATH=target/release octave
 */
#include <merit.h>
#include <mex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings as text: K in front of those that the caller gives. */
static char *settings(int given, const mxArray *arguments[]) {
    char rank[64] = "";
    char *more = NULL, *all;
    if (given > 1 && !mxIsEmpty(arguments[1])) {
        if (!mxIsNumeric(arguments[1]) || mxGetNumberOfElements(arguments[1]) != 1)
            mexErrMsgIdAndTxt("merit:usage", "K, the number of anchors, must be a number or []");
        snprintf(rank, sizeof rank, "rank=%.17g;", mxGetScalar(arguments[1]));
    }
    if (given > 2) {
        if (!mxIsChar(arguments[2]) || !(more = mxArrayToString(arguments[2])))
            mexErrMsgIdAndTxt("merit:usage", "settings must be text, as 'iterations=200; method=spa'");
    }
    all = mxCalloc(strlen(rank) + (more ? strlen(more) : 0) + 1, 1);
    strcat(strcat(all, rank), more ? more : "");
    return all;
}

static mxArray *info(const merit_run *run) {
    const char *names[] = {"objective", "gap", "notes"};
    mxArray *fields = mxCreateStructMatrix(1, 1, 3, names);
    mxSetField(fields, 0, "objective", mxCreateDoubleScalar(merit_objective(run)));
    mxSetField(fields, 0, "gap", mxCreateDoubleScalar(merit_gap(run)));
    mxSetField(fields, 0, "notes", mxCreateString(merit_notes(run)));
    return fields;
}

void mexFunction(int wanted, mxArray *results[], int given, const mxArray *arguments[]) {
    merit_run *run;
    size_t rows, cols, rank, i;
    size_t *anchors;
    int code;
    if (given < 1 || given > 3 || wanted > 4)
        mexErrMsgIdAndTxt("merit:usage", "type [anchors, W, H, info] = merit_factor(X, K, settings)");
    if (!mxIsDouble(arguments[0]) || mxIsComplex(arguments[0]) || mxIsSparse(arguments[0])
        || mxGetNumberOfDimensions(arguments[0]) != 2)
        mexErrMsgIdAndTxt("merit:usage", "X must be a full real matrix of doubles, as double(full(X)) gives it");
    rows = mxGetM(arguments[0]);
    cols = mxGetN(arguments[0]);
    code = merit_factor(mxGetPr(arguments[0]), rows, cols, settings(given, arguments), &run);
    if (code != MERIT_OK)
        mexErrMsgIdAndTxt(code == MERIT_BAD_DATA ? "merit:data" : code == MERIT_BAD_SETTING ? "merit:usage" : "merit:internal",
                          "%s", merit_last_error());
    rank = merit_rank(run);
    anchors = mxMalloc((rank + 1) * sizeof *anchors);
    merit_anchors(run, anchors);
    results[0] = mxCreateDoubleMatrix(1, rank, mxREAL);
    for (i = 0; i < rank; i++) mxGetPr(results[0])[i] = (double)anchors[i] + 1;
    if (wanted > 1) merit_w(run, mxGetPr(results[1] = mxCreateDoubleMatrix(rows, rank, mxREAL)));
    if (wanted > 2) merit_h(run, mxGetPr(results[2] = mxCreateDoubleMatrix(rank, cols, mxREAL)));
    if (wanted > 3)
        results[3] = info(run);
    else if (*merit_notes(run))
        mexWarnMsgIdAndTxt("merit:note", "%s", merit_notes(run));
    merit_free(run);
}
