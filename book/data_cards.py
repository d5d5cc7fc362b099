# %% [markdown]
# # Data cards
#
# *Reads in 5 minutes, runs in 2 seconds on a CPU.*
#
# Each data set has a card in `herocon_lite/data/cards.yaml`: what it is, whose
# it is, which files it needs, how they are checked and how to cite it. This
# page is printed from those cards, so it cannot say anything else than the
# code does. What the sets look like is in {doc}`views_and_labels`.

# %% [markdown]
# ## At a glance

# %% mystnb={"markdown_format": "gfm"} tags=["hide-input"]
from IPython.display import Markdown

from herocon_lite.data import CARDS
from herocon_lite.repro.text import table


def access(card):
    """How one comes by the data."""
    if card.synthetic:
        return "**synthetic**, drawn by code"
    if card.embedded:
        return "**embedded**, real"
    if card.terms:
        return "**consent**, then download"
    if all(part[0].urls for part in card.parts.values()):
        return "**download**"
    return "**by hand**"


rows = []
order = sorted(CARDS.values(), key=lambda card: not card.embedded)
for card in order:
    size = f"{card.size / 1e6:,.1f}" if card.size else "–"
    stand_in = f"`{card.stand_in}`" if card.stand_in else ""
    name = f"`{card.name}`"
    rows.append([name, access(card), size, card.kind, stand_in])
heads = ["set", "how to get it", "MB", "labels", "stand-in"]
table(heads, rows, align="llrll")

# %% [markdown]
# - **embedded**: lies in `data/` and inside an installed wheel; needs no
#   network.
# - **synthetic**: drawn by code when asked for. No real person is shown, and
#   every title in this book says so.
# - **download**: `load(name)` fetches it, checks each file and keeps it in
#   `data/`. The addresses are the public ones; this book was made without a
#   network, so none has been tried.
# - **consent**: the same, but only after you have accepted the terms on the
#   card: `load(name, accept_terms=True)`, or the environment variable
#   `HEROCON_ACCEPT_TERMS=celeba`.
# - **by hand**: `load` cannot fetch it. The card says what the files must hold
#   and where they come from.
#
# A stand-in is an embedded set of the same kind, so that everything can be
# tried before the real one is there. Its results are never shown as the real
# one's.

# %% [markdown]
# ## The data doctor
#
# Which of these sets are on *your* machine, whole and right? Ask:
#
# ```sh
# python -m herocon_lite data           # a table of all sets
# python -m herocon_lite data yeast     # one card and a few of its rows
# ```
#
# The table says of each set whether it is usable, how large it is, where it
# was found, whether every checksum is right, and what is missing if not. It
# looks in the folder that the environment variable `HEROCON_DATA` names, then
# in `data/`; it downloads nothing. The exit code is 0 if the asked set can be
# used, 1 if not, 2 if there is no such set, so scripts can ask too. For the
# table it is 1 if a file is damaged.
#
# Its answer depends on the machine, so this page does not print it. It does
# ask about the embedded sets, which must be usable everywhere:

# %%
from contextlib import redirect_stdout
from io import StringIO

from herocon_lite.data import doctor

for name, card in CARDS.items():
    if card.embedded:
        with redirect_stdout(StringIO()):  # its words name folders
            code = doctor(name)
        assert code == 0
        print(f"{name:8} exit code {code}: usable")

# %% [markdown]
# The other way round: a download that differs from its checksum is never taken
# for a data set. Files are fetched under another name, compared with the
# checksum below, and only then put in their place. The checksums of XRMB's files
# are not known: they are not fetched, and only their size and beginning are
# checked.

# %% [markdown]
# ## How to read a card
#
# A checksum stands under each file where it is known. Where several files can
# serve, the first is the official one.

# %% tags=["hide-input"]
shown = []


def link(text):
    """Addresses in a text as links."""
    words = text.split(" ")
    for place, word in enumerate(words):
        bare = word.strip("(),;.")
        if bare.startswith("http"):
            words[place] = word.replace(bare, f"<{bare}>")
    return " ".join(words)


def show(name):
    """One card as Markdown."""
    card = CARDS[name]
    shown.append(name)
    facts = card.lines()
    text = [f'{access(card)} · {card.kind} · `load("{name}")`', ""]
    for heading in ("about", "source", "licence", "cite", "size"):
        if heading in facts:
            text.append(f"- **{heading}**: {link(facts[heading])}")
    for heading in ("terms", "by hand", "stand-in"):
        if heading in facts:
            words = facts[heading].replace('load("', '`load("')
            words = words.replace('")', '")`')
            text.append(f"- **{heading}**: {link(words)}")
    if card.parts:
        text.append("- **files**:")
    for part, files in card.parts.items():
        for file in files:
            size = f", {file.size:,} bytes" if file.size else ""
            remark = f" ({file.remark})" if file.remark else ""
            text.append(f"  - `{file.path}`, {part}{size}{remark}  ")
            text.append(f"    `{file.checked_by}`")
    return Markdown("\n".join(text))


# %% [markdown]
# ## The paper's four

# %% [markdown]
# ### Scene

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("scene")

# %% [markdown]
# ### MNIST

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("mnist")

# %% [markdown]
# ### XRMB

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("xrmb")

# %% [markdown]
# ### CelebA

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("celeba")

# %% [markdown]
# ## Speech beside XRMB

# %% [markdown]
# ### MOCHA-TIMIT

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("mocha")

# %% [markdown]
# ## Several views and several labels

# %% [markdown]
# ### Bird song

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("birds")

# %% [markdown]
# ## Embedded and real

# %% [markdown]
# ### MNIST, 5,000 digits

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("mnist5k")

# %% [markdown]
# ### Yeast genes

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("yeast")

# %% [markdown]
# ### Multiple features

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("mfeat")

# %% [markdown]
# ## Synthetic

# %% [markdown]
# ### Drawn faces

# %% mystnb={"markdown_format": "gfm"} tags=["remove-input"]
show("faces")

# %%
assert sorted(shown) == sorted(CARDS)
print(f"All {len(CARDS)} cards are on this page.")

# %% [markdown]
# Pictures of CelebA may not be redistributed, so this book shows none, not
# even small ones. Its counts in {doc}`views_and_labels` are aggregate numbers.
