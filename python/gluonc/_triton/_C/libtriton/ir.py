"""triton._C.libtriton.ir: contexts, which gluonc does not need."""


def context():
    return None


def load_dialects(context):
    pass
