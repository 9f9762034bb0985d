/* Claims that some way into their block doesn't keep, weakened until all of them hold. */
#ifndef WARD_INFER_REPAIR_H
#define WARD_INFER_REPAIR_H

#include "emit.h"

/* `rest` is the proof of a module behind its seal; it is replaced if there was something to repair and that succeeded. False: no memory. */
bool repair_claims(const struct wv_module *m, struct bytes *rest);

#endif
