/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts of rows, in SVG that is made here: bars of numbers and of histograms, lines over time, heat maps, clusters.
 * What the columns are decides which: the parts of the key are labels, an instant among them is the time, and each
 * other column is a chart. What is left out for its number is said below the chart.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query_grid.h"

enum { WIDTH = 760, LABELS = 220, LINE = 18, HEAT = 24 };
/* What is drawn at most; lines have colours of their own. */
enum { MOST_BARS = 40, MOST_LINES = 8, MOST_CELLS = 120, MOST_CHARTS = 12, MOST_ROWS = 20000 };

static const char *const colours[MOST_LINES] = {
	"#3b6fd4", "#d9772b", "#2f9e5b", "#b84ac0", "#c9a31a", "#2aa6b8", "#d14b5a", "#7a6bd1"};

/* ---- the frame of a chart ---- */

static void begin_chart(struct charts *c, const char *caption, double height)
{
	c->made++;
	fputs("<figure>\n<figcaption>", c->file);
	html_text(c->file, caption, 100);
	fprintf(c->file, "</figcaption>\n<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", WIDTH, height);
}

static void end_chart(const struct charts *c, size_t left_out, const char *what)
{
	fputs("</svg>\n", c->file);
	if (left_out)
		fprintf(c->file, "<p>%zu more %s.</p>\n", left_out, what);
	fputs("</figure>\n", c->file);
}

static void put_text(const struct charts *c, double x, double y, const char *class, const char *text, size_t most)
{
	fprintf(c->file, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	html_text(c->file, text, most);
	fputs("</text>\n", c->file);
}

/* What a pointer that rests on a mark is told. */
static void put_title(const struct charts *c, const char *label, const char *value)
{
	fputs("<title>", c->file);
	html_text(c->file, label, 0);
	fputs(": ", c->file);
	html_text(c->file, value, 0);
	fputs("</title>", c->file);
}

/* ---- bars ---- */

static void put_bar(const struct charts *c, size_t i, const char *label, double part, const char *value)
{
	double y = (double)i * LINE, room = WIDTH - LABELS - 100;

	put_text(c, LABELS - 6, y + 13, "e", label, 34);
	fprintf(c->file, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\">", LABELS, y + 2,
		room * part, LINE - 4, colours[0]);
	put_title(c, label, value);
	fputs("</rect>\n", c->file);
	put_text(c, LABELS + room * part + 5, y + 13, "s", value, 16);
}

static void chart_bars(struct charts *c, size_t column)
{
	size_t n = c->rows->n < MOST_BARS ? c->rows->n : MOST_BARS;
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (grid_is_number(grid_cell(c, i, column)))
			most = fmax(most, grid_number_of(grid_cell(c, i, column)));
	begin_chart(c, c->rows->names[column], (double)n * LINE);
	for (size_t i = 0; i < n; i++) {
		char label[HTML_CELL], value[HTML_CELL];
		double number = grid_number_of(grid_cell(c, i, column));

		grid_label_of(c, i, label, sizeof(label));
		c->r->value(c->r->user, grid_cell(c, i, column), value, sizeof(value));
		put_bar(c, i, label, most > 0 && number > 0 ? number / most : 0, value);
	}
	end_chart(c, c->rows->n - n, "rows are not drawn");
}

/* The histogram of one row. */
static void chart_buckets(struct charts *c, size_t row, size_t column)
{
	const struct query_value *v = grid_cell(c, row, column);
	size_t n = v->n < MOST_CELLS ? v->n : MOST_CELLS;
	char caption[2 * HTML_CELL], label[HTML_CELL];
	uint64_t most = 0;

	grid_label_of(c, row, label, sizeof(label));
	snprintf(caption, sizeof(caption), "%s%s%.290s", c->rows->names[column], label[0] ? ": " : "", label);
	for (size_t i = 0; i < n; i++)
		most = v->buckets[i].count > most ? v->buckets[i].count : most;
	begin_chart(c, caption, (double)n * LINE);
	for (size_t i = 0; i < n; i++) {
		char value[32];

		grid_bucket_text(c, v, &v->buckets[i], label, sizeof(label));
		snprintf(value, sizeof(value), "%" PRIu64, v->buckets[i].count);
		put_bar(c, i, label, most ? (double)v->buckets[i].count / (double)most : 0, value);
	}
	end_chart(c, v->n - n, "buckets are not drawn");
}

/* ---- lines over time ---- */

static void put_axis(const struct charts *c, const struct grid *g, double height, const char *most)
{
	char text[HTML_CELL];

	fprintf(c->file, "<path d=\"M60 8V%.1fH%d\" fill=\"none\" stroke=\"#888\"/>\n", height, WIDTH - 10);
	put_text(c, 55, 16, "e", most, 12);
	put_text(c, 55, height, "e", "0", 12);
	for (int end = 0; end < 2 && g->n_times; end++) {
		c->r->value(c->r->user, g->times[end ? g->n_times - 1 : 0], text, sizeof(text));
		put_text(c, end ? WIDTH - 10 : 60, height + 14, end ? "e" : "s", text, 40);
	}
}

static double time_x(const struct grid *g, size_t at)
{
	double first = grid_number_of(g->times[0]), last = grid_number_of(g->times[g->n_times - 1]);

	return 60 + (WIDTH - 70) * (last > first ? (grid_number_of(g->times[at]) - first) / (last - first) : 0.5);
}

struct series {
	const struct grid *grid;
	size_t label, column, number;
	double height, most;
};

static void put_series(const struct charts *c, const struct series *s)
{
	const char *colour = colours[s->number % MOST_LINES];
	double *sums = calloc(s->grid->n_times + 1, sizeof(*sums));
	bool first = true;

	for (size_t i = 0; sums && i < c->rows->n; i++)
		if (s->grid->label[i] == s->label && grid_is_number(grid_cell(c, i, s->column)))
			sums[s->grid->at[i]] += grid_number_of(grid_cell(c, i, s->column));
	fprintf(c->file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colour);
	for (size_t t = 0; sums && t < s->grid->n_times; t++, first = false)
		fprintf(c->file, "%c%.1f %.1f", first ? 'M' : 'L', time_x(s->grid, t),
			s->height - (s->height - 12) * (s->most > 0 ? fmax(sums[t], 0) / s->most : 0));
	fputs("\"/>\n", c->file);
	free(sums);
}

static void put_legend(const struct charts *c, size_t number, double y, const char *label)
{
	fprintf(c->file, "<rect x=\"60\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", y - 9,
		colours[number % MOST_LINES]);
	put_text(c, 76, y, "s", label, 90);
}

/* A line for each label; of the columns that Pivot has found, a line for each. */
static void chart_lines(struct charts *c, const struct grid *g, size_t column, bool found)
{
	size_t n = found ? c->rows->n_columns - c->rows->n_static : g->n_labels,
	       drawn = n < MOST_LINES ? n : MOST_LINES;
	struct query_value most = {.kind = QUERY_NONE};
	char text[HTML_CELL];
	const double height = 180;

	for (size_t i = 0; i < c->rows->n; i++)
		for (size_t k = 0; k < (found ? drawn : 1); k++)
			if (grid_is_number(grid_cell(c, i, column + k)) &&
				(most.kind == QUERY_NONE ||
					grid_number_of(grid_cell(c, i, column + k)) > grid_number_of(&most)))
				most = *grid_cell(c, i, column + k);
	begin_chart(c, found ? "columns over time" : c->rows->names[column], height + 20 + (double)drawn * LINE);
	c->r->value(c->r->user, &most, text, sizeof(text));
	put_axis(c, g, height, text);
	for (size_t i = 0; i < drawn; i++) {
		struct series s = {g, found ? 0 : i, found ? column + i : column, i, height, grid_number_of(&most)};

		put_series(c, &s);
		put_legend(c, i, height + 30 + (double)i * LINE, found ? c->rows->names[column + i] : g->labels[i]);
	}
	end_chart(c, n - drawn, "lines are not drawn");
}

/* ---- heat maps ---- */

static void put_heat(const struct charts *c, const struct heat *h)
{
	double width = (double)(WIDTH - LABELS) / (double)(h->n_x ? h->n_x : 1);

	for (size_t y = 0; y < h->n_y; y++)
		for (size_t x = 0; x < h->n_x; x++) {
			double part = h->most > 0 ? fmax(h->values[y * h->n_x + x], 0) / h->most : 0;
			int shade = (int)ceil(part * HEAT);

			if (shade)
				fprintf(c->file,
					"<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
					"fill-opacity=\"%.3f\"><title>%.6g</title></rect>\n",
					LABELS + (double)x * width, y * LINE, width, LINE, colours[0],
					(double)shade / HEAT, h->values[y * h->n_x + x]);
		}
}

static void put_times(const struct charts *c, const struct grid *g, double y)
{
	char text[HTML_CELL];

	if (c->time == c->rows->n_columns || !g->n_times)
		return;
	c->r->value(c->r->user, g->times[0], text, sizeof(text));
	put_text(c, LABELS, y, "s", text, 40);
	c->r->value(c->r->user, g->times[g->n_times - 1], text, sizeof(text));
	put_text(c, WIDTH - 2, y, "e", text, 40);
}

/* Windows across, buckets from the bottom up: of all rows together. */
static void chart_bucket_heat(struct charts *c, const struct grid *g, size_t column)
{
	struct heat h;

	if (!heat_of_buckets(c, g, column, MOST_CELLS, &h))
		return;
	begin_chart(c, c->rows->names[column], (double)(h.n_y * LINE) + 18);
	for (size_t y = 0; y < h.n_y; y++) {
		char text[HTML_CELL];

		grid_bucket_text(c, h.like, &h.buckets[h.n_y - 1 - y], text, sizeof(text));
		put_text(c, LABELS - 6, (double)(y * LINE) + 13, "e", text, 34);
	}
	put_heat(c, &h);
	put_times(c, g, (double)(h.n_y * LINE) + 14);
	end_chart(c, 0, "");
	heat_free(&h);
}

/* Rows down, the columns that Pivot has found across. */
static void chart_found(struct charts *c)
{
	size_t s = c->rows->n_static;
	struct heat h;

	if (!heat_of_found(c, MOST_CELLS, MOST_BARS, &h))
		return;
	begin_chart(c, "rows and columns", (double)(h.n_y * LINE) + 18);
	for (size_t i = 0; i < h.n_y; i++) {
		char label[HTML_CELL];

		grid_label_of(c, i, label, sizeof(label));
		put_text(c, LABELS - 6, (double)(i * LINE) + 13, "e", label, 34);
	}
	put_heat(c, &h);
	put_text(c, LABELS, (double)(h.n_y * LINE) + 14, "s", c->rows->names[s], 30);
	put_text(c, WIDTH - 2, (double)(h.n_y * LINE) + 14, "e", c->rows->names[s + h.n_x - 1], 30);
	end_chart(c, c->rows->n - h.n_y, "rows are not drawn");
	heat_free(&h);
}

/* ---- clusters ---- */

/* A line for each label, a cell for each row, and a colour for each cluster. */
static void chart_clusters(struct charts *c, const struct grid *g, size_t column)
{
	size_t lines = g->n_labels < MOST_BARS ? g->n_labels : MOST_BARS, most = 0, x = g->n_times;
	double width = (double)(WIDTH - LABELS) / (double)(x ? x : 1);

	for (size_t i = 0; i < c->rows->n; i++)
		most = grid_cell(c, i, column)->number > most ? grid_cell(c, i, column)->number : most;
	begin_chart(c, "clusters", (double)(lines * LINE) + 18 + (double)(most + 1) * LINE);
	for (size_t i = 0; i < lines; i++)
		put_text(c, LABELS - 6, (double)(i * LINE) + 13, "e", g->labels[i], 34);
	for (size_t i = 0; i < c->rows->n; i++)
		if (g->label[i] < lines)
			fprintf(c->file,
				"<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\">"
				"<title>%" PRIu64 "</title></rect>\n",
				LABELS + (double)g->at[i] * width, g->label[i] * LINE, width, LINE - 2,
				colours[grid_cell(c, i, column)->number % MOST_LINES], grid_cell(c, i, column)->number);
	put_times(c, g, (double)(lines * LINE) + 14);
	for (size_t k = 0; k <= most && k < 64; k++) {
		char text[40];

		snprintf(text, sizeof(text), "cluster %zu", k);
		put_legend(c, k, (double)(lines * LINE) + 30 + (double)k * LINE, text);
	}
	end_chart(c, g->n_labels - lines, "lines are not drawn");
}

/* ---- which charts ---- */

static void chart_column(struct charts *c, const struct grid *g, size_t column)
{
	bool timed = c->time < c->rows->n_columns;

	if (grid_cell(c, 0, column)->kind == QUERY_BUCKETS) {
		if (timed)
			chart_bucket_heat(c, g, column);
		for (size_t i = 0; !timed && i < c->rows->n && c->made < MOST_CHARTS; i++)
			if (grid_cell(c, i, column)->kind == QUERY_BUCKETS)
				chart_buckets(c, i, column);
	} else if (strcmp(c->rows->names[column], "cluster") == 0 && c->rows->second) {
		chart_clusters(c, g, column);
	} else if (grid_is_measure(c, column)) {
		if (timed)
			chart_lines(c, g, column, false);
		else if (c->rows->n > 1)
			chart_bars(c, column);
	}
}

void html_charts_write(const struct html_report *r, FILE *file)
{
	struct charts c = {.r = r, .rows = r->rows, .file = file};
	struct grid g;

	if (!r->rows->n || query_has_records(r->query))
		return;
	if (r->rows->n > MOST_ROWS) {
		fprintf(file, "<p>More than %d rows are not drawn.</p>\n", MOST_ROWS);
		return;
	}
	c.time = grid_find_time(&c);
	if (!grid_make(&c, &g))
		return;
	for (size_t i = 0; i < c.rows->n_static && c.made < MOST_CHARTS; i++)
		chart_column(&c, &g, i);
	if (c.rows->n_columns > c.rows->n_static && c.made < MOST_CHARTS) {
		if (c.time < c.rows->n_columns && g.n_labels == 1)
			chart_lines(&c, &g, c.rows->n_static, true);
		else
			chart_found(&c);
	}
	grid_free(&g);
}
