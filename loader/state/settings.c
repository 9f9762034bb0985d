/* SPDX-License-Identifier: Apache-2.0 */
/* From a setting's name and value to the bytes of a module that change. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

#include "loader/base/error.h"
#include "loader/base/settings.h"
#include "verifier/file/module.h"
#include "verifier/sandbox/sandbox.h"

enum { CPU_TIME = 5000000 /* microseconds */, MEMORY_ROOM = 512 << 20 };

struct settings {
	struct wv_module module;
	size_t n;
	struct state_setting at[STATE_MAX_SETTINGS];
};

/* ---- which there are ---- */

struct question {
	const void *image;
	size_t size;
	struct state_setting *settings;
};

static bool settings_write(void *arg, int fd)
{
	struct question *q = arg;
	size_t n = state_settings_read(q->image, q->size, q->settings, STATE_MAX_SETTINGS);
	return n <= STATE_MAX_SETTINGS && sandbox_write(fd, q->settings, n * sizeof(*q->settings));
}

/* All of it lies in the constants, and not where the loader puts what it imports. */
static bool setting_valid(const struct wv_module *m, const struct state_setting *s)
{
	uint64_t n = m->rodata_bytes.n, at = s->address - m->rodata.addr;
	if (s->size != 1 && s->size != 2 && s->size != 4 && s->size != 8)
		return false;
	return m->rodata.memsz && s->address >= m->rodata.addr && n >= s->size && at <= n - s->size &&
	       !wv_module_touches_slot(m, at, at, s->size) && state_name_valid(s->name) && !strpbrk(s->name, ".[]");
}

static int settings_find(const void *image, size_t size, struct settings *out, struct ward_error *err)
{
	struct wv_sink sink = {0};
	struct question q = {image, size, out->at};
	struct sandbox sandbox = {settings_write, &q, CPU_TIME, MEMORY_ROOM, sizeof(out->at)};
	uint8_t *bytes;
	if (!wv_module_parse(&out->module, image, size, STATE_MAX_SIZE, &sink)) {
		wl_fail(err, WARD_E_USAGE, "module", "not a module");
		wl_hint(err, "make one with ward cc or ward link");
		return WARD_E_USAGE;
	}
	long n = sandbox_run(&sandbox, &bytes);
	if (n < 0) {
		wl_fail(err, WARD_E_SYSTEM, "debug information", "%s", strerror(errno));
		wl_hint(err, "free some memory or processes and try again");
		return WARD_E_SYSTEM;
	}
	for (size_t i = 0; i < (size_t)n / sizeof(out->at[0]) && i < STATE_MAX_SETTINGS; i++) {
		memcpy(&out->at[out->n], bytes + i * sizeof(out->at[0]), sizeof(out->at[0]));
		out->n += setting_valid(&out->module, &out->at[out->n]);
	}
	free(bytes);
	return 0;
}

/* ---- one text ---- */

static int no_setting(const struct settings *s, const char *name, struct ward_error *err)
{
	char all[160] = "";
	for (size_t i = 0; i < s->n; i++)
		if (strlen(all) + strlen(s->at[i].name) + 3 < sizeof(all))
			strcat(strcat(all, i ? ", " : ""), s->at[i].name);
	wl_fail(err, WARD_E_USAGE, "settings", "the module has no setting %s", name);
	if (s->n)
		wl_hint(err, "it has %s", all);
	else
		wl_hint(err, "a setting is a global integer that is `const volatile`; "
			     "the module's debug information shows none");
	return WARD_E_USAGE;
}

static int bad_value(const char *text, const struct state_setting *s, struct ward_error *err)
{
	unsigned bits = 8u * s->size;
	uint64_t most = s->is_bool ? 1 : UINT64_MAX >> (64 - bits);
	wl_fail(err, WARD_E_USAGE, "settings", "%s: not a number that %s holds", text, s->name);
	if (s->is_signed)
		wl_hint(err, "it has %u bits: %" PRId64 " to %" PRIu64, bits, -(int64_t)(most >> 1) - 1, most >> 1);
	else
		wl_hint(err, "it is 0 to %" PRIu64, most);
	return WARD_E_USAGE;
}

/* A number, decimal, hexadecimal or octal. */
static bool value_read(const char *text, const struct state_setting *s, uint64_t *value)
{
	bool is_negative = *text == '-';
	const char *digits = text + (is_negative || *text == '+');
	char *end;
	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	unsigned long long n = strtoull(digits, &end, 0);
	uint64_t most = s->is_bool ? 1 : UINT64_MAX >> (64 - 8 * s->size);
	if (errno || *end)
		return false;
	if (s->is_signed)
		most >>= 1;
	*value = is_negative ? -(uint64_t)n : n;
	return is_negative && n ? s->is_signed && n <= most + 1 : n <= most;
}

static int settings_set(
	const struct settings *s, const char *text, struct wl_setting *patches, size_t n, struct ward_error *err)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	const struct state_setting *found = NULL;
	char name[STATE_MAX_NAME] = "";
	if (length == 0 || length >= sizeof(name)) {
		wl_fail(err, WARD_E_USAGE, "settings", "%s is not NAME=VALUE", text);
		wl_hint(err, "for example limit=100");
		return WARD_E_USAGE;
	}
	memcpy(name, text, length);
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->at[i].name, name) != 0 || (found && found->address == s->at[i].address))
			continue;
		if (found) {
			wl_fail(err, WARD_E_USAGE, "settings", "two settings have the name %s", name);
			wl_hint(err, "rename one of them: each is static in its file");
			return WARD_E_USAGE;
		}
		found = &s->at[i];
	}
	if (!found)
		return no_setting(s, name, err);
	struct wl_setting *p = &patches[n];
	p->offset = s->module.rodata.offset + (found->address - s->module.rodata.addr);
	p->size = found->size;
	if (!value_read(equals + 1, found, &p->value))
		return bad_value(text, found, err);
	for (size_t i = 0; i < n; i++) {
		if (patches[i].offset != p->offset)
			continue;
		wl_fail(err, WARD_E_USAGE, "settings", "%s is set twice", name);
		wl_hint(err, "give it one value");
		return WARD_E_USAGE;
	}
	return 0;
}

int wl_settings_patch(const void *image, size_t size, const char *const *texts, size_t n, struct wl_setting **patches,
	struct ward_error *err)
{
	*patches = NULL;
	if (n == 0)
		return 0;
	if (!image)
		return wl_missing(err, "module", "the image");
	struct settings *s = calloc(1, sizeof(*s));
	struct wl_setting *all = calloc(n, sizeof(*all));
	int status = s && all ? settings_find(image, size, s, err) : wl_no_memory(err);
	for (size_t i = 0; status == 0 && i < n; i++)
		status = texts && texts[i] ? settings_set(s, texts[i], all, i, err)
					   : wl_missing(err, "settings", "a text");
	free(s);
	if (status) {
		free(all);
		return status;
	}
	*patches = all;
	return 0;
}
