"""In a Pipeline, with the number of components chosen by cross-validation."""

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from merit_nmf import SeparableNMF
from merit_nmf.datasets import make_dirichlet

data = make_dirichlet(300, 20, 4, snr_db=20, random_state=2)
label = data.weights.argmax(axis=1)  # which component is the largest?

pipeline = Pipeline([("parts", SeparableNMF(max_iter=30)), ("classify", LogisticRegression(C=100))])
search = GridSearchCV(pipeline, {"parts__n_components": [2, 3, 4], "parts__method": ["merit", "spa"]}, cv=3, n_jobs=2)
search.fit(data.X, label)
print("best", search.best_params_, f"accuracy {search.best_score_:.3f}")
