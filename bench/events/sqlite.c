/* SPDX-License-Identifier: Apache-2.0 */
/* See sqlite.h. The library is loaded by name, so nothing of sqlite is needed to build this file. */
#define _GNU_SOURCE
#include "sqlite.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

enum { OK = 0, ROW = 100, CALLS_PER_ROW = 4 };

struct library {
	void *handle;
	int (*open)(const char *, sqlite3 **);
	int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
	int (*prepare)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
	int (*step)(sqlite3_stmt *);
	int (*reset)(sqlite3_stmt *);
	long long (*integer)(sqlite3_stmt *, int);
	int (*finalize)(sqlite3_stmt *);
	int (*close)(sqlite3 *);
	void *value_type;
	sqlite3 *db;
	sqlite3_stmt *query;
};

struct queries {
	struct library twins[2];
	long long answer; /* of the first run, which each must give */
	bool asked;
};

static bool load(struct library *l, const char *path)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"sqlite3_open", &l->open},
		{"sqlite3_exec", &l->exec},
		{"sqlite3_prepare_v2", &l->prepare},
		{"sqlite3_step", &l->step},
		{"sqlite3_reset", &l->reset},
		{"sqlite3_column_int64", &l->integer},
		{"sqlite3_finalize", &l->finalize},
		{"sqlite3_close", &l->close},
		{"sqlite3_value_type", &l->value_type},
	};

	l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return false;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *f = dlsym(l->handle, functions[i].name);
		if (!f)
			return false;
		memcpy(functions[i].to, &f, sizeof(f));
	}
	return true;
}

static bool fill(struct library *l, uint64_t rows)
{
	char sql[400];

	snprintf(sql, sizeof(sql),
		"create table t(k integer primary key, a, b, name);"
		"with recursive n(i) as (select 1 union all select i + 1 from n where i < %llu)"
		" insert into t select i, i * 7919 %% 1009, i * 31 %% 97 + 0.5, 'customer ' || (i * 13 %% 501) from n;",
		(unsigned long long)rows);
	return l->open(":memory:", &l->db) == OK && l->exec(l->db, sql, NULL, NULL, NULL) == OK &&
	       l->prepare(l->db,
		       "select b > 48, sum(a), avg(b), max(length(name)), sum(abs(a - 500)) from t where a > 3 group "
		       "by 1 order by 2",
		       -1, &l->query, NULL) == OK;
}

/* The library's bytes under another name. */
static bool copy(const char *from, const char *to)
{
	struct stat st;
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = in >= 0 && out >= 0 && fstat(in, &st) == 0;

	for (off_t left = ok ? st.st_size : 0; ok && left;) {
		ssize_t n = sendfile(out, in, NULL, (size_t)left);
		ok = n > 0;
		left -= n > 0 ? n : 0;
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return ok;
}

struct queries *queries_open(const char *path, uint64_t calls, char *library, size_t size, void **function)
{
	struct queries *q = calloc(1, sizeof(*q));
	char second[300], real[PATH_MAX];
	Dl_info info;
	bool ok;

	snprintf(second, sizeof(second), "%s.so", path);
	ok = q && load(&q->twins[1], "libsqlite3.so.0") && dladdr(q->twins[1].value_type, &info) &&
	     copy(info.dli_fname, second) && load(&q->twins[0], second) &&
	     q->twins[0].value_type != q->twins[1].value_type && fill(&q->twins[0], calls / CALLS_PER_ROW) &&
	     fill(&q->twins[1], calls / CALLS_PER_ROW);
	unlink(second);
	if (!ok) {
		free(q);
		return NULL;
	}
	snprintf(library, size, "%s", realpath(info.dli_fname, real) ? real : info.dli_fname);
	*function = q->twins[1].value_type;
	return q;
}

bool queries_run(struct queries *q, unsigned twin)
{
	struct library *l = &q->twins[twin];
	long long answer = 0;
	int status;

	while ((status = l->step(l->query)) == ROW)
		for (int i = 0; i < 5; i++)
			answer = answer * 31 + l->integer(l->query, i);
	l->reset(l->query);
	if (!q->asked)
		q->answer = answer;
	q->asked = true;
	return answer == q->answer && answer;
}

void queries_close(struct queries *q)
{
	for (unsigned i = 0; i < 2; i++) {
		q->twins[i].finalize(q->twins[i].query);
		q->twins[i].close(q->twins[i].db);
	}
	free(q);
}
