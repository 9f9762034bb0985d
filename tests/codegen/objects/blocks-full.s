	.include "blocks.s"
