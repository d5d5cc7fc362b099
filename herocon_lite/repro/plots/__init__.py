"""Figure helpers of the book, by subject; fonts and sizes come from the style of the book:
``plt.style.use("herocon_lite.repro.book")``.
"""

from herocon_lite.repro.plots.interactive import movable, search_box
from herocon_lite.repro.plots.palette import FAINT, INK, OKABE_ITO, PAPER, PULL, PUSH, WRONG
from herocon_lite.repro.plots.pictures import (
    arrows,
    circle,
    dots,
    force_legend,
    label_matrix,
    names,
    pair_map,
    share_bars,
    verdict_bars,
)
from herocon_lite.repro.plots.runs import (
    difference_panels,
    seed_band,
    seed_course,
    seed_rows,
    value_map,
)
