/* SPDX-License-Identifier: Apache-2.0 */
/* Which samples can be taken: the forms of their sites, and how this machine takes them. */
#include "site.h"

#include "loader/base/error.h"
#include "loader/base/sample_site.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FORM_MAX = 48 };

/* The i-th form; false beyond the last. */
static bool form_at(size_t i, char *form)
{
	static const char *const times[] = {"profile:HZ", "interval:TIME"};
	const struct wl_sample_event *event = i < 2 ? NULL : wl_sample_event(i - 2);

	if (i < 2)
		snprintf(form, FORM_MAX, "%s", times[i]);
	else if (event)
		snprintf(form, FORM_MAX, "%s:N", event->name);
	return i < 2 || event;
}

/* So many of these texts, one behind the other's end: *out owns them. */
static bool fill_samples(struct wl_ksyms *out, char *texts, size_t n)
{
	out->text = texts;
	out->v = calloc(n + 1, sizeof(*out->v));
	for (size_t i = 0; out->v && i < n; i++) {
		out->v[i] = (struct wl_ksym){.name = texts, .module = ""};
		texts += strlen(texts) + 1;
	}
	out->n = out->v ? n : 0;
	return out->v != NULL;
}

int wl_ksamples_read(const char *glob, struct wl_ksyms *out, struct ward_error *err)
{
	char form[FORM_MAX], *texts = NULL;
	size_t size, n = 0;
	FILE *f = open_memstream(&texts, &size);
	bool ok;

	*out = (struct wl_ksyms){.checked = true};
	if (!f)
		return wl_no_memory(err);
	for (size_t i = 0; form_at(i, form); i++) {
		if (fnmatch(glob, form, 0) != 0)
			continue;
		fwrite(form, 1, strlen(form) + 1, f);
		n++;
	}
	if (!n && !wl_is_glob(glob)) {
		fwrite(glob, 1, strlen(glob) + 1, f);
		n = 1;
	}
	ok = fclose(f) == 0;
	if (ok && fill_samples(out, texts, n))
		return 0;
	if (!ok)
		free(texts);
	wl_ksyms_free(out);
	return wl_no_memory(err);
}

/* Does the machine count it? The kernel says ENOENT if not; where it refuses to say it may. */
static bool may_count(const struct wl_sample_event *event)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.sample_period = 1000000000,
		.disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	bool lacks = fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL);

	if (fd >= 0)
		close(fd);
	return !lacks;
}

const char *wl_ksample_method(const char *form)
{
	struct wl_sample_site site;
	struct ward_error err;
	size_t n = strcspn(form, ":");
	char text[FORM_MAX];

	snprintf(text, sizeof(text), "%.*s:100000", (int)(n < 32 ? n : 32), form);
	/* the two forms that have no such number are those of a clock */
	if (wl_sample_site_parse(text, &site, &err) || site.kind != WL_SAMPLE_EVENT)
		return wl_sample_method_clock;
	return wl_sample_may_lack(&site) && !may_count(site.event) ? wl_sample_no_counter : wl_sample_method(&site);
}
