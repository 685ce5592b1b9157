# Two pure columns and their mixtures, factored from Julia:
#
#     cargo build --release --package merit-capi
#     LD_LIBRARY_PATH=target/release julia crates/capi/examples/factor.jl
using Printf

const library = "libmerit_capi"

"""
Anchors (counted from 1), W and H of a matrix with a sample in each column,
and the objective with its gap. `merit.h` explains the settings.
"""
function merit_factor(X::Matrix{Float64}, settings::String)
    rows, cols = size(X)
    run = Ref{Ptr{Cvoid}}()
    code = ccall((:merit_factor, library), Cint,
                 (Ptr{Float64}, Csize_t, Csize_t, Cstring, Ref{Ptr{Cvoid}}),
                 X, rows, cols, settings, run)
    if code != 0
        error(unsafe_string(ccall((:merit_last_error, library), Cstring, ())))
    end
    try
        rank = ccall((:merit_rank, library), Csize_t, (Ptr{Cvoid},), run[])
        anchors = Vector{Csize_t}(undef, rank)
        W = Matrix{Float64}(undef, rows, rank)
        H = Matrix{Float64}(undef, rank, cols)
        ccall((:merit_anchors, library), Cvoid, (Ptr{Cvoid}, Ptr{Csize_t}),
              run[], anchors)
        ccall((:merit_w, library), Cvoid, (Ptr{Cvoid}, Ptr{Float64}), run[], W)
        ccall((:merit_h, library), Cvoid, (Ptr{Cvoid}, Ptr{Float64}), run[], H)
        f = ccall((:merit_objective, library), Float64, (Ptr{Cvoid},), run[])
        gap = ccall((:merit_gap, library), Float64, (Ptr{Cvoid},), run[])
        return (anchors = Int.(anchors) .+ 1, W = W, H = H, objective = f, gap = gap)
    finally
        ccall((:merit_free, library), Cvoid, (Ptr{Cvoid},), run[])
    end
end

X = [1 0.5 0 0.25; 0 0.5 1 0.75]
found = merit_factor(X, "rank=2; regularization=0.001; iterations=50")
@printf("anchors %d and %d\n", found.anchors...)
for l in 1:4
    @printf("column %d is %.2f and %.2f of them\n", l, found.H[:, l]...)
end
@printf("objective %.4f, gap %.4f\n", found.objective, found.gap)
