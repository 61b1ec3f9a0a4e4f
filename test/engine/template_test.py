#!/usr/bin/env python3
"""The engine's templates beside Jinja's, with the settings that transformers has for chat templates.

    template_test.py PROGRAM [FOLDER]

PROGRAM is TemplateTool of examples/engine; every *.jinja of FOLDER is rendered, too. Exit status 77: PROGRAM or the package jinja2 is
not there.
"""

import json
import pathlib
import subprocess
import sys
import time

try:
    import jinja2
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class Generation(Extension):
    """The block {% generation %}, which says what a model is trained on."""
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(text):
    raise jinja2.TemplateError(text)


def environment():
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    made.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    made.globals |= {"raise_exception": raise_exception, "strftime_now": time.strftime}
    return made


CHATML = """{%- if messages[0].role == 'system' -%}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(last=messages|length - 1, found=false) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if not ns.found and message.role == "user" and message.content is string %}
        {%- set ns.found = true %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'system' and loop.first %}{% continue %}{% endif %}
    {%- set content = message.content %}
    {%- if message.role == 'assistant' and '</think>' in content %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' ~ message['role'] + '\\n' + content|trim + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""

HEADERS = """{{ bos_token }}
{%- macro header(role, mark='') %}<|start_header_id|>{{ role }}{{ mark }}<|end_header_id|>

{% endmacro %}
{# The first message may be the system's. #}
{% if messages and messages[0]['role'] == 'system' %}
  {% set system = messages[0]['content'] | trim %}
  {% set rest = messages[1:] %}
{% else %}
  {% set system = none %}
  {% set rest = messages %}
{% endif %}
{% if system is not none %}{{ header('system') ~ system }}<|eot_id|>{% endif %}
{% for message in rest %}
    {% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{ raise_exception('roles must take turns') }}
    {% endif %}
{{ header(message.role, mark='!' if loop.last else '') }}{{ message.content | trim }}<|eot_id|>{{ '\\n' if not loop.last }}
{%- else %}
nobody speaks
{% endfor %}
"""

SNIPPETS = [
    "a\n  {% if true %}\n b\n  {%- endif %}  \nc\n{# x #}\nd {{- 1 }}\n\n", "{%+ if true %} x {% endif +%}\n y\n", "  {% set x = 1 -%}\n\n {{ x }}\n",
    "{{ [1, 2.5, 'x', none, true, {'a': 'b\\n'}] }} {{ 'it''s' }} {{ \"it's\" ~ ['it\\'s', 1e0 if false else 2] }}", "{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 10 }} {{ 1.5 + 1 }} {{ 10 - 2 - 3 }}",
    "{{ 'abc'[1] }}{{ 'abc'[-1] }}{{ 'äöü'[::-1] }}{{ 'abcdef'[1:-1:2] }}{{ [1,2,3][:2] }}{{ [1,2,3][5:] }}{{ 'aé日'|length }}",
    "{{ 1 < 2 < 3 }} {{ 1 == 1.0 }} {{ 'a' in 'cat' }} {{ 'x' not in ['y'] }} {{ not 1 is string }} {{ 'a' < 'b' }} {{ {} == {} }} {{ none == false }}",
    "{{ missing }}|{{ missing is defined }}|{{ x.y is defined }}|{{ x.a.b is defined }}|{{ missing|default('d') }}|{{ ''|default('e', true) }}|{{ x['q'] }}",
    "{% for k, v in x.items() %}{{ loop.index }}{{ k }}={{ v }}{% if not loop.last %}, {% endif %}{% endfor %}", "{% for i in range(10) if i is odd %}{% if i == 7 %}{% break %}{% endif %}{{ loop.index }}:{{ i }} {% else %}none{% endfor %}",
    "{% for i in [] %}x{% else %}empty{% endfor %}", "{% set y = 1 %}{% for i in [1] %}{% set y = 2 %}{{ y }}{% endfor %}{{ y }}", "{% set ns = namespace(n=0) %}{% for i in [1,2,3] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
    "{% macro m(a, b='d', c=none) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ m(1) }}{{ m(1, c=2) }}{{ m('x', 'y', 'z')|upper }}", "{% set t %}a{{ 1 }}b{% endset %}{{ t|length }}{{ t }}",
    "{{ '  x y '|trim }}|{{ 'xxaxx'.strip('x') }}|{{ ' a  b '.split() }}|{{ 'a,b,c'.split(',', 1) }}|{{ 'abc'.startswith(('x', 'a')) }}|{{ 'abc'.replace('b', 'B') }}|{{ 'ÄB'|lower }}|{{ 'hello World'|capitalize }}",
    "{{ x|tojson }} {{ x|tojson(indent=2) }} {{ [1, 'ä\"', none]|tojson }} {{ {}|tojson(indent=4) }}", "{{ l|map(attribute='n')|join('-') }} {{ l|selectattr('n', 'equalto', 2)|list|length }} {{ l|rejectattr('n', 'eq', 2)|map(attribute='n')|list }} {{ ['a','b']|map('upper')|join }}",
    "{{ [3, 1, 2]|sort|first }} {{ [3, 1]|last }} {{ 'abc'|reverse }} {{ [1, 1, 2]|unique|list }} {% for k, v in x|dictsort %}{{ k }}{{ v }}{% endfor %} {{ '3'|int + 1 }} {{ 'q'|int(5) }} {{ '2.5'|float }} {{ -3|abs }}",
    "{{ 'a' if false }}|{{ 'a' if false else 'b' if true else 'c' }}|{{ (1, 2)[0] }}|{{ 'x' 'y' }}|{{ 'a\\tb\\\\n' }}", "{{ x.get('a', 0) }} {{ x.get('zz') }} {{ x.keys()|list }} {{ x['a'] is mapping }} {{ x is mapping }} {{ 5 is divisibleby 5 }} {{ 'a'|string is string }}",
    "{% if a is defined and a %}1{% elif x %}2{% else %}3{% endif %}", "{% generation %}x{{ 1 }}{% endgeneration %}y", "{{ 'a\\nb\\n\\nc'|indent(2) }}|{{ 'a\\nb'|indent(2, true) }}", "{{ strftime_now('%Y %%') }}{{ '%s' if false else '}}' }}{{ {'a': {'b': 1}}['a']['b'] }}",
    "{% set a, b = [1, 2] %}{{ b }}{{ a }}", "{{ messages[0].content.strip() }}{{ (messages|last)['role'] }}{{ messages[-1].role }}", "{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined }}>{{ loop.nextitem.role if not loop.last }};{% endfor %}",
    "", "\n", "x\n\n", "{{ '' }}\n", "{%- for m in messages -%}\n {{ m.role }}\n{%- endfor -%}\n", "no { tags % here #}",
]
# Errors in both; what the engine does not have is one in it alone.
WRONG = ["{{ missing.x }}", "{{ 1 + 'a' }}", "{% for i in missing.x %}{% endfor %}", "{{ raise_exception('no') }}", "{% if %}{% endif %}", "{{ 1", "{% for x in y %}", "{{ x.a.b.c }}",
         "{% endif %}", "{{ 'x }}", "{{ 1 / 0 }}", "{{ missing() }}", "{{ 'a' < 1 }}", "{{ x|nofilter }}", "{{ x is notest }}", "{{ (1 }}", "{{ ]1 }}", "{% nothing %}", "{{ x. }}", "{{ 1 in 'a' }}"]
MISSING = ["{% include 'x' %}", "{% raw %}{{{% endraw %}", "{{ '\\x41' }}", "{% call m() %}{% endcall %}", "{{ 'a'.encode() }}", "{{ [1]|sort(reverse=true) }}", "{{ 2 ** 1000 }}",
           "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ " + "(" * 5000 + ")" * 5000 + " }}", "{{ 1" + " + 1" * 5000 + " }}",
           "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}"]
CHATS = [[], [("user", "Hello")], [("system", " Be kind. "), ("user", "Größe?\n"), ("assistant", "<think>\nhm\n</think>\n\nTall."), ("user", "日本 {{ x }}")],
         [("user", "a"), ("user", "b")], [("assistant", "first")], [("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4")]]


def variables(chat, **more):
    return {"messages": [{"role": role, "content": content} for role, content in chat], "add_generation_prompt": True, "tools": None,
            "documents": None, "bos_token": "<|begin_of_text|>", "eos_token": "<|end|>", "x": {"b": 1, "a": "ä"}, "l": [{"n": 1}, {"n": 2}]} | more


def theirs(template, given):
    """The text, or None for an error."""
    try:
        return environment().from_string(template).render(**given)
    except (jinja2.TemplateError, TypeError, ZeroDivisionError):
        return None


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    if not pathlib.Path(program).exists():
        print(f"skipped: there is no {program}")
        sys.exit(77)
    cases = [(text, variables(CHATS[2])) for text in SNIPPETS + WRONG]
    named = [(text, text) for text in (CHATML, HEADERS)]
    named += [(path.name, path.read_text()) for folder in folders for path in sorted(pathlib.Path(folder).glob("*.jinja"))]
    for _, text in named:
        cases += [(text, variables(chat, **more)) for chat in CHATS
                  for more in ({}, {"enable_thinking": False}, {"add_generation_prompt": False, "reasoning_effort": "low"})]
    cases += [(text, variables([])) for text in MISSING]
    lines = [json.dumps({"template": text, "variables": given}) for text, given in cases]
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    names = {text: name for name, text in named}
    wrong, refused = 0, set()
    for (text, given), answer in zip(cases, answers):
        expected = None if text in MISSING else theirs(text, given)
        if answer.get("text") != expected:
            if "error" in answer and "not supported" in answer["error"] and text in names:
                refused.add((names[text], answer["error"]))
                continue
            wrong += 1
            print(f"{names.get(text, text)[:200]!r}, {[m['role'] for m in given['messages']]}:\n  engine {str(answer)[:400]}\n  jinja  {str(expected)[:400]!r}")
    for name, error in sorted(refused):
        print(f"{name}: {error}")
    print(f"{len(cases)} texts, {wrong} wrong, {len(refused)} templates refused")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
