/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heat map on a terminal (--plot heat): windows across, and the buckets of a histogram upwards, or rows down, and the
 * columns that Pivot has found across. Where there are colours, a character has two cells of 24 shades of grey; else it
 * is one of five characters.
 */
#include <math.h>
#include <string.h>

#include "query_grid.h"
#include "query_plot.h"

enum { SHADES = 24, DARKEST = 232 /* of the terminal's 256 colours */, LABEL = 24, MOST_ROWS = 60 };

/* 0: nothing; else 1 to `most`. */
static int shade_of(const struct heat *h, size_t x, size_t y, int most)
{
	double v = y < h->n_y ? h->values[y * h->n_x + x] : 0;

	return v > 0 && h->most > 0 ? (int)ceil(v / h->most * most) : 0;
}

/* Two cells, one above the other. */
static void put_pair(FILE *file, int upper, int lower)
{
	if (!upper && !lower)
		fputc(' ', file);
	else if (!lower)
		fprintf(file, "\033[38;5;%dm\xe2\x96\x80\033[0m", DARKEST - 1 + upper);
	else if (!upper)
		fprintf(file, "\033[38;5;%dm\xe2\x96\x84\033[0m", DARKEST - 1 + lower);
	else
		fprintf(file, "\033[38;5;%d;48;5;%dm\xe2\x96\x80\033[0m", DARKEST - 1 + upper, DARKEST - 1 + lower);
}

struct plot {
	struct cli_output *out;
	const struct charts *c;
	const struct grid *grid;
	const struct heat *heat;
	bool halves;
	int label; /* columns */
};

/* For a terminal without the characters that charts have between two numbers, and between two parts of a key. */
static void plain_label(char *text)
{
	char *to = text;

	for (const char *s = text; *s;) {
		bool dash = strncmp(s, "\xe2\x80\x93", 3) == 0, dot = strncmp(s, "\xc2\xb7", 2) == 0;

		*to++ = dash ? '-' : dot ? '/' : *s;
		s += dash ? 3 : dot ? 2 : 1;
	}
	*to = 0;
}

static void row_label(const struct plot *p, size_t y, char *text, size_t size)
{
	char label[HTML_CELL] = "";

	if (p->heat->buckets)
		grid_bucket_text(p->c, p->heat->like, &p->heat->buckets[p->heat->n_y - 1 - y], label, sizeof(label));
	else
		grid_label_of(p->c, y, label, sizeof(label));
	if (!p->out->unicode)
		plain_label(label);
	cli_clean_text(text, size, label);
}

/* Of two rows in one line the lower one has its label there. */
static void put_line(const struct plot *p, size_t y)
{
	static const char characters[] = " .:+*#";
	char label[LABEL];

	row_label(p, p->halves && y + 1 < p->heat->n_y ? y + 1 : y, label, sizeof(label));
	fprintf(p->out->file, "  %*s%s  ", p->label - cli_width(label), "", label);
	for (size_t x = 0; x < p->heat->n_x; x++)
		if (p->halves)
			put_pair(p->out->file, shade_of(p->heat, x, y, SHADES), shade_of(p->heat, x, y + 1, SHADES));
		else
			fputc(characters[shade_of(p->heat, x, y, 5)], p->out->file);
	fputc('\n', p->out->file);
}

/* The ends of what is across. */
static void put_ends(const struct plot *p)
{
	const struct charts *c = p->c;
	char first[LABEL] = "", last[LABEL] = "", text[HTML_CELL];
	int between;

	if (p->heat->buckets) {
		query_value_text(p->out, text, sizeof(text), p->grid->times[0]);
		cli_clean_text(first, sizeof(first), text);
		query_value_text(p->out, text, sizeof(text), p->grid->times[p->grid->n_times - 1]);
		cli_clean_text(last, sizeof(last), text);
	} else {
		cli_clean_text(first, sizeof(first), c->rows->names[c->rows->n_static]);
		cli_clean_text(last, sizeof(last), c->rows->names[c->rows->n_static + p->heat->n_x - 1]);
	}
	between = (int)p->heat->n_x - cli_width(first) - cli_width(last);
	fprintf(p->out->file, "  %*s  %s%*s%s\n", p->label, "", first, between > 1 ? between : 1, "", last);
}

static void put_map(struct plot *p, const char *name)
{
	char label[LABEL];

	cli_clean_text(label, sizeof(label), name);
	fprintf(p->out->file, "%s\n", label);
	for (size_t y = 0; y < p->heat->n_y; y++) {
		row_label(p, y, label, sizeof(label));
		p->label = cli_width(label) > p->label ? cli_width(label) : p->label;
	}
	for (size_t y = 0; y < p->heat->n_y; y += p->halves ? 2 : 1)
		put_line(p, y);
	put_ends(p);
}

static void value_text(void *user, const struct query_value *v, char *text, size_t size)
{
	query_value_text(user, text, size, v);
}

/* Each column that can be drawn. Returns how many there are. */
static unsigned put_maps(struct cli_output *out, struct charts *c, const struct grid *g)
{
	size_t room = out->width > LABEL + 20 ? out->width - LABEL - 6 : 40;
	struct heat heat;
	struct plot p = {.out = out, .c = c, .grid = g, .heat = &heat, .halves = out->colour && out->unicode};
	unsigned drawn = 0;

	for (size_t i = 0; i < c->rows->n_static; i++)
		if (c->time < c->rows->n_columns && heat_of_buckets(c, g, i, room, &heat)) {
			put_map(&p, c->rows->names[i]);
			heat_free(&heat);
			drawn++;
		}
	if (heat_of_found(c, room, MOST_ROWS, &heat)) {
		put_map(&p, "rows and columns");
		heat_free(&heat);
		drawn++;
	}
	return drawn;
}

bool query_plot_heat(struct cli_output *out, const struct query *q, const struct query_rows *rows)
{
	const struct html_report r = {.query = q, .rows = rows, .value = value_text, .user = out};
	struct charts c = {.r = &r, .rows = rows};
	struct grid g;
	unsigned drawn;

	c.time = grid_find_time(&c);
	if (!rows->n || !grid_make(&c, &g))
		return false;
	drawn = put_maps(out, &c, &g);
	grid_free(&g);
	return drawn > 0;
}
