"""Changes of study packs."""

import yaml


def change(path, edit):
    """Changes the content of a YAML file in place."""
    content = yaml.safe_load(path.read_text())
    edit(content)
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False))
