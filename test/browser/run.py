#!/usr/bin/env python3
"""Opens the pages that gluonc makes in a headless Chromium: scripts run without errors, nothing else is loaded, pointer
and keys tell what is there, screenshots are not blank. Before that, without a browser: images are well-formed XML with a text
alternative, every reference within them leads somewhere, and the same command gives the same bytes.

    run.py --gluonc BIN [--shots FOLDER] [--site FOLDER] [NAME…]

Where the site of docs/ was built (`./dev docs`), its pages open, too: without errors, with their pictures, and with nothing
that comes from elsewhere.

Exits with 77, which counts as skipped, where there is no browser (CHROMIUM names one).
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import chromium
from pages import PICTURES, REPORTS

HERE = pathlib.Path(__file__).resolve().parent
SVG = "{http://www.w3.org/2000/svg}"


class Failed(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failed(what)


def make(gluonc, arguments, path, name="-o"):
    command = [gluonc, *arguments, name, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=HERE, timeout=120)
    expect(result.returncode == 0, f"{command}: {result.stderr}")
    return path


def check_image(path):
    root = ElementTree.parse(path).getroot()
    expect(root.get("role") == "img" and root.get("aria-label"), "no label")
    expect(root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text, "no text alternative")
    text = path.read_text(encoding="utf-8")
    identifiers = re.findall(r' id="([^"]+)"', text)
    expect(len(identifiers) == len(set(identifiers)), "one id twice")
    for reference in re.findall(r"url\(#([^)]+)\)", text):
        expect(reference in identifiers, f"nothing has the id {reference}")
    for cell in root.iter(f"{SVG}g"):
        expect(cell.find(f"{SVG}rect") is not None, "a cell without a box")
        expect(cell.find(f"{SVG}text") is None or cell.find(f"{SVG}title") is not None, "a label without words")


def check_images(gluonc, folder, names):
    for name in names:
        arguments = [*PICTURES[name], "--format", "svg"]
        path = make(gluonc, arguments, folder / f"{name}.svg")
        check_image(path)
        expect(make(gluonc, arguments, folder / "again.svg").read_bytes() == path.read_bytes(), "other bytes")


def check_loaded(page):
    expect(not page.errors, f"errors: {page.errors}")
    expect(all(url.startswith("file:") for url in page.requests) and len(page.requests) == 1,
           f"it loads {page.requests}")


def check_shot(page, path):
    """Not blank; all of it goes to `path`, if there is one."""
    if path:
        path.write_bytes(page.screenshot())
    counts = sorted(chromium.colours(page.screenshot(most=300)).values(), reverse=True)
    expect(len(counts) > 4 and sum(counts[1:]) > 500, "the screenshot is blank")


def middle(page, selector):
    """Where the middle of the first of these is; it is brought into the window."""
    box = page.evaluate(f"(e => {{ e.scrollIntoView({{block: 'center', inline: 'center'}}); const b = e.getBoundingClientRect();"
                        f" return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({selector!r}))")
    expect(box, f"there is no {selector}")
    return box


def check_picture(page):
    told = "document.getElementById('told').textContent"
    expect(page.evaluate("document.querySelectorAll('.k').length") > 0, "no cells")
    title = page.evaluate("document.querySelector('.k title').textContent")
    x, y = middle(page, ".k rect")
    page.mouse(x, y)
    expect(page.evaluate(told) == title, f"the pointer tells {page.evaluate(told)!r}, not {title!r}")
    page.click(x, y)
    page.mouse(1, 1)
    expect(page.evaluate(told).startswith(title), "a click does not hold")
    page.evaluate("image.focus()")
    page.key("Escape")
    page.key("ArrowRight")
    page.key("ArrowRight")
    expect(page.evaluate("cells.indexOf(here)") > 0, "an arrow key does not move")
    page.key("Escape")


def check_trace(page):
    expect(page.evaluate("rows.size") > 1 and page.evaluate("canvas.width") > 300, "no rows")
    span = page.evaluate("(s => [(place(s.ts) + place(s.ts + s.dur)) / 2, (s.row + 0.5) * rowHeight])"
                         "(spans.find(s => s.cat != 'CTA'))")
    left, top = page.evaluate("(b => [b.x, b.y])(canvas.getBoundingClientRect())")
    page.mouse(left + span[0], top + span[1])
    expect(page.evaluate("tip.style.display") == "block" and page.evaluate("tip.textContent"), "the pointer tells nothing")
    before = page.evaluate("to - from")
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=left + span[0], y=top + span[1], deltaX=0, deltaY=-100)
    expect(page.evaluate("to - from") < before, "the wheel does not zoom")


def check_report(page):
    expect(page.evaluate("document.querySelectorAll('tr.line').length") > 3, "no source")
    x, y = middle(page, "tr.found td.code")
    expect(page.evaluate("getComputedStyle(document.querySelector('tr.why')).display") == "none", "reasons are not folded")
    page.click(x, y)
    expect(page.evaluate("getComputedStyle(document.querySelector('tr.why')).display") != "none", "a click shows no reason")
    expect("hint" in page.evaluate("document.querySelector('tr.why').textContent"), "no hint")


def pages(gluonc, folder, names):
    """(name, path, check of the page)"""
    for name in names:
        path = folder / f"{name}.html"
        if name in PICTURES:
            yield name, make(gluonc, [*PICTURES[name], "--format", "html"], path), check_picture
        elif name == "trace":
            yield name, make(gluonc, REPORTS[name], path, "--trace"), check_trace
        else:
            yield name, make(gluonc, REPORTS[name], path), check_report


def check_site(page, folder, shots):
    """How many pages of the site were opened, each light, those with pictures dark, too."""
    paths = sorted(path for path in folder.rglob("*.html") if path.name != "404.html")
    for path in paths:
        name = path.relative_to(folder)
        for dark in (False, True) if "<img" in path.read_text(encoding="utf-8") else (False,):
            page.open(path, dark=dark)
            try:
                expect(not page.errors, f"errors: {page.errors}")
                elsewhere = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
                expect(not elsewhere, f"it loads {elsewhere}")
                expect(page.evaluate("!!document.querySelector('h1')?.textContent"), "no title")
                blank = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
                expect(not blank, f"pictures without anything: {blank}")
                nameless = page.evaluate("[...document.querySelectorAll('article img')].filter(i => !i.alt).length")
                expect(not nameless, "pictures without words")
                if path.name == "index.html":
                    check_shot(page, shots and shots / f"site-{'dark' if dark else 'light'}.png")
            except Failed as problem:
                raise Failed(f"{name}: {problem}") from None
    expect(len(paths) > 50, f"only {len(paths)} pages")
    return len(paths)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True, type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path, help="where screenshots stay")
    parser.add_argument("--site", type=pathlib.Path, help="where the documentation was built")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    gluonc = str(options.gluonc.resolve())
    names = options.names or [*PICTURES, *REPORTS]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.shots or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        name, opened = "", 0
        try:
            check_images(gluonc, folder, [name for name in names if name in PICTURES])
            browser = chromium.find()
            if not browser:
                print("browser: images are well-formed; there is no Chromium, so pages are skipped")
                return 77
            with chromium.Page(browser) as page:
                for name, path, check in pages(gluonc, folder, names):
                    for mode in ("light", "dark"):
                        page.open(path, dark=mode == "dark")
                        check_shot(page, options.shots and options.shots / f"{name}-{mode}.png")
                        check(page)
                        check_loaded(page)
                name = "site"
                if options.site and options.site.is_dir() and not options.names:
                    opened = check_site(page, options.site, options.shots)
        except Failed as problem:
            print(f"browser: {name}: {problem}")
            return 1
    site = f", {opened} of the site" if opened else ""
    print(f"browser: {len(names)} pages, light and dark{site}, are as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
