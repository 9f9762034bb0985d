/* SPDX-License-Identifier: Apache-2.0 */
/* An aggregate for queries: Use("sketch.c", size, change). */
struct sketch {
	ward_count n;
	ward_stat_signed changes;
	ward_max largest;
	WARD_HLL(8) different;
	ward_log2 sizes;
	long balance;
};

static void sketch_add(struct sketch *s, unsigned long size, long change)
{
	s->n++;
	ward_stat_signed_add(&s->changes, change);
	ward_max_add(&s->largest, size);
	ward_hll_add(&s->different, size / 1024);
	ward_log2_add(&s->sizes, size);
	s->balance -= change;
}
