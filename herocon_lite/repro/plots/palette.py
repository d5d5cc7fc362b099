"""The book's colours: Okabe and Ito's, which colour-blind readers can tell apart."""

PULL, PUSH, WRONG = "#009E73", "#6B6B6B", "#D55E00"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A")
PAPER, INK, FAINT = "white", "#222222", "#C9CED3"
