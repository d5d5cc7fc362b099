"""The estimator on two DataFrames, with named labels of which most are unknown.

Needs: herocon-lite, pandas
"""

import pandas as pd
from sklearn.datasets import load_breast_cancer

from herocon_lite import HeroConClassifier

# Your data: one DataFrame per source, the same rows in the same order.
cells = load_breast_cancer(as_frame=True)
mean = cells.data.filter(like="mean")
worst = cells.data.filter(like="worst")
labels = pd.DataFrame(
    {
        "benign": cells.target,
        "large": (cells.data["mean area"] > 700).astype(int),
    }
)

known = labels.sample(90, random_state=0).index
given = labels.copy()
given.loc[~given.index.isin(known)] = -1  # not known: they help without labels

model = HeroConClassifier(random_state=0).fit([mean, worst], given)
proba = model.predict_proba([mean, worst])
proba = pd.DataFrame(proba, index=mean.index, columns=labels.columns)
rest = labels.index.difference(known)
right = (proba.loc[rest].round() == labels.loc[rest]).mean()
print(f"share right of {len(rest)} rows:")
print(right.round(2).to_string())
