"""triton._C.libtriton.gluon_ir: questions about layouts."""


def make_cga_layout(ctas_per_cga, cta_split_num, cta_order):
    """Bases of a cluster's CTAs: each dimension is split in `cta_order`; CTAs beyond the split
    share their data, so their bases are zero."""
    rank = len(ctas_per_cga)
    bases = []
    for dim in cta_order:
        step = 1
        while step < ctas_per_cga[dim]:
            basis = [0] * rank
            if step < cta_split_num[dim]:
                basis[dim] = step
            bases.append(basis)
            step *= 2
    return bases


class GluonOpBuilder:
    """Answers what layouts are as linear layouts; layouts stand for themselves."""

    def __init__(self, context):
        pass

    def to_linear_layout(self, layout, shape):
        from gluonc import language
        return language.to_linear_layout(layout, shape)
