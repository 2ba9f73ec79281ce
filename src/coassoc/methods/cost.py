"""Time and memory of a fit, as the class of a method declares them."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cost:
    """Time and memory of a fit.

    The objects of a fit are the q distinct rows of labels, or the samples if the method uses
    features or depends on the order of the samples. The m base clusterings have L clusters in
    total. The defaults are for a method that was not measured.

    Parameters
    ----------
    seconds, power : number
        Processor seconds with q = 1000, and the power of q with which they grow.
    grows_with_features : bool
        Whether the seconds are for 1000 features and also grow with the number of features.
    squares, tables, cluster_squares, link_squares : number
        Arrays of q × q, q × L, L × L and p × p floating-point numbers at the peak of a fit, with p
        = min(q, L).
    squares_each, tables_each : number
        Arrays of q × q and q × L numbers for each base clustering.
    links_labels : {"", "complete", "any"}
        Whether the method is a linkage that needs no squares if there are many rows: for complete
        labels only, or for any labels.
    """

    seconds: float = 10
    power: float = 3
    grows_with_features: bool = False
    squares: float = 8
    tables: float = 0
    cluster_squares: float = 0
    link_squares: float = 0
    squares_each: float = 0
    tables_each: float = 0
    links_labels: Literal["", "complete", "any"] = ""

    def megabytes(self, q: int, m: int, L: int, links_rows: bool = False) -> float:
        """Peak of a fit, in addition to the ensemble and the features.

        It includes three q × m arrays for the rows and their Z. `links_rows` says whether a linkage
        needs no squares.
        """
        squares = (0 if links_rows else self.squares) + m * self.squares_each
        tables = self.tables + m * self.tables_each
        links = self.cluster_squares * L**2 + self.link_squares * min(q, L) ** 2
        return 8e-6 * (squares * q**2 + tables * q * L + links + 3 * q * m)
