/* SPDX-License-Identifier: Apache-2.0 */
/* How sessions begin. */
#include "loader/attach/attach.h"
#include "loader/backend/ops.h"
#include "loader/base/error.h"
#include "loader/base/settings.h"
#include "loader/sample/sampler.h"
#include "loader/sample/sites.h"
#include "loader/symbols/names.h"

#include <stdlib.h>
#include <unistd.h>

/* Verify a copy of the module in which the settings have the caller's values. */
static int verify_image(const void *image, size_t size, enum ward_profile profile, const struct ward_attach_options *o,
	struct ward_image **out, struct ward_error *err)
{
	struct wl_setting *patches;
	int rc = wl_settings_patch(image, size, o->settings, o->n_settings, &patches, err);

	if (rc == 0)
		rc = wl_image_verify(image, size, profile, o, patches, o->n_settings, out, err);
	free(patches);
	return rc;
}

int ward_check(const void *image, size_t size, const struct ward_attach_options *options, struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local, *e = err ? err : &local;
	struct ward_image *verified;
	int rc;

	wl_clear(e);
	rc = wl_options(options, &o, e);
	if (rc == 0)
		rc = verify_image(image, size, WARD_PROFILE_USER, &o, &verified, e);
	if (rc == 0)
		wl_image_free(verified);
	return rc;
}

/* Of a verified image, which becomes the session's. NULL without memory. */
static struct ward_session *new_session(const struct wl_backend *backend, struct ward_image *image)
{
	struct ward_session *s = calloc(1, sizeof(*s));

	if (!s) {
		wl_image_free(image);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL); /* the default kind: nothing can fail */
	s->backend = backend;
	s->image = image;
	return s;
}

/* Samples of a process need no code in it, whichever backend it would be otherwise. */
static int choose_sampler(const struct wl_backend **backend, const struct ward_image *image,
	const struct ward_attach_options *o, struct ward_error *err)
{
	if ((*backend)->profile != WARD_PROFILE_USER)
		return 0;
	switch (wl_sampling_of(image, o)) {
	case WL_NO_SAMPLES: return 0;
	case WL_ONLY_SAMPLES: *backend = &wl_backend_samples; return 0;
	default: break;
	}
	wl_fail(err, WARD_E_USAGE, "attach", "one module can't have probes for samples and for code of a process");
	wl_hint(err, "make two files of it, and trace both at once");
	return WARD_E_USAGE;
}

static int session_attach(const struct wl_backend *backend, struct wl_target *target, const void *image, size_t size,
	struct ward_attach_options *o, ward_session **out, struct ward_error *err)
{
	struct ward_image *verified;
	struct ward_session *s;
	int rc = backend->check ? backend->check(o, err) : 0;

	if (rc == 0)
		rc = verify_image(image, size, backend->profile, o, &verified, err);
	if (rc)
		return rc;
	rc = choose_sampler(&backend, verified, o, err);
	if (rc) {
		wl_image_free(verified);
		return rc;
	}
	s = new_session(backend, verified);
	if (!s)
		return wl_no_memory(err);
	rc = backend->attach(s, target, o, err);
	if (rc) {
		s->detached = true;
		ward_session_free(s);
		return wl_said(rc, err);
	}
	if (o->names)
		s->names = wl_names_share(*o->names);
	*out = s;
	return 0;
}

static const struct wl_backend *backend_of(const struct ward_attach_options *o)
{
	return o->follow || o->later ? &wl_backend_tree : &wl_backend_process;
}

int ward_attach(pid_t pid, const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local, *e = err ? err : &local;
	struct wl_target target = {.pid = pid};
	int rc;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_attach", "out");
	*out = NULL;
	rc = wl_options(options, &o, e);
	if (rc)
		return rc;
	return session_attach(pid == getpid() ? &wl_backend_self : backend_of(&o), &target, image, size, &o, out, e);
}

int ward_spawn(char *const argv[], const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, pid_t *pid, struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local, *e = err ? err : &local;
	struct wl_target target = {.argv = argv};
	int rc;

	wl_clear(e);
	if (pid)
		*pid = 0;
	if (!out)
		return wl_missing(e, "ward_spawn", "out");
	*out = NULL;
	rc = wl_options(options, &o, e);
	if (rc)
		return rc;
	if (!argv || !argv[0])
		return wl_fail(e, WARD_E_USAGE, "ward_spawn", "no command was given");
	rc = session_attach(backend_of(&o), &target, image, size, &o, out, e);
	if (rc == 0 && pid)
		*pid = target.pid;
	return rc;
}

int ward_attach_kernel(const void *image, size_t size, const struct ward_attach_options *options, ward_session **out,
	struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local, *e = err ? err : &local;
	struct wl_target target = {0};
	int rc;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_attach_kernel", "out");
	*out = NULL;
	rc = wl_options(options, &o, e);
	return rc ? rc : session_attach(&wl_backend_kernel, &target, image, size, &o, out, e);
}
