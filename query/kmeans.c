/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lloyd's algorithm, from centres that k-means++ chooses: the first by chance, each other one with a probability in
 * proportion to the square of its distance to the nearest centre so far. The generator has a fixed seed.
 */
#include "kmeans.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct clusters {
	const double *vectors;
	size_t n, width, k;
	size_t *cluster;
	double *centres;
	size_t *sizes;
	double *nearest; /* the square of each vector's distance to its centre */
	uint64_t random;
};

static double next_random(struct clusters *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return (double)(c->random >> 11) / 0x1p53;
}

static double distance(const double *a, const double *b, size_t width)
{
	double sum = 0;

	for (size_t i = 0; i < width; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static const double *vector_at(const struct clusters *c, size_t i)
{
	return c->vectors + i * c->width;
}

static void add_centre(struct clusters *c, size_t vector)
{
	double *centre = c->centres + c->k * c->width;

	memcpy(centre, vector_at(c, vector), c->width * sizeof(*centre));
	for (size_t i = 0; i < c->n; i++) {
		double d = distance(vector_at(c, i), centre, c->width);

		if (c->k == 0 || d < c->nearest[i]) {
			c->nearest[i] = d;
			c->cluster[i] = c->k;
		}
	}
	c->k++;
}

/* Fewer than `most` if no vector is left that isn't a centre. */
static void choose_centres(struct clusters *c, size_t most)
{
	add_centre(c, (size_t)(next_random(c) * (double)c->n));
	while (c->k < most) {
		double total = 0, point;
		size_t chosen = c->n;

		for (size_t i = 0; i < c->n; i++)
			total += c->nearest[i];
		if (!(total > 0))
			return;
		point = next_random(c) * total;
		for (size_t i = 0; i < c->n; i++) {
			if (!(c->nearest[i] > 0))
				continue;
			chosen = i; /* rounding may leave a rest: then it is the last one */
			point -= c->nearest[i];
			if (point < 0)
				break;
		}
		add_centre(c, chosen);
	}
}

/* Each centre becomes the mean of its vectors. One without vectors stays where it is. */
static void move_centres(struct clusters *c)
{
	memset(c->sizes, 0, c->k * sizeof(*c->sizes));
	for (size_t i = 0; i < c->n; i++)
		c->sizes[c->cluster[i]]++;
	for (size_t j = 0; j < c->k; j++)
		if (c->sizes[j])
			memset(c->centres + j * c->width, 0, c->width * sizeof(*c->centres));
	for (size_t i = 0; i < c->n; i++)
		for (size_t x = 0; x < c->width; x++)
			c->centres[c->cluster[i] * c->width + x] += vector_at(c, i)[x];
	for (size_t j = 0; j < c->k; j++)
		for (size_t x = 0; c->sizes[j] && x < c->width; x++)
			c->centres[j * c->width + x] /= (double)c->sizes[j];
}

/* Each vector goes to its nearest centre. Returns whether one has moved. */
static bool assign_vectors(struct clusters *c)
{
	bool moved = false;

	for (size_t i = 0; i < c->n; i++) {
		size_t best = c->cluster[i];
		double least = distance(vector_at(c, i), c->centres + best * c->width, c->width);

		for (size_t j = 0; j < c->k; j++) {
			double d = distance(vector_at(c, i), c->centres + j * c->width, c->width);

			if (d < least) {
				least = d;
				best = j;
			}
		}
		moved |= best != c->cluster[i];
		c->cluster[i] = best;
	}
	return moved;
}

/* Numbers in the order of their first vectors; clusters without vectors go. */
static bool renumber(struct clusters *c)
{
	size_t *number = malloc(c->k * sizeof(*number)), found = 0;
	double *centres = malloc(c->k * c->width * sizeof(*centres) + 1);

	if (!number || !centres) {
		free(number);
		free(centres);
		return false;
	}
	for (size_t j = 0; j < c->k; j++)
		number[j] = SIZE_MAX;
	for (size_t i = 0; i < c->n; i++) {
		size_t *to = &number[c->cluster[i]];

		if (*to == SIZE_MAX) {
			memcpy(centres + found * c->width, c->centres + c->cluster[i] * c->width,
				c->width * sizeof(*centres));
			*to = found++;
		}
		c->cluster[i] = *to;
	}
	memcpy(c->centres, centres, found * c->width * sizeof(*centres));
	c->k = found;
	memset(c->sizes, 0, c->k * sizeof(*c->sizes));
	for (size_t i = 0; i < c->n; i++)
		c->sizes[c->cluster[i]]++;
	free(number);
	free(centres);
	return true;
}

long kmeans(const double *vectors, size_t n, size_t width, size_t k, size_t *cluster, double *centres, size_t *sizes)
{
	struct clusters c = {.vectors = vectors,
		.n = n,
		.width = width,
		.cluster = cluster,
		.centres = centres,
		.sizes = sizes,
		.nearest = calloc(n + 1, sizeof(*c.nearest)),
		.random = 0x9e3779b97f4a7c15};
	bool done = false;

	if (!c.nearest)
		return -1;
	if (n && k) {
		choose_centres(&c, k);
		for (int round = 0; round < KMEANS_ROUNDS; round++) {
			move_centres(&c);
			if (!assign_vectors(&c))
				break;
		}
		move_centres(&c);
		done = renumber(&c);
	}
	free(c.nearest);
	return n && k && !done ? -1 : (long)c.k;
}
