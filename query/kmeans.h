/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of vectors: k-means. */
#ifndef WARD_QUERY_KMEANS_H
#define WARD_QUERY_KMEANS_H

#include <stdbool.h>
#include <stddef.h>

enum { KMEANS_ROUNDS = 100 };

/*
 * Put n vectors of `width` numbers, one behind the other, into at most k clusters. cluster[i] is the number of i's,
 * counted from 0 in the order of the first vector of each; centres has room for k vectors, sizes for k numbers. Returns
 * how many clusters there are: fewer than k if there are fewer different vectors. -1: no memory. The same vectors give
 * the same clusters.
 */
long kmeans(const double *vectors, size_t n, size_t width, size_t k, size_t *cluster, double *centres, size_t *sizes);

#endif
