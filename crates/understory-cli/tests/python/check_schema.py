"""Validates TOML files against a JSON schema with Python's own parsers.

Usage: check_schema.py SCHEMA.json FILE.toml...
Nothing here is shared with the program.
"""

import json
import sys
import tomllib

import jsonschema

schema, *files = sys.argv[1:]
with open(schema, encoding="utf-8") as text:
    schema = json.load(text)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
wrong = 0
for name in files:
    with open(name, "rb") as file:
        for error in validator.iter_errors(tomllib.load(file)):
            wrong += 1
            print(f"{name}: {error.json_path}: {error.message}")
print(f"{len(files)} files, {wrong} mistakes")
sys.exit(1 if wrong else 0)
