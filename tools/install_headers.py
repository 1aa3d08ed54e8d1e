#!/usr/bin/env python3
"""Installs the *.hpp files of some folders of the source tree: run by `meson install`.

Usage: install_headers.py INCLUDE_DIR FOLDER...     (INCLUDE_DIR below the prefix)
"""

import os
import pathlib
import shutil
import sys

source = pathlib.Path(os.environ["MESON_SOURCE_ROOT"])
target = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / sys.argv[1]
for folder in sys.argv[2:]:
    (target / folder).mkdir(parents=True, exist_ok=True)
    for header in sorted((source / folder).glob("*.hpp")):
        shutil.copyfile(header, target / folder / header.name)
        if not os.environ.get("MESON_INSTALL_QUIET"):
            print("Installing", target / folder / header.name)
