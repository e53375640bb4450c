"""
Edit distance
=============

How many letters must be changed, left out or put in to make one word of another: Levenshtein's distance, by a table of
which one row is kept. Added up over the numbers from one to ten it tells which languages are close.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

import opweld

edit = opweld.cop("a: int32[n], b: int32[m] -> d: int64, row: work int64[m + 1]", """
    for (npy_intp j = 0; j <= m; j++) row[j] = j;
    for (npy_intp i = 0; i < n; i++) {
        npy_intp left = row[0]++;
        for (npy_intp j = 0; j < m; j++) {
            npy_intp change = left + (a[i] != b[j]);
            left = row[j+1];
            row[j+1] = PyArray_MIN(PyArray_MIN(left, row[j]) + 1, change);
        }
    }
    d = row[m];
""")


def letters(word):
    """The word's code points."""
    return np.frombuffer(word.encode("utf-32-le"), "int32")


# %%
# Which languages are close?

numbers = {
    "English": "one two three four five six seven eight nine ten",
    "German": "eins zwei drei vier fünf sechs sieben acht neun zehn",
    "Dutch": "een twee drie vier vijf zes zeven acht negen tien",
    "Swedish": "en två tre fyra fem sex sju åtta nio tio",
    "Danish": "en to tre fire fem seks syv otte ni ti",
    "French": "un deux trois quatre cinq six sept huit neuf dix",
    "Spanish": "uno dos tres cuatro cinco seis siete ocho nueve diez",
    "Italian": "uno due tre quattro cinque sei sette otto nove dieci",
    "Portuguese": "um dois três quatro cinco seis sete oito nove dez",
    "Polish": "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "Czech": "jedna dva tři čtyři pět šest sedm osm devět deset",
    "Finnish": "yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen",
    "Estonian": "üks kaks kolm neli viis kuus seitse kaheksa üheksa kümme",
    "Turkish": "bir iki üç dört beş altı yedi sekiz dokuz on",
}
words = [[letters(word) for word in line.split()] for line in numbers.values()]
distance = np.array([[sum(map(edit, one, other)) for other in words] for one in words])

plt.figure(figsize=(8, 4), layout="constrained")
tree = hierarchy.linkage(squareform(distance), "average")
hierarchy.dendrogram(tree, labels=list(numbers), orientation="left", color_threshold=38)
plt.xlabel("letters to change from one to ten")
plt.show()

# %%
# Two texts of 2,000 letters
# --------------------------


@numba.njit
def edit_in_numba(a, b):
    """The same loop."""
    row = np.arange(b.size + 1)
    for i in range(a.size):
        left = row[0]
        row[0] += 1
        for j in range(b.size):
            change = left + (a[i] != b[j])
            left = row[j + 1]
            row[j + 1] = min(min(left, row[j]) + 1, change)
    return row[-1]


one, other = np.random.default_rng(3).integers(97, 123, (2, 2000), dtype="int32")
beside({"opweld": lambda: edit(one, other), "Numba": lambda: edit_in_numba(one, other)})
