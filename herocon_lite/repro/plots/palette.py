"""The book's colours: Okabe and Ito's, which colour-blind readers can tell apart."""

PULL, PUSH, WRONG = "#009E73", "#6B6B6B", "#D55E00"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A")
PAPER, INK, FAINT = "white", "#222222", "#C9CED3"
VERDICTS = {  # part of the bar of verdicts: its ground and its ink, those of front_page.css by day
    "hold": ("#00684c", "#fff"),
    "hold in part": ("#8fd0b6", "#14201b"),
    "do not hold": ("#b8470b", "#fff"),
    "undecided": ("#e6b455", "#1d1604"),
    "baseline not specified": ("#cdb9e3", "#22162e"),
    "not run": ("#d5dade", "#222b33"),
}
