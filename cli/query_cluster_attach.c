/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --attach: a query that runs already. Its order has the text that it was made of, and what that was
 * compiled with; so rows are made here as they were where it was asked. The text is data from elsewhere: it may read
 * no file, and what it asks must be what the order has.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "cluster/coordinator/asked.h"
#include "cluster/wire/shape.h"
#include "query_command.h"

static const double YEAR_NS = 365 * 86400e9;
static const char no_file[] = "the query is gone on with, and its text reads no file of this computer (C-142)";

static const struct query_module *module_refuse(void *user, const struct query_module_file *file, const char **why)
{
	(void)user;
	(void)file;
	*why = no_file;
	return NULL;
}

static const struct query_used *use_refuse(void *user, const struct query_use_file *file, const char **why)
{
	(void)user;
	(void)file;
	*why = no_file;
	return NULL;
}

static const struct ward_types *types_refuse(void *user, const char *site, int64_t pid, const char **why)
{
	(void)user;
	(void)site;
	(void)pid;
	*why = no_file;
	return NULL;
}

void query_attach_options(struct query_command *c)
{
	struct query_options *o = &c->options;
	int64_t now = o->now;

	if (!c->asked.at)
		return;
	o->now = (int64_t)c->asked.at;
	o->now_counts -= (uint64_t)(int64_t)((double)(now - o->now) * o->rate / 1000);
	o->module = module_refuse;
	o->use = use_refuse;
	if (!c->use.is_own)
		o->types = types_refuse;
}

static int no_memory(void)
{
	return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
}

/* It is shown in messages, and a terminal obeys characters that control it; also those of two bytes. */
static bool is_plain(const char *text, size_t n)
{
	const unsigned char *at = (const unsigned char *)text;

	for (size_t i = 0; i < n; i++)
		if ((at[i] < 0x20 && at[i] != '\n' && at[i] != '\t' && at[i] != '\r') || at[i] == 0x7f ||
			(at[i] == 0xc2 && i + 1 < n && at[i + 1] < 0xa0))
			return false;
	return true;
}

static int text_refuse(const struct query_command *c, const char *why)
{
	return cli_error(CLI_REJECTED, c->use.attach, "ward trace --attach goes on with it", "%s (C-142)", why);
}

/* What this version doesn't know would be another query. */
static int options_take(struct query_command *c)
{
	char *word;

	for (size_t i = 0; cluster_asked_option(&c->asked, i, &word); i++) {
		bool is_kept = word && list_add(&c->owned, word);

		if (!is_kept) {
			free(word);
			return no_memory();
		}
		if (!is_plain(word, strlen(word)))
			return text_refuse(c, "an option of its text has characters that control a terminal");
		if (!query_with(c, word))
			return text_refuse(c, "it was asked with an option that isn't known here");
	}
	return CLI_OK;
}

static int text_take(struct query_command *c)
{
	double away = (double)query_now() - (double)c->asked.at;

	if (!is_plain(c->asked.text, c->asked.size))
		return text_refuse(c, "its text has characters that control a terminal");
	if (away > YEAR_NS || away < -YEAR_NS)
		return text_refuse(c, "its `Now` is more than a year away");
	c->text.size = c->asked.size;
	c->text.data = malloc(c->asked.size + 1);
	if (!c->text.data)
		return no_memory();
	memcpy(c->text.data, c->asked.text, c->asked.size);
	c->text.data[c->text.size] = 0;
	return CLI_OK;
}

int query_attach_read(struct query_command *c)
{
	struct ward_error err = {0};
	int status = cluster_use_check(&cmd_query, &c->use);

	if (status >= 0)
		return status;
	if (c->use.process.n)
		return cli_usage(&cmd_query, "--attach goes on with a query's own processes, and takes no --process");
	if (c->with.n)
		return cli_usage(&cmd_query, "--attach goes on with a query as it was asked, and takes no -D, --exact "
					     "or --no-rewrite");
	c->name = c->use.attach;
	status = cluster_order_find(&c->use);
	if (status != CLI_OK)
		return status;
	if (cluster_asked_read(&c->use.found, &c->asked, &err))
		return cli_library_error(&err);
	if (!c->asked.at)
		return cli_error(CLI_USAGE, c->name, "ward trace --attach goes on with it",
			"it is the query of a probe, and has no text of ward query");
	c->use.shards = c->asked.shards > 1 ? c->asked.shards : 0;
	status = options_take(c);
	return status == CLI_OK ? text_take(c) : status;
}

/* C-143 */
int query_attach_check(struct query_command *c)
{
	const struct cluster_asked *a = &c->asked;
	const struct trace *t = &c->trace;
	uint8_t shape[CLUSTER_DIGEST];
	ward_schema *schema = NULL;
	struct ward_error err = {0};
	bool is_same;

	if (!a->at)
		return CLI_OK;
	if (ward_schema_read(t->module.data, t->module.size, &schema, &err) != WARD_OK)
		return cli_library_error(&err);
	is_same = cluster_shape_digest(schema, shape) && memcmp(shape, a->shape, sizeof(shape)) == 0 &&
		  a->n_units == 1 && a->is_kernel == t->kernel && a->window_ns == t->window_ns && a->by == t->by;
	ward_schema_free(schema);
	return is_same ? CLI_OK
		       : cli_error(CLI_REJECTED, c->name,
				 "go on with it by the version of Ward that began it, or with ward trace --attach",
				 "its text asks something else here than its machines count (C-143)");
}
