"""Write codemeta.json and .zenodo.json, which say what CITATION.cff and pyproject.toml say.

python release/metadata.py
"""

import json
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


def metadata() -> dict[str, dict[str, Any]]:
    """Content of both files, by their names."""
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    authors = [author["name"] for author in cff["authors"]]
    papers = [(paper["title"], paper.get("doi")) for paper in cff["references"]]
    codemeta = {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": cff["abstract"],
        "version": cff["version"],
        "datePublished": cff["date-released"].isoformat(),
        "license": f"https://spdx.org/licenses/{cff['license']}",
        "author": [{"@type": "Organization", "name": name} for name in authors],
        "keywords": cff["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [
            {
                "@type": "ScholarlyArticle",
                "name": title,
                **({"@id": f"https://doi.org/{doi}"} if doi else {}),
            }
            for title, doi in papers
        ],
    }
    zenodo = {
        "title": cff["title"],
        "upload_type": "software",
        "description": cff["abstract"],
        "version": cff["version"],
        "publication_date": cff["date-released"].isoformat(),
        "license": cff["license"].lower(),
        "creators": [{"name": name} for name in authors],
        "keywords": cff["keywords"],
        "related_identifiers": [
            {"identifier": doi, "relation": "references", "scheme": "doi"}
            for _, doi in papers
            if doi
        ],
    }
    return {"codemeta.json": codemeta, ".zenodo.json": zenodo}


if __name__ == "__main__":
    for name, content in metadata().items():
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (ROOT / name).write_text(f"{text}\n", "utf-8")
