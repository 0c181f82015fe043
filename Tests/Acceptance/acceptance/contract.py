"""Checks real HTTP exchanges against the OpenAPI document."""

import re

import jsonschema


class Contract:
    """Checks every exchange of the session against the published document, and collects the differences."""

    def __init__(self, document):
        self.document = document
        self.faults = {}
        self.exchanges = 0
        self.seen = set()
        self._validators = {}
        # Fixed segments have priority over parameters: `calibrations/current` does not name a calibration.
        self._paths = sorted(
            ((re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(path)) + r"\Z"), path) for path in document["paths"]),
            key=lambda entry: entry[1].count("{"))

    def operations(self):
        """(method, path, operation), the methods in capitals."""
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation

    def match(self, path):
        """The path template in the document that matches this path, or None."""
        return next((template for pattern, template in self._paths if pattern.match(path)), None)

    def watch(self, response, *_arguments, **_more):
        """A hook of `requests`."""
        request = response.request
        path = request.path_url.split("?")[0]
        self.judge(request.method, path, response.status_code, response.headers, lambda: response.json())

    def judge(self, method, path, status, headers, body):
        self.exchanges += 1
        template = self.match(path)
        operation = self.document["paths"].get(template, {}).get(method.lower())
        if operation is None:
            if status not in (404, 405) and not (method in ("OPTIONS", "HEAD") and status < 500):
                self._fault(method, template or path, status, "answered an operation that is not documented")
            return
        self.seen.add((method, template, status))
        if "x-request-id" not in headers:
            self._fault(method, template, status, "no X-Request-ID")
        answer = operation["responses"].get(str(status))
        if answer is None:
            return self._fault(method, template, status, "a status that is not documented")
        for name, header in answer.get("headers", {}).items():
            if header.get("required") and name.lower() not in headers:
                self._fault(method, template, status, f"no header {name}")
        kind = headers.get("content-type", "")
        content = answer.get("content")
        if not content:
            if int(headers.get("content-length") or 0) > 0:
                self._fault(method, template, status, "a body where none is documented")
            return
        if kind not in content and "*/*" not in content:
            return self._fault(method, template, status, f"the content type {kind!r} is not documented")
        if kind.endswith("json") and "schema" in content[kind]:
            self._validate(method, template, status, kind, content[kind]["schema"], body())

    def _validate(self, method, template, status, kind, schema, body):
        key = (method, template, status, kind)
        if key not in self._validators:
            whole = {**schema, "components": self.document["components"]}
            self._validators[key] = jsonschema.Draft202012Validator(
                whole, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        for error in self._validators[key].iter_errors(body):
            pointer = "/".join(str(part) for part in error.absolute_path if not isinstance(part, int))
            self._fault(method, template, status, f"/{pointer}: {error.message[:300]}")

    def _fault(self, method, template, status, what):
        self.faults.setdefault((method, template, status, what), 0)
        self.faults[method, template, status, what] += 1
