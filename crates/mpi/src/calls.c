/* The few calls of MPI that Merit makes, with types that do not depend on whose MPI it is.
 * A call that fails ends all processes: that is what MPI does unless told otherwise. */
#include <mpi.h>
#include <stdint.h>
#include <time.h>

/* 1 if threads may take turns in calling MPI, which is what Merit's pool of threads does. */
int merit_mpi_start(void) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    return level >= MPI_THREAD_SERIALIZED;
}

int merit_mpi_rank(void) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int merit_mpi_count(void) {
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

void merit_mpi_sum(uint64_t *values, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void merit_mpi_max(uint64_t *values, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

void merit_mpi_broadcast(unsigned char *bytes, int count, int from) {
    MPI_Bcast(bytes, count, MPI_BYTE, from, MPI_COMM_WORLD);
}

/* Waits until all processes are here, without keeping the processor busy. 0 if that took longer than so many
 * milliseconds; a negative number waits for ever. */
int merit_mpi_wait(long milliseconds) {
    static MPI_Request request;
    static int begun = 0;
    const struct timespec pause = {0, 5 * 1000 * 1000};
    int done = 0;
    if (!begun) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        begun = 1;
    }
    for (long waited = 0;; waited += 5) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done || (milliseconds >= 0 && waited > milliseconds)) {
            return done;
        }
        nanosleep(&pause, NULL);
    }
}

void merit_mpi_finish(void) { MPI_Finalize(); }

void merit_mpi_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
