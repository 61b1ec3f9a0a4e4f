"""Chooses the next token of each row of logits: the largest, or one drawn from what temperature, top-k and top-p leave.

A token is drawn by adding noise and taking the largest (the Gumbel-max trick): argmax(logit / temperature - log(-log(u))) has
the softmax's probabilities. So both ways are one reduction over the row, which `best_of_part` begins with
many programs for each row and `best_of_row` ends. `threshold` finds first what top-k and top-p leave: the logits that
are not below a number, which it looks for by halving intervals of the order that bits of floats have.
"""

import triton
import triton.language as tl
from rows import join, meet


@triton.jit
def better(value, index, other_value, other_index):
    """The larger one; of equals the first."""
    takes = (value > other_value) | ((value == other_value) & (index < other_index))
    return tl.where(takes, value, other_value), tl.where(takes, index, other_index)


@triton.jit
def ordered(x):
    """Floats as integers in the same order; NaN above or below all others."""
    bits = x.to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def number_of(order):
    """The float at this place of the order."""
    bits = order.to(tl.int32)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.float32, bitcast=True)


@triton.jit
def weight_from(of, kept, place, top, temperature, vocabulary, COUNTS: tl.constexpr, BLOCK: tl.constexpr):
    """Of the logits that are not below `kept` and, in the order, not before `place`: how many (COUNTS), or their exponentials."""
    weight = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, vocabulary, BLOCK):
        column = begin + tl.arange(0, BLOCK)
        x = tl.load(of + column, column < vocabulary, float("-inf"))
        inside = (column < vocabulary) & (x >= kept) & (ordered(x).to(tl.int64) >= place)
        if COUNTS:
            weight += inside.to(tl.float32)
        else:
            weight += tl.where(inside, tl.exp((x - top) / temperature), 0.0)
    return tl.sum(weight, 0)


@triton.jit
def last_place(of, kept, wanted, top, temperature, vocabulary, COUNTS: tl.constexpr, BLOCK: tl.constexpr):
    """The last place in the order from which on the weight is `wanted` or more; that of -inf where there is none."""
    low = tl.full((), -2139095041, tl.int64)
    high = tl.full((), 2139095041, tl.int64)
    while high - low > 1:
        middle = (low + high) >> 1
        enough = weight_from(of, kept, middle, top, temperature, vocabulary, COUNTS, BLOCK) >= wanted
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle)
    return low


@triton.jit
def threshold(logits, temperatures, top_ps, top_ks, least, vocabulary, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """least[row]: the logit that is the last one kept; a program for each row.

    Top-k comes first, top-p is of what it leaves: the fewest largest whose probabilities together are top_p or more.
    Equal logits are kept together. temperature 0, k <= 0 or p >= 1: no such limit.
    """
    join(PDL)
    row = tl.program_id(0)
    of = logits + row.to(tl.int64) * vocabulary
    temperature = tl.load(temperatures + row)
    p = tl.load(top_ps + row)
    k = tl.load(top_ks + row)
    kept = float("-inf")
    if temperature > 0:
        if (k > 0) & (k < vocabulary):
            # The largest number that no less than k logits reach; counts are exact below 2**24.
            kept = number_of(last_place(of, kept, k.to(tl.float32), 0.0, 1.0, vocabulary, True, BLOCK))
        if p < 1:
            largest = tl.full([BLOCK], float("-inf"), tl.float32)
            for begin in range(0, vocabulary, BLOCK):
                column = begin + tl.arange(0, BLOCK)
                largest = tl.maximum(largest, tl.load(of + column, column < vocabulary, float("-inf")))
            top = tl.max(largest, 0)
            everything = weight_from(of, kept, -2139095041, top, temperature, vocabulary, False, BLOCK)
            # The largest is kept always.
            place = last_place(of, kept, p * everything, top, temperature, vocabulary, False, BLOCK)
            kept = tl.minimum(tl.maximum(number_of(place), kept), top)
    tl.store(least + row, kept)


@triton.jit
def best_of_part(logits, temperatures, least, seeds, part_values, part_tokens, first, vocabulary, BLOCK: tl.constexpr,
                 PDL: tl.constexpr):
    """The best token of each part of a row; programs (row, part), a part is whole blocks of BLOCK.

    A row has `vocabulary` logits, of tokens from `first` on. `least` may be None: all count. seeds[row] differs from step to
    step.
    """
    join(PDL)
    row = tl.program_id(0)
    part = tl.program_id(1)
    parts = tl.num_programs(1)
    temperature = tl.load(temperatures + row)
    seed = tl.load(seeds + row)
    value = tl.full([BLOCK], float("-inf"), tl.float32)
    token = tl.zeros([BLOCK], tl.int32)
    kept = float("-inf")
    if least is not None:
        kept = tl.load(least + row)
    blocks = tl.cdiv(tl.cdiv(vocabulary, BLOCK), parts)
    for i in range(0, blocks):
        column = (part * blocks + i) * BLOCK + tl.arange(0, BLOCK)
        inside = column < vocabulary
        x = tl.load(logits + row.to(tl.int64) * vocabulary + column, inside, float("-inf"))
        x = tl.where(inside & (x >= kept), x, float("-inf"))
        if temperature > 0:
            u = tl.maximum(tl.rand(seed, first + column), 1e-10)
            x = x / temperature - tl.log(-tl.log(u))
        value, token = better(value, token, x, first + column)
    best, best_token = tl.reduce((value, token), 0, better)
    tl.store(part_values + row * parts + part, best)
    tl.store(part_tokens + row * parts + part, best_token)


@triton.jit
def best_of_row(part_values, part_tokens, peer_values, peer_tokens, mine, theirs, counts, tokens, parts, PARTS: tl.constexpr,
                PDL: tl.constexpr):
    """tokens[row]: the best of its parts, at most PARTS, and of as many that another GPU has, unless these are None."""
    join(PDL)
    row = tl.program_id(0)
    i = tl.arange(0, PARTS)
    value = tl.load(part_values + row * parts + i, i < parts, float("-inf"))
    token = tl.load(part_tokens + row * parts + i, i < parts, 2147483647)
    if peer_values is not None:
        meet(mine, theirs, counts, row)
        other = tl.load(peer_values + row * parts + i, i < parts, float("-inf"))
        value, token = better(value, token, other, tl.load(peer_tokens + row * parts + i, i < parts, 2147483647))
    best, best_token = tl.reduce((value, token), 0, better)
    tl.store(tokens + row, best_token)


@triton.jit
def likely_of_part(logits, wanted, tokens, records, indices, first, vocabulary, MOST: tl.constexpr, BLOCK: tl.constexpr,
                   PDL: tl.constexpr):
    """What probabilities are made of: programs (row, part) for BLOCK logits each, of rows with wanted[row] >= 0.

    A row has `vocabulary` logits, of tokens from `first` on. Of each (row, part) `records` has 3 + 2 MOST words: the largest
    logit x, the sum of exp(logit - x), the logit of tokens[row] or -inf where that is elsewhere; the wanted[row]
    largest logits, at most MOST, the largest first; their tokens. `indices` is the same memory as integers.
    """
    join(PDL)
    row = tl.program_id(0)
    count = tl.load(wanted + row)
    if count >= 0:
        WORDS: tl.constexpr = 3 + 2 * MOST
        record = (row * tl.num_programs(1) + tl.program_id(1)) * WORDS
        column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(logits + row.to(tl.int64) * vocabulary + column, column < vocabulary, float("-inf"))
        largest = tl.max(x, 0)
        tl.store(records + record, largest)
        tl.store(records + record + 1, tl.sum(tl.exp(x - largest), 0))
        chosen = tl.load(tokens + row) - first
        tl.store(records + record + 2, tl.max(tl.where(column == chosen, x, float("-inf")), 0))
        for i in range(0, tl.minimum(count, MOST)):
            best, best_column = tl.reduce((x, column), 0, better)
            tl.store(records + record + 3 + i, best)
            tl.store(indices + record + 3 + MOST + i, first + best_column)
            x = tl.where(column == best_column, float("-inf"), x)
