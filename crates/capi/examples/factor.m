% Two pure columns and their mixtures, factored from Octave or MATLAB.
% How to build merit_factor is at the top of merit_factor.c.
X = [1 0.5 0 0.25; 0 0.5 1 0.75];
[anchors, W, H, info] = merit_factor(X, 2, 'regularization=0.001; iterations=50');
fprintf('anchors %d and %d\n', anchors);
fprintf('column %d is %.2f and %.2f of them\n', [1:4; H]);
fprintf('objective %.4f, gap %.4f\n', info.objective, info.gap);
