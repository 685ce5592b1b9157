/* Collapsed Gibbs sampling for LDA as one would write it down: the baseline for the speed of `merit topics --method lda`.
 *
 *   cc -O3 -march=native -o lda_plain benchmarks/lda_plain.c && ./lda_plain FILE.ldac TOPICS SWEEPS
 *
 * FILE.ldac has one line per document: "N word:count word:count ..." (Blei's format). Prints tokens a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: lda_plain FILE.ldac TOPICS SWEEPS\n"), 2;
    FILE *file = fopen(argv[1], "r");
    if (!file) return fprintf(stderr, "%s cannot be read\n", argv[1]), 1;
    int topics = atoi(argv[2]), sweeps = atoi(argv[3]), documents = 0, words = 0, terms;
    long tokens = 0, room = 1 << 20;
    int *word = malloc(room * sizeof *word), *document = malloc(room * sizeof *document);
    while (fscanf(file, "%d", &terms) == 1) {
        for (int i = 0, w, count; i < terms && fscanf(file, " %d:%d", &w, &count) == 2; i++) {
            if (w >= words) words = w + 1;
            for (int c = 0; c < count; c++, tokens++) {
                if (tokens == room) {
                    room *= 2;
                    word = realloc(word, room * sizeof *word), document = realloc(document, room * sizeof *document);
                }
                word[tokens] = w, document[tokens] = documents;
            }
        }
        documents++;
    }
    int *topic = malloc(tokens * sizeof *topic);
    int *by_word = calloc((long)words * topics, sizeof(int)), *by_document = calloc((long)documents * topics, sizeof(int));
    int *total = calloc(topics, sizeof(int));
    double *sums = malloc(topics * sizeof *sums), alpha = 50.0 / topics, beta = 0.1;
    srand48(1);
    for (long i = 0; i < tokens; i++) {
        int k = topic[i] = drand48() * topics;
        by_word[(long)word[i] * topics + k]++, by_document[(long)document[i] * topics + k]++, total[k]++;
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (long i = 0; i < tokens; i++) {
            int *of_word = by_word + (long)word[i] * topics, *in_document = by_document + (long)document[i] * topics;
            int k = topic[i];
            of_word[k]--, in_document[k]--, total[k]--;
            double sum = 0;
            for (int j = 0; j < topics; j++) {
                sum += (in_document[j] + alpha) * (of_word[j] + beta) / (total[j] + words * beta);
                sums[j] = sum;
            }
            double drawn = drand48() * sum;
            for (k = 0; k < topics - 1 && sums[k] <= drawn; k++) {}
            of_word[k]++, in_document[k]++, total[k]++;
            topic[i] = k;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec);
    printf("%ld tokens, %d topics: %.1f million tokens a second\n", tokens, topics, 1e-6 * tokens * sweeps / seconds);
    return 0;
}
