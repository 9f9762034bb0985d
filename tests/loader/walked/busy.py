# SPDX-License-Identifier: Apache-2.0
"""Keeps the interpreter, its regular expressions and its JSON writer busy, at several depths."""
import json
import re


def deeper(n):
    return deeper(n - 1) + [n] if n else [json.dumps({"a": [1, 2, 3]})]


while True:
    re.sub("a(b|c)*", "x", "abcbcbabac" * 20)
    deeper(20)
    sorted(map(str, range(300)))
