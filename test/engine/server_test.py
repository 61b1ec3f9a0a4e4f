#!/usr/bin/env python3
"""The server of examples/engine from outside, with a test double as its model.

    server_test.py PROGRAM [TEST…]

PROGRAM is engine_double of examples/engine. Exit status 77: the packages tokenizers and numpy are not there.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from double import DIE, FAIL, LOSE, VOCABULARY, Model, Server, free_port, log_probability, make_model, near, next_token

LONG = dict(max_tokens=1500, ignore_eos=True)


def test_paths(model, program):
    with Server(program, model.folder, "--name", "some/model") as server:
        assert server.name == "some/model"
        assert server.request("GET", "/health") == (200, {"status": "ok"})
        status, models = server.request("GET", "/v1/models?x=1")
        assert status == 200 and [entry["id"] for entry in models["data"]] == ["some/model"], models
        assert server.request("GET", "/v1/models/some/model")[1] == models["data"][0]
        assert server.request("GET", "/v1/models/other")[0] == 404
        for method, path, expected in (("GET", "/", 404), ("GET", "/v1/completions", 405), ("POST", "/health", 405),
                                       ("GET", "/v1/chat/completions", 405), ("DELETE", "/v1/models", 405)):
            status, body = server.request(method, path)
            assert status == expected and body["error"]["type"] == "invalid_request_error", (method, path, status, body)
        head = server.raw(b"HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 405") and head.endswith(b"\r\n\r\n"), head
        connection = server.connect()
        for _ in range(3):
            assert server.request("GET", "/health", connection=connection)[0] == 200
        pipelined = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 3 + b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
        assert server.raw(pipelined).count(b'{"status":"ok"}') == 4


def check_choice(model, choice, prompt, finish_text=None, **options):
    tokens, reason = model.answer(prompt, **options)
    assert choice["finish_reason"] == reason, (choice, tokens, reason)
    assert choice["text"] == (finish_text or "") + model.text(tokens), (choice, model.text(tokens))
    return len(tokens)


def test_completions(model, program):
    with Server(program, model.folder) as server:
        tokens = model.encode("The pages")
        for prompt, prompts in (("The pages", [tokens]), (["The pages", "Größe"], [tokens, model.encode("Größe")]),
                                (tokens, [tokens]), ([tokens, [7]], [tokens, [7]]), ("", [model.encode("")])):
            for n in (1, 3):
                status, body = server.complete(prompt=prompt, n=n, max_tokens=12)
                assert status == 200 and body["object"] == "text_completion", body
                assert [choice["index"] for choice in body["choices"]] == list(range(n * len(prompts)))
                count = sum(check_choice(model, choice, prompts[i // n], max_tokens=12)
                            for i, choice in enumerate(body["choices"]))
                sizes = sum(map(len, prompts))
                assert body["usage"] == {"prompt_tokens": sizes, "completion_tokens": count, "total_tokens": sizes + count}
        body = server.complete(prompt="The pages", echo=True)[1]
        check_choice(model, body["choices"][0], "The pages", "The pages")
        body = server.complete(prompt="The pages", echo=True, max_tokens=0)[1]
        assert body["choices"][0] == {"index": 0, "text": "The pages", "logprobs": None, "finish_reason": "length"}
        body = server.complete(prompt="x", temperature=1, seed=1234, n=2)[1]
        check_choice(model, body["choices"][0], "x", seed=1234)
        check_choice(model, body["choices"][1], "x", seed=1234 + 0x9E3779B97F4A7C15 & (1 << 64) - 1)
        default = {server.complete(prompt="x", temperature=None)[1]["choices"][0]["text"]
                   for _ in range(8)}
        assert len(default) > 1, "without a temperature and a seed answers differ"
        text = model.text(model.answer("x", 40, ignore_end=True)[0])
        at = next(i for i in range(8, len(text)) if text[i:i + 2].isascii() and text.index(text[i:i + 2]) == i)
        body = server.complete(prompt="x", stop=["\0never", text[at:at + 2]], max_tokens=40, ignore_eos=True)[1]
        assert body["choices"][0]["text"] == text[:at] and body["choices"][0]["finish_reason"] == "stop", body


def test_streams(model, program):
    with Server(program, model.folder) as server:
        connection = server.connect()
        for fields in (dict(prompt="The pages"), dict(prompt=["a", "b"], n=2), dict(prompt=[1, 2, 3], echo=True),
                       dict(prompt="x", max_tokens=100), dict(prompt="x", max_tokens=0, echo=True)):
            whole = server.complete(**fields)[1]
            chunks = server.stream(connection, **fields, stream_options={"include_usage": True})
            assert chunks[-1]["choices"] == [] and chunks[-1]["usage"] == whole["usage"], chunks[-1]
            assert all(chunk["usage"] is None for chunk in chunks[:-1])
            for choice in whole["choices"]:
                own = [chunk["choices"][0] for chunk in chunks[:-1] if chunk["choices"][0]["index"] == choice["index"]]
                assert "".join(part["text"] for part in own) == choice["text"], (own, choice)
                assert [part["finish_reason"] for part in own] == [None] * (len(own) - 1) + [choice["finish_reason"]]
        assert "usage" not in server.stream(prompt="x")[0]
        old = server.raw(b"POST /v1/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s" % (
            len(body := json.dumps({"model": server.name, "prompt": "x", "stream": True}).encode()), body))
        assert b"chunked" not in old and old.endswith(b"data: [DONE]\n\n"), old


def chat_text(*messages):
    """What the template of make_model.py makes of (role, content)."""
    header = "<|start_header_id|>{}<|end_header_id|>\n\n"
    said = "".join(header.format(role) + content.strip() + "<|eot_id|>" for role, content in messages)
    return "<|begin_of_text|>" + said + header.format("assistant")


def test_chat(model, program):
    with Server(program, model.folder) as server:

        def chat(**fields):
            return server.request("POST", "/v1/chat/completions", {"model": server.name, "temperature": 0} | fields)

        messages = [{"role": "system", "content": " Be kind. "}, {"role": "user", "content": "The pages?"}]
        prompt = model.tokenizer.encode(chat_text(("system", "Be kind."), ("user", "The pages?")), add_special_tokens=False).ids
        assert prompt[0] == model.encode("")[0] and len(prompt) > 10
        tokens, reason = model.answer(prompt, 20)
        status, body = chat(messages=messages, max_tokens=20)
        assert status == 200 and body["object"] == "chat.completion" and body["id"].startswith("chatcmpl-"), body
        assert body["choices"] == [{"index": 0, "message": {"role": "assistant", "content": model.text(tokens)}, "logprobs": None,
                                    "finish_reason": reason}], body
        assert body["usage"]["prompt_tokens"] == len(prompt) and body["usage"]["completion_tokens"] == len(tokens)
        parts = [{"type": "text", "text": "The"}, {"type": "text", "text": "pages?"}]
        joined = model.tokenizer.encode(chat_text(("user", "The\npages?")), add_special_tokens=False).ids
        body = chat(messages=[{"role": "user", "content": parts, "name": "me"}], max_completion_tokens=5)[1]
        assert body["choices"][0]["message"]["content"] == model.text(model.answer(joined, 5)[0]), body
        status, text = chat(messages=messages, max_tokens=20, stream=True, n=2, seed=7, stream_options={"include_usage": True})
        assert status == 200, text
        chunks = [json.loads(event.removeprefix("data: ")) for event in text.split("\n\n")[:-2]]
        for index in (0, 1):
            own = [chunk["choices"][0] for chunk in chunks[:-1] if chunk["choices"][0]["index"] == index]
            assert [("role" in part["delta"]) for part in own] == [True] + [False] * (len(own) - 1), own
            assert "".join(part["delta"]["content"] for part in own) == model.text(tokens) and own[-1]["finish_reason"] == reason
        assert chunks[-1]["choices"] == [] and {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
        # Without a limit up to the end of the context.
        body = chat(messages=messages, ignore_eos=True)[1]
        assert body["usage"]["total_tokens"] == 2048 and body["choices"][0]["finish_reason"] == "length", body["usage"]
        for fields, parameter in (({"messages": []}, "messages"), ({"messages": "x"}, "messages"), ({"messages": [1]}, "messages"),
                                  ({"messages": [{"role": "user"}]}, "messages"), ({"messages": [{"role": 1, "content": "x"}]}, "messages"),
                                  ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]}, "messages"),
                                  ({"messages": messages + [{"role": "user", "content": "x", "tool_calls": []}]}, "messages"),
                                  ({"messages": messages, "tools": []}, "tools"), ({"messages": messages, "logprobs": 1}, "logprobs"),
                                  ({"messages": messages, "top_logprobs": 1}, "top_logprobs"),
                                  ({"messages": messages, "logprobs": True, "top_logprobs": 21}, "top_logprobs"),
                                  ({"messages": messages, "prompt": "x"}, "prompt"), ({"messages": messages, "max_tokens": 0}, "max_tokens"),
                                  ({"messages": messages, "response_format": {"type": "json_object"}}, "response_format"),
                                  ({"messages": messages, "chat_template_kwargs": 1}, "chat_template_kwargs"),
                                  ({"messages": [{"role": "user", "content": "a b " * 3000}]}, "prompt"), ({}, "messages")):
            status, body = chat(**fields)
            assert status == 400 and body["error"]["param"] == parameter and body["error"]["message"], (fields, status, body)
        assert chat(messages=messages, logprobs=False, tools=None, max_tokens=1, response_format={"type": "text"})[0] == 200
    (model.folder / "chat_template.jinja").write_text("{% if style is defined %}{{ style }}{% else %}{{ raise_exception('no style') }}{% endif %}")
    with Server(program, model.folder) as server:
        status, body = chat(messages=messages, chat_template_kwargs={"style": "The pages"}, max_tokens=4)
        tokens = model.tokenizer.encode("The pages", add_special_tokens=False).ids
        assert body["choices"][0]["message"]["content"] == model.text(model.answer(tokens, 4)[0]), body
        status, body = chat(messages=messages)
        assert status == 400 and "no style" in body["error"]["message"], body
    for text, why in (("{% include 'x' %}", "line 1: the tag `include` is not supported"), (None, "there is no chat template")):
        if text:
            (model.folder / "chat_template.jinja").write_text(text)
        else:
            (model.folder / "chat_template.jinja").unlink()
        with Server(program, model.folder) as server:
            status, body = chat(messages=messages)
            assert status == 400 and why in body["error"]["message"] and server.complete(prompt="x")[0] == 200, body


def test_logprobs(model, program):
    with Server(program, model.folder) as server:
        texts = [model.tokenizer.decode([token], skip_special_tokens=False) for token in range(VOCABULARY)]

        def top_of(context, greedy_seed=0):
            best = next_token(context, greedy_seed)
            return [((best + i) % VOCABULARY, log_probability(i)) for i in range(20)]

        prompt = model.encode("The pages")
        tokens, reason = model.answer(prompt, 40)
        told = tokens[:-1] if reason == "stop" else tokens
        for count in (0, 1, 5):
            body = server.complete(prompt="The pages", max_tokens=40, logprobs=count)[1]
            found = body["choices"][0]["logprobs"]
            assert body["choices"][0]["text"] == model.text(tokens)
            assert list(map(len, found.values())) == [len(told)] * 4, found
            for i, token in enumerate(told):
                top = top_of(prompt + tokens[:i])
                assert found["token_logprobs"][i] == near(top[0][1]), (found, i)
                name = texts[token] if "\ufffd" not in texts[token] else None
                assert name in (None, found["tokens"][i]) and (name or found["tokens"][i].startswith("bytes:\\x")), found
                assert len(found["top_logprobs"][i]) == max(count, 1) and found["top_logprobs"][i][found["tokens"][i]] == near(top[0][1])
                # Bytes before it that began a character belong to it until they turn out not to.
                assert body["choices"][0]["text"][found["text_offset"][i]:].lstrip("\ufffd").startswith(name or ""), (found, i)
        # A token that was drawn is there, too, where it is not among the likeliest.
        body = server.complete(prompt="x", temperature=1, seed=5, max_tokens=8, logprobs=2, ignore_eos=True)[1]["choices"][0]["logprobs"]
        drawn, _ = model.answer("x", 8, seed=5, ignore_end=True)
        for i, token in enumerate(drawn):
            best = next_token(model.encode("x") + drawn[:i], 0)
            assert body["token_logprobs"][i] == near(log_probability((token - best) % VOCABULARY)), (body, i)
            assert body["tokens"][i] in body["top_logprobs"][i] and len(body["top_logprobs"][i]) in (2, 3)
        assert server.complete(prompt="x")[1]["choices"][0]["logprobs"] is None
        whole = server.complete(prompt=["x", "The pages"], max_tokens=30, logprobs=3)[1]
        chunks = server.stream(prompt=["x", "The pages"], max_tokens=30, logprobs=3)
        for choice in whole["choices"]:
            parts = [chunk["choices"][0]["logprobs"] for chunk in chunks if chunk["choices"][0]["index"] == choice["index"]]
            for key, values in choice["logprobs"].items():
                assert [value for part in parts if part for value in part[key]] == values, key

        def chat(**fields):
            return server.request("POST", "/v1/chat/completions", {
                "model": server.name, "temperature": 0, "messages": [{"role": "user", "content": "The pages"}], "max_tokens": 25} | fields)

        prompt = model.tokenizer.encode(chat_text(("user", "The pages")), add_special_tokens=False).ids
        tokens, reason = model.answer(prompt, 25)
        told = tokens[:-1] if reason == "stop" else tokens
        status, body = chat(logprobs=True, top_logprobs=3)
        content = body["choices"][0]["logprobs"]["content"]
        assert status == 200 and body["choices"][0]["logprobs"]["refusal"] is None and len(content) == len(told), body
        joined = b"".join(bytes(entry["bytes"]) for entry in content if not entry["token"].startswith("<|"))
        assert joined.decode(errors="replace") == body["choices"][0]["message"]["content"] == model.text(tokens)
        for i, entry in enumerate(content):
            top = top_of(prompt + tokens[:i])[:3]
            assert entry["logprob"] == near(top[0][1]) and [near(part["logprob"]) == value for part, (_, value) in zip(entry["top_logprobs"], top)]
            assert [bytes(part["bytes"]) for part in entry["top_logprobs"]][0] == bytes(entry["bytes"]), entry
        assert chat(logprobs=True)[1]["choices"][0]["logprobs"]["content"][0]["top_logprobs"] == []
        chunks = [json.loads(event.removeprefix("data: ")) for event in chat(logprobs=True, top_logprobs=3, stream=True)[1].split("\n\n")[:-2]]
        parts = [chunk["choices"][0]["logprobs"] for chunk in chunks]
        assert [entry for part in parts if part for entry in part["content"]] == content


WEATHER = {"type": "function", "function": {"name": "weather", "description": "The weather of a city",
                                            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "an": {"type": "integer"}}}}}
TIME = {"type": "function", "function": {"name": "time"}}


def tool_text(family, tools, messages):
    """What the templates of make_model.py make of them, by Jinja."""
    import jinja2
    made = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    made.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return made.from_string(make_model.CHAT[family]).render(tools=tools, messages=messages, add_generation_prompt=True, bos_token=(
        "<|begin_of_text|>" if family == "llama" else ""))


def test_tools(model, program):
    folder = model.folder.parent / "qwen"
    make_model.make_model(folder, "tiny-qwen")
    for family, folder in (("llama", model.folder), ("qwen", folder)):
        check_tools(program, family, folder)
    (model.folder / "chat_template.jinja").write_text("{{ messages[0].content }}")
    with Server(program, model.folder) as server:
        for tool_choice, expected in (("auto", 400), ("none", 200)):
            status, body = server.request("POST", "/v1/chat/completions", {
                "model": server.name, "messages": [{"role": "user", "content": "x"}], "tools": [TIME], "tool_choice": tool_choice, "max_tokens": 1})
            assert status == expected, body
        status, body = server.request("POST", "/v1/chat/completions", {
            "model": server.name, "messages": [{"role": "user", "content": "x"}], "tools": [TIME]})
        assert body["error"]["param"] == "tools" and body["error"]["code"] == "tools_not_supported", body


def check_tools(program, family, folder):
    tokenizer = make_model.Tokenizer.from_file(f"{folder}/tokenizer.json")
    end = tokenizer.token_to_id("<|eot_id|>" if family == "llama" else "<|im_end|>")
    key = "parameters" if family == "llama" else "arguments"

    def encode(text):
        return tokenizer.encode(text, add_special_tokens=False).ids

    def written(name, arguments):
        text = f'{{"name": "{name}", "{key}": {arguments}}}'
        return text if family == "llama" else f"<tool_call>\n{text}\n</tool_call>"

    def ask(script, cue, **fields):
        (pathlib.Path(folder) / "double.json").write_text(json.dumps({"page_count": 1000, "cue": encode(cue), "script": encode(script) + [end]}))
        with Server(program, folder) as server:
            fields = {"model": server.name, "temperature": 0, "max_tokens": 200} | fields
            status, body = server.request("POST", "/v1/chat/completions", fields)
            assert status == 200, body
            choice = body["choices"][0]
            status, text = server.request("POST", "/v1/chat/completions", fields | {"stream": True})
            deltas = [json.loads(event.removeprefix("data: "))["choices"][0] for event in text.split("\n\n")[:-2]]
            check_deltas(choice, deltas)
            return choice, body["usage"]

    def calls_of(choice):
        calls = choice["message"].get("tool_calls", [])
        assert len({call["id"] for call in calls}) == len(calls) and {call["type"] for call in calls} <= {"function"}
        return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]

    cue = {"llama": "assistant<|end_header_id|>\n\n", "qwen": "<|im_start|>assistant\n"}[family]
    user = [{"role": "user", "content": "How is it in Zürich?"}]
    first = written("weather", '{"city": "Zürich", "an": 1}')
    choice, usage = ask(first, cue, messages=user, tools=[WEATHER, TIME])
    assert usage["prompt_tokens"] == len(encode(tool_text(family, [WEATHER, TIME], user))), usage
    assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None, choice
    assert calls_of(choice) == [("weather", '{"city":"Zürich","an":1}')], choice
    two = first + ("; " if family == "llama" else "\n") + written("time", "{}")
    assert [name for name, _ in calls_of(ask(two, cue, messages=user, tools=[WEATHER, TIME])[0])] == ["weather", "time"]
    assert [name for name, _ in calls_of(ask(two, cue, messages=user, tools=[WEATHER, TIME], parallel_tool_calls=False)[0])] == ["weather"]
    for text in ("It is fine.", '{"not": "a call"}', "<tool_call> is a tag"):
        choice, _ = ask(text, cue, messages=user, tools=[WEATHER], tool_choice="auto")
        assert choice["message"] == {"role": "assistant", "content": text} and choice["finish_reason"] == "stop", choice
    # What the answer says of the call comes back, with the tool's answer.
    answered = user + [{"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Zürich", "an": 1}'}}]},
                       {"role": "tool", "tool_call_id": "call_1", "content": "rain"}]
    choice, usage = ask("It rains.", cue, messages=answered, tools=[WEATHER])
    given = json.loads(json.dumps(answered))
    given[1]["tool_calls"][0]["function"]["arguments"] = {"city": "Zürich", "an": 1}
    assert choice["message"]["content"] == "It rains." and usage["prompt_tokens"] == len(encode(tool_text(family, [WEATHER], given)))
    # Tools are not mentioned where none may be called.
    choice, usage = ask(first, cue, messages=user, tools=[WEATHER], tool_choice="none")
    assert choice["message"]["content"] == first and usage["prompt_tokens"] == len(encode(tool_text(family, None, user))), choice
    begin = ("" if family == "llama" else "<tool_call>\n") + '{"name": "'
    closing = "" if family == "llama" else "\n</tool_call>"
    choice, _ = ask('time"}' + closing, cue + begin, messages=user, tools=[WEATHER, TIME], tool_choice="required")
    assert calls_of(choice) == [("time", "{}")] and choice["finish_reason"] == "tool_calls", choice
    choice, _ = ask(' {"city": "Bern"}}' + closing, cue + begin + f'weather", "{key}":', messages=user, tools=[WEATHER, TIME],
                    tool_choice={"type": "function", "function": {"name": "weather"}})
    assert calls_of(choice) == [("weather", '{"city":"Bern"}')], choice
    # Cut before its end it is text, and says why it ended.
    choice, _ = ask(first, cue, messages=user, tools=[WEATHER], max_tokens=6)
    assert choice["finish_reason"] == "length" and first.startswith(choice["message"]["content"]) and choice["message"]["content"], choice
    function = dict(WEATHER["function"])
    with Server(program, folder) as server:
        for fields, parameter in (
            ({"tools": "x"}, "tools"), ({"tools": [1]}, "tools[0].type"), ({"tools": [WEATHER, {"type": "function"}]}, "tools[1].function"),
            ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name"),
            ({"tools": [{"type": "function", "function": function | {"parameters": 1}}]}, "tools[0].function.parameters"),
            ({"tools": [{"type": "function", "function": function | {"description": 1}}]}, "tools[0].function.description"),
            ({"tools": [TIME] * 129}, "tools"), ({"tool_choice": "auto"}, "tool_choice"), ({"tools": [TIME], "tool_choice": "maybe"}, "tool_choice"),
            ({"tools": [TIME], "tool_choice": {"type": "function", "function": {"name": "weather"}}}, "tool_choice"),
            ({"tools": [TIME], "parallel_tool_calls": 1}, "parallel_tool_calls"),
            ({"messages": user + [{"role": "tool", "content": "x"}]}, "messages"),
            ({"messages": user + [{"role": "assistant", "tool_calls": []}]}, "messages"),
            ({"messages": user + [{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}]}]},
             "messages"), ({"messages": user + [{"role": "user", "content": "x", "tool_call_id": "1"}]}, "messages")):
            status, body = server.request("POST", "/v1/chat/completions", {"model": server.name, "messages": user} | fields)
            assert status == 400 and body["error"]["param"] == parameter and body["error"]["type"] == "invalid_request_error", (fields, status, body)


def check_deltas(choice, deltas):
    """A stream says what the whole answer does."""
    assert "".join(delta["delta"].get("content") or "" for delta in deltas) == (choice["message"]["content"] or ""), (choice, deltas)
    calls = [call for delta in deltas for call in delta["delta"].get("tool_calls", [])]
    assert [call["index"] for call in calls] == list(range(len(calls)))
    assert [call["function"] for call in calls] == [call["function"] for call in choice["message"].get("tool_calls", [])], deltas
    assert deltas[-1]["finish_reason"] == choice["finish_reason"] and deltas[0]["delta"]["role"] == "assistant"


def test_openai_client(model, program):
    try:
        import openai
    except ImportError:
        print("  openai is not installed: left out")
        return
    with Server(program, model.folder) as server:
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key="none", max_retries=0)
        assert [entry.id for entry in client.models.list()] == [server.name]
        made = client.completions.create(model=server.name, prompt="The pages", temperature=0, max_tokens=20)
        tokens, reason = model.answer("The pages", 20)
        assert (made.choices[0].text, made.choices[0].finish_reason) == (model.text(tokens), reason)
        assert made.usage.completion_tokens == len(tokens)
        stream = client.completions.create(model=server.name, prompt="The pages", temperature=0, max_tokens=20, stream=True)
        assert "".join(chunk.choices[0].text for chunk in stream) == model.text(tokens)
        messages = [{"role": "user", "content": "The pages"}]
        prompt = model.tokenizer.encode(chat_text(("user", "The pages")), add_special_tokens=False).ids
        expected = model.text(model.answer(prompt, 20)[0])
        made = client.chat.completions.create(model=server.name, messages=messages, temperature=0, max_tokens=20)
        assert made.choices[0].message.content == expected, made
        stream = client.chat.completions.create(model=server.name, messages=messages, temperature=0, max_tokens=20, stream=True)
        assert "".join(chunk.choices[0].delta.content for chunk in stream) == expected
        for fields, kind in ((dict(model="other"), openai.NotFoundError), (dict(max_tokens=-1), openai.BadRequestError)):
            try:
                client.completions.create(**{"model": server.name, "prompt": "x"} | fields)
                raise AssertionError(f"{fields} are no error")
            except kind as error:
                assert error.body["message"]


BAD_FIELDS = [
    ({"model": 1}, 400, "model"), ({"model": "other"}, 404, "model"), ({"prompt": 1}, 400, "prompt"),
    ({"prompt": []}, 400, "prompt"), ({"prompt": [[]]}, 400, "prompt"), ({"prompt": ["a", 1]}, 400, "prompt"),
    ({"prompt": [1.5]}, 400, "prompt"), ({"prompt": [-1]}, 400, "prompt"), ({"prompt": [512]}, 400, "prompt"),
    ({"prompt": [1 << 63]}, 400, "prompt"), ({"prompt": [[1], "a", None]}, 400, "prompt"), ({"prompt": None}, 400, "prompt"),
    ({"prompt": "a b " * 3000}, 400, "prompt"), ({"max_tokens": 2048}, 400, "prompt"), ({"max_tokens": "1"}, 400, "max_tokens"),
    ({"max_tokens": -1}, 400, "max_tokens"), ({"max_tokens": 1.5}, 400, "max_tokens"), ({"max_tokens": 1 << 40}, 400, "max_tokens"),
    ({"temperature": 2.5}, 400, "temperature"), ({"temperature": "0"}, 400, "temperature"), ({"top_p": 0}, 400, "top_p"),
    ({"top_p": 1.1}, 400, "top_p"), ({"top_k": -2}, 400, "top_k"), ({"n": 0}, 400, "n"), ({"n": 129}, 400, "n"),
    ({"n": 100, "prompt": ["a", "b"]}, 400, "n"), ({"stop": 1}, 400, "stop"), ({"stop": [""]}, 400, "stop"),
    ({"stop": ["x"] * 17}, 400, "stop"), ({"seed": "x"}, 400, "seed"), ({"stream": 1}, 400, "stream"),
    ({"stream_options": {}}, 400, "stream_options"), ({"stream": True, "stream_options": 1}, 400, "stream_options"),
    ({"echo": "yes"}, 400, "echo"), ({"logprobs": 21}, 400, "logprobs"),
    ({"logprobs": True}, 400, "logprobs"), ({"logprobs": 1, "echo": True}, 400, "logprobs"), ({"suffix": "x"}, 400, "suffix"),
    ({"presence_penalty": 1}, 400, "presence_penalty"), ({"logit_bias": {"1": 1}}, 400, "logit_bias"),
    ({"best_of": 2}, 400, "best_of"), ({"user": 1}, 400, "user"), ({"min_p": 0.1}, 400, "min_p")]


def test_malformed_bodies(model, program):
    with Server(program, model.folder) as server:
        for fields, expected, parameter in BAD_FIELDS:
            status, body = server.complete(**{"prompt": "x"} | fields)
            assert status == expected and body["error"]["param"] == parameter and body["error"]["message"], (fields, status, body)
        for body in ("", "{", "[]", "1", "nul", '{"model": "x", "model": "x"}', b'{"prompt": "\xff"}', '{"a": 1e999}',
                     "[" * 100000, '{"a": ' + "[" * 250 + "]" * 250 + "}", '{"a":' * 50000, "\0", '"\\ud800"'):
            status, answer = server.request("POST", "/v1/completions", body)
            assert status == 400 and answer["error"]["type"] == "invalid_request_error", (body[:50], status, answer)
        assert server.complete(prompt="x", user="me", n=None, logprobs=None, presence_penalty=0, best_of=1)[0] == 200
        server.wait_until_idle()


def test_malformed_http(model, program):
    with Server(program, model.folder) as server:
        start = time.monotonic()
        slow = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        slow.sendall(b"POST /v1/completions HTTP/1.1\r\nX: ")
        post = b"POST /v1/completions HTTP/1.1\r\n"
        for data, expected in ((b"nonsense\r\n\r\n", 400), (b"\0" * 100 + b"\r\n\r\n", 400), (b"GET / HTTP/3.7\r\n\r\n", 400),
                               (b"GET / HTTP/1.1\r\n" + b"X: %s\r\n" % (b"y" * 40000) + b"\r\n", 431),
                               (post + b"Content-Length: x\r\n\r\n", 400), (post + b"Content-Length: -1\r\n\r\n", 400),
                               (post + b"Content-Length: 99999999999\r\n\r\n", 413),
                               (post + b"Content-Length: 5000000\r\n\r\n" + b" " * 5000000, 413),
                               (post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
                               (post + b"Transfer-Encoding: chunked\r\n\r\n" + b"100000\r\n%s\r\n" % (b" " * (1 << 20)) * 5, 413)):
            found = server.raw(data)
            head, _, body = found.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 %d" % expected), (data[:60], found[:200])
            assert json.loads(body)["error"]["message"], found
        continued = server.raw(b"GET /health HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n ")
        assert continued.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), continued
        for data in (b"", b"GET", post + b"Content-Length: 100\r\n\r\n{"):  # and then the client goes
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(data)
        assert slow.recv(100) == b"" and 5 < time.monotonic() - start < 20, "a header may take ten seconds"
        server.wait_until_idle()


def test_connections_are_limited(model, program):
    with Server(program, model.folder, "--max-connections", "8") as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
        time.sleep(0.2)
        assert server.raw(b"GET /health HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 503")
        for connection in idle:
            connection.close()
        end = time.monotonic() + 10
        while not server.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200"):
            assert time.monotonic() < end


def cut_off(server, **fields):
    """Sends a request and goes away when something has come, or at once."""
    connection = server.connect()
    connection.request("POST", "/v1/completions", json.dumps({"model": server.name, "temperature": 0} | fields))
    if fields.get("stream"):
        response = connection.getresponse()
        assert response.status == 200 and response.read(20)
    connection.close()


def test_clients_that_go(model, program):
    model.set_double(step_microseconds=20000)  # to the end it would take half a minute
    cancelled = 'engine_sequences_total{outcome="cancelled"}'
    with Server(program, model.folder) as server:
        for stream in (True, False):
            cut_off(server, prompt="x", stream=stream, n=4, **LONG)
        server.wait_for(cancelled, 8)
        server.wait_until_idle()
        # One that never reads.
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            body = json.dumps({"model": server.name, "prompt": "x", "stream": True} | LONG).encode()
            connection.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            server.wait_for("engine_sequences_running", 1)
        server.wait_for(cancelled, 9)
        server.wait_until_idle()


def one_of_many(server, model, number):
    """A request of a kind that its number draws; the outcome's name."""
    draw = random.Random(number)
    prompt = [draw.randrange(500) for _ in range(draw.randrange(1, 60))]
    fields = dict(prompt=prompt, max_tokens=draw.randrange(1, 60))
    kind = draw.choice(["whole"] * 4 + ["stream"] * 4 + ["cut", "malformed"])
    if kind == "cut":
        cut_off(server, stream=draw.random() < 0.5, **fields)
    elif kind == "malformed":
        bad, expected, _ = draw.choice(BAD_FIELDS)
        assert server.complete(**{"prompt": prompt} | bad)[0] == expected
    else:
        tokens, reason = model.answer(**fields)
        if kind == "whole":
            status, body = server.complete(**fields)
            assert status == 200, body
            found = body["choices"][0]["text"], body["choices"][0]["finish_reason"]
        else:
            chunks = server.stream(**fields)
            found = "".join(chunk["choices"][0]["text"] for chunk in chunks), chunks[-1]["choices"][0]["finish_reason"]
        assert found == (model.text(tokens), reason), (number, found, model.text(tokens))
    return kind


def test_many_requests(model, program):
    # Far too few pages, and steps that take their time: sequences are preempted.
    model.set_double(page_size=8, page_count=120, step_microseconds=2000)
    with Server(program, model.folder, "--max-sequences", "32") as server:
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            kinds = list(pool.map(lambda number: one_of_many(server, model, number), range(1000)))
        server.wait_until_idle()
        found = server.metrics()
        assert found["engine_preemptions_total"] > 0
        assert found['engine_sequences_total{outcome="error"}'] == 0
        print("  " + ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))))
        assert server.stop()[0] == 0


def test_refused_when_full(model, program):
    model.set_double(step_microseconds=2000)
    with Server(program, model.folder, "--max-waiting", "2", "--max-sequences", "1") as server:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = [status for status, _ in pool.map(
                lambda i: server.complete(prompt=[i], max_tokens=100, ignore_eos=True), range(8))]
        assert statuses.count(429) >= 4 and statuses.count(200) + statuses.count(429) == 8, statuses
        status, body = server.complete(prompt=["a", "b", "c"])
        assert status == 429 and body["error"]["type"] == "rate_limit_error", body
        server.wait_until_idle()


def test_failures_of_the_model(model, program):
    with Server(program, model.folder) as server:
        status, body = server.complete(prompt=["x", [FAIL], "y"])
        assert status == 500 and body["error"]["type"] == "server_error" and "the double failed" in body["error"]["message"], body
        status, text = server.complete(prompt=[FAIL], stream=True)
        assert status == 500 and text["error"]["code"] == "model_error", "nothing was sent yet: the status tells"
        check_choice(model, server.complete(prompt="x")[1]["choices"][0], "x")
        server.wait_until_idle()
        status, body = server.complete(prompt=[LOSE])
        assert status == 503 and "is lost" in body["error"]["message"], body
        assert server.process.wait(10) == 3
    with Server(program, model.folder, "--request-seconds", "1") as server:
        model.set_double(step_microseconds=10000)
    with Server(program, model.folder, "--request-seconds", "1") as server:
        status, body = server.complete(prompt="x", **LONG)
        assert status == 504 and body["error"]["code"] == "timeout", body
        status, text = server.complete(prompt="x", stream=True, **LONG)
        assert status == 200 and json.loads(text.split("data: ")[-1])["error"]["code"] == "timeout", text
        server.wait_until_idle()


def test_stopping(model, program):
    model.set_double(step_microseconds=10000)
    with Server(program, model.folder) as server, concurrent.futures.ThreadPoolExecutor(3) as pool:
        kept = server.connect()
        server.request("GET", "/health", connection=kept)
        fields = dict(prompt="x", max_tokens=200, ignore_eos=True)
        whole, stream = pool.submit(server.complete, **fields), pool.submit(server.stream, **fields)
        server.wait_for("engine_sequences_running", 2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert server.request("GET", "/health", connection=kept) == (503, {"status": "stopping"})
        try:
            server.request("GET", "/health")
            raise AssertionError("a stopping server accepts a connection")
        except ConnectionRefusedError:
            pass
        tokens = model.answer("x", 200, ignore_end=True)[0]
        assert whole.result()[1]["choices"][0]["text"] == model.text(tokens)
        assert "".join(chunk["choices"][0]["text"] for chunk in stream.result()) == model.text(tokens)
        assert server.process.wait(10) == 0
    for options, signals in ((["--stop-seconds", "0"], 1), (["--stop-seconds", "30"], 2)):
        with Server(program, model.folder, *options) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
            cut = pool.submit(server.complete, prompt="x", **LONG)
            server.wait_for("engine_sequences_running", 1)
            for _ in range(signals):
                server.process.send_signal(signal.SIGTERM)
                time.sleep(0.1)
            status, body = cut.result()
            assert status == 503 and "stopping" in body["error"]["message"], body
            assert server.process.wait(5) == 0


def test_supervision(model, program):
    port = free_port()
    with Server(program, model.folder, "--supervise", port=port) as server:
        lines = []
        threading.Thread(target=lambda: lines.extend(server.process.stderr), daemon=True).start()

        def worker():
            return int(subprocess.check_output(["ps", "-o", "pid=", "--ppid", str(server.process.pid)], text=True))

        def wait_for_another(former):
            end = time.monotonic() + 20
            while True:
                try:
                    if server.request("GET", "/health")[0] == 200 and worker() != former:
                        return check_choice(model, server.complete(prompt="x")[1]["choices"][0], "x")
                except (OSError, subprocess.CalledProcessError, ValueError):
                    pass
                assert time.monotonic() < end, lines
                time.sleep(0.02)

        former = worker()
        os.kill(former, signal.SIGKILL)
        wait_for_another(former)
        for token in (DIE, LOSE):
            former = worker()
            try:
                assert server.complete(prompt=[token])[0] == 503
            except OSError:
                assert token == DIE
            wait_for_another(former)
        last = worker()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
        assert not pathlib.Path(f"/proc/{last}").exists()
        text = "".join(lines)
        assert text.count("signal 9 (Killed)") == 2 and text.count("ended with status 3") == 1, text
    with Server(program, model.folder, "--supervise", port=port) as server:
        child = int(subprocess.check_output(["ps", "-o", "pid=", "--ppid", str(server.process.pid)], text=True))
        server.process.kill()
        server.process.wait()
        end = time.monotonic() + 10
        while pathlib.Path(f"/proc/{child}").exists():
            assert time.monotonic() < end, "a worker outlives its supervisor"
            time.sleep(0.02)


def test_command_line(model, program):
    def run(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20)

    made = run(str(model.folder), "--prompt", "The pages", "--max-tokens", "30")
    assert (made.returncode, made.stdout) == (0, model.text(model.answer("The pages", 30)[0]) + "\n"), made
    for arguments, expected in (([], "which folder"), (["x", "--port"], "needs a value"), (["x", "--port", "1e3"], "cannot be"),
                                (["x", "--nope"], "unknown option"), (["x", "y"], "more than one folder"),
                                (["/nowhere"], "/nowhere/config.json: there is no such file"),
                                (["/nowhere", "--supervise"], "there is no such file"),
                                ([str(model.folder), "--prompt", "x", "--max-tokens", "4000"], "context")):
        made = run(*arguments)
        assert made.returncode == 2 and expected in made.stderr, (arguments, made)
    assert run("--help").stdout.startswith("usage:")
    with Server(program, model.folder) as server:
        made = run(str(model.folder), "--port", str(server.port))
        assert made.returncode == 1 and "cannot be listened to" in made.stderr, made


def main():
    program, names = sys.argv[1], sys.argv[2:]
    if not pathlib.Path(program).exists():
        print(f"skipped: there is no {program}")
        sys.exit(77)
    for name, test in list(globals().items()):
        if not name.startswith("test_") or names and name not in names:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            test(Model(f"{folder}/tiny", page_count=1000), program)
        print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
