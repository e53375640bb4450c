"""A graph of another package: classes of its own, which share nothing with opweld's but the names of the hooks."""

import numpy as np


class Variable:
    def __init__(self, type, owner=None, name=None):
        self.type, self.owner, self.name = type, owner, name

    def __str__(self):
        return self.name or "it"


class Constant(Variable):
    def __init__(self, type, data):
        super().__init__(type)
        self.data = type.filter(data)


class Node:
    def __init__(self, op, inputs, outputs):
        self.op, self.inputs, self.outputs = op, list(inputs), list(outputs)
        for output in outputs:
            output.owner = self

    def __str__(self):
        return f"{self.op}({', '.join(map(str, self.inputs))})"


class Graph:
    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs

    def toposort(self):
        order = []

        def visit(variable):
            if variable.owner is not None and variable.owner not in order:
                for source in variable.owner.inputs:
                    visit(source)
                order.append(variable.owner)

        for output in self.outputs:
            visit(output)
        return order


class Doubles:
    """Vectors of doubles, in C a pointer and a length."""

    def __eq__(self, other):
        return type(other) is Doubles

    def __hash__(self):
        return hash(Doubles)

    def __str__(self):
        return "doubles"

    def filter(self, value, strict=False, allow_downcast=None):
        found = np.asarray(value, dtype=np.float64, order="C")
        if found.ndim != 1:
            raise TypeError(f"doubles have one dimension, got {found.ndim}")
        return found

    def c_declare(self, name, sub, check_input=True):
        return f"double *{name};\nnpy_intp n_{name};"

    def c_init(self, name, sub):
        return f"{name} = NULL;\nn_{name} = 0;"

    def c_extract(self, name, sub, check_input=True):
        return f"""
        {name} = PyArray_DATA((PyArrayObject *)py_{name});
        n_{name} = PyArray_DIM((PyArrayObject *)py_{name}, 0);
        """

    def c_sync(self, name, sub):
        return f"""
        npy_intp shape_{name}[1] = {{n_{name}}};
        Py_XDECREF(py_{name});
        py_{name} = PyArray_SimpleNew(1, shape_{name}, NPY_DOUBLE);
        if (py_{name} == NULL) {sub["fail"]}
        memcpy(PyArray_DATA((PyArrayObject *)py_{name}), {name}, n_{name} * sizeof(double));
        """

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


class Owned(Doubles):
    """The same, made by an op: freed when the call is over."""

    def __eq__(self, other):
        return type(other) is Owned

    def __hash__(self):
        return hash(Owned)

    def c_cleanup(self, name, sub):
        return f"free({name});"

    def c_extract(self, name, sub, check_input=True):
        return f"""
        n_{name} = PyArray_DIM((PyArrayObject *)py_{name}, 0);
        {name} = malloc(n_{name} * sizeof(double) + 1);
        if ({name} == NULL) {{ PyErr_NoMemory(); {sub["fail"]} }}
        memcpy({name}, PyArray_DATA((PyArrayObject *)py_{name}), n_{name} * sizeof(double));
        """


class Number:
    """A double, as a param."""

    def __eq__(self, other):
        return type(other) is Number

    def __hash__(self):
        return hash(Number)

    def filter(self, value):
        return float(value)

    def c_declare(self, name, sub, check_input=True):
        return f"double {name};"

    def c_init(self, name, sub):
        return f"{name} = 0;"

    def c_extract(self, name, sub, check_input=True):
        return f"{name} = PyFloat_AsDouble(py_{name});\nif (PyErr_Occurred()) {sub['fail']}"

    def c_sync(self, name, sub):
        return f"py_{name} = PyFloat_FromDouble({name});\nif (py_{name} == NULL) {sub['fail']}"

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


class Anything:
    """What C does not look into."""

    def filter(self, value):
        return value

    def __str__(self):
        return "anything"


doubles, owned, anything = Doubles(), Owned(), Anything()


class Add:
    """The sum of two vectors, in C, times a param."""

    params_type = Number()

    def __init__(self, times=1.0):
        self.times = times

    def __str__(self):
        return "Add"

    def __call__(self, x, y):
        return Node(self, [x, y], [Variable(owned)]).outputs[0]

    def get_params(self, node):
        return self.times

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"""
        Py_ssize_t one = n_{x}, other = n_{y};
        if (one != other) {{
            PyErr_Format(PyExc_ValueError, "%zd and %zd do not match", one, other);
            {sub["fail"]}
        }}
        free({z});
        {z} = malloc(n_{x} * sizeof(double) + 1);
        if ({z} == NULL) {{ PyErr_NoMemory(); {sub["fail"]} }}
        n_{z} = n_{x};
        for (npy_intp i = 0; i < n_{x}; i++) {z}[i] = {sub["params"]} * ({x}[i] + {y}[i]);
        """

    def c_code_cache_version(self):
        return (1,)


class Twice:
    """In Python."""

    def __str__(self):
        return "Twice"

    def __call__(self, x):
        return Node(self, [x], [Variable(owned)]).outputs[0]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class Told:
    """In Python, on what C does not look into."""

    def __str__(self):
        return "Told"

    def __call__(self, x, to):
        return Node(self, [x, to], [Variable(anything, name="told")]).outputs[0]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = {inputs[1]: inputs[0].tolist()}
