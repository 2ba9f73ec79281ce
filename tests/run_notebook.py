"""Run the code of a notebook, and print as JSON what each of its cells writes to standard output.

python run_notebook.py NOTEBOOK
"""

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

if __name__ == "__main__":
    names: dict = {}
    printed = []
    for cell in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with redirect_stdout(io.StringIO()) as text:
                exec("".join(cell["source"]), names)
            printed.append(text.getvalue())
    print(json.dumps(printed))
