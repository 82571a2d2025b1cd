#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Turns the notes scribbled at the analyser into rows of the assay log."""
import datetime
import logging
import os

from openai import OpenAI

log = logging.getLogger("assay")

MODEL = "gpt-4o-mini"
KNOWN_UNITS = ("ng/mL", "mg/dL", "mmol/L", "IU/L", "g/L", "pmol/L")

PROMPT = """You transcribe bench notes into the laboratory's assay log.

Note:
%(note)s

Reply with exactly these six lines and nothing else:
sample: <sample id, as written in the note>
analyte: <name of the analyte, lower case>
value: <number only, decimal point>
unit: <one of %(units)s>
replicate: <whole number>
run_on: <YYYY-MM-DD>
"""


class LLMMixin(object):
    """Anything that needs to talk to the model."""

    model = MODEL
    temperature = 0

    def get_client(self):
        if not hasattr(self, "_client"):
            self._client = OpenAI(
                base_url=os.environ["OPENAI_BASE_URL"],
                api_key=os.environ.get("OPENAI_API_KEY", "none"),
            )
        return self._client

    def ask(self, prompt):
        log.debug("prompt of %d characters", len(prompt))
        response = self.get_client().chat.completions.create(
            model=self.model,
            temperature=self.temperature,
            messages=[{"role": "user", "content": prompt}],
        )
        return response.choices[0].message.content


class KeyValueMixin(object):
    """Reads 'key: value' lines into a dictionary."""

    separator = ": "

    def read_pairs(self, text):
        pairs = {}
        for line in text.splitlines():
            line = line.strip()
            if not line:
                continue
            key, value = line.split(self.separator, 1)
            pairs[key] = value
        return pairs


class ValidationError(Exception):
    pass


class CleanMixin(object):
    """Calls clean_<field> for every field, old web-framework fashion."""

    fields = ()

    def clean(self, raw):
        cleaned = {}
        for name in self.fields:
            if name not in raw:
                raise ValidationError("no field %r in %r" % (name, sorted(raw)))
            method = getattr(self, "clean_%s" % name, None)
            cleaned[name] = method(raw[name]) if method else raw[name]
        return cleaned


class AssayLogEntry(LLMMixin, KeyValueMixin, CleanMixin):

    fields = ("sample", "analyte", "value", "unit", "replicate", "run_on")

    def __init__(self, note):
        self.note = note

    def clean_value(self, value):
        return float(value)

    def clean_unit(self, value):
        if value not in KNOWN_UNITS:
            raise ValidationError("unit %r is not one of ours" % (value,))
        return value

    def clean_replicate(self, value):
        return int(value)

    def clean_run_on(self, value):
        return datetime.datetime.strptime(value, "%Y-%m-%d").date()

    def build(self):
        answer = self.ask(PROMPT % {"note": self.note, "units": ", ".join(KNOWN_UNITS)})
        return self.clean(self.read_pairs(answer))


def run(request: str):
    entry = AssayLogEntry(request).build()
    entry["run_on"] = entry["run_on"].isoformat()
    return entry


if __name__ == "__main__":
    import sys
    logging.basicConfig(level=logging.DEBUG)
    print("%r" % (run(sys.stdin.read()),))
