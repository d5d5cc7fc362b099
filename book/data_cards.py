# %% [markdown]
# # Data cards

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show set-up and checks", "code_prompt_hide": "Hide set-up and checks"}
from contextlib import redirect_stdout
from io import StringIO

from IPython.display import Markdown

from herocon_lite.data import CARDS, doctor
from herocon_lite.repro.chapter import Checks, answer, badges, fold
from herocon_lite.repro.text import table

check = Checks()
for name, card in CARDS.items():
    if card.embedded:
        with redirect_stdout(StringIO()):  # its words name folders
            code = doctor(name)
        check(f"{name} is usable, on any machine", code == 0)
    with_address = [f for part in card.parts.values() for f in part if f.urls]
    known = all(f.checksum for f in with_address)
    check(f"{name}: what is fetched has a checksum", known)
ours = [card for card in CARDS.values() if card.embedded]
embedded = [card for card in ours if not card.synthetic]
check(
    "three sets lie inside, one is drawn", (len(embedded), len(ours)) == (3, 4)
)
badges(check, reads="6 min", runs="2 s")

# %% tags=["remove-input"]
answer(f"""**No chapter needs a download:** {len(ours)} of the {len(CARDS)}
data sets lie inside this project. `load(name)` fetches others where their
terms allow it, and checks each file. XRMB could not be obtained, and no
picture of CelebA is shown or stored here. This page is printed from the
cards in `herocon_lite/data/cards.yaml`, which the code itself reads.""")

# %% tags=["remove-input"]


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
for card in sorted(CARDS.values(), key=lambda card: not card.embedded):
    size = f"{card.size / 1e6:,.1f}" if card.size else "–"
    stand_in = f"`{card.stand_in}`" if card.stand_in else ""
    rows.append([f"`{card.name}`", access(card), size, card.kind, stand_in])
heads = ["data set", "how to get it", "MB", "labels", "stand-in"]
table(heads, rows, align="llrll")

# %% [markdown]
# - **embedded**: lies in `data/` and inside an installed wheel.
# - **synthetic**: drawn by code when wanted. No real person is shown, and every figure
#   of them says so.
# - **download**: `load(name)` fetches it, checks each file and keeps it in `data/`. This
#   book was made without a network, so no address has been tried.
# - **consent**: the same, after you have accepted the terms on the card:
#   `load(name, accept_terms=True)`, or the variable `HEROCON_ACCEPT_TERMS=celeba`.
# - **by hand**: the card says what the files must hold and where they come from.
#
# A stand-in is an embedded set of the same kind, to try everything before the real one is
# there. Its results are never shown as the real one's.
# [What do several views and labels look like?](views_and_labels.ipynb) shows the sets.
#
# ## Which sets are on your machine?
#
# ```sh
# python -m herocon_lite data           # a table of all sets
# python -m herocon_lite data yeast     # one card and a few of its samples
# ```
#
# The table says of each set whether it is usable, where it was found, whether every
# checksum is right, and what is missing. It looks in the folder that the environment
# variable `HEROCON_DATA` names, then in `data/`, and downloads nothing. The exit code is 0
# if the set can be used, 1 if not or if a file is damaged, 2 if there is no such set.
#
# Files are fetched under another name, compared with their checksum, and only then put in
# their place. XRMB's checksums are not known: its files are not fetched, and only their
# size and beginning are checked. Where several files can serve, the first on a card is the
# official one.

# %% tags=["remove-cell"]
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
    head = f'{access(card)} · {card.kind} · `load("{name}")`'
    if card.stand_in:
        head += f' · stand-in: `load("{card.stand_in}")`'
    text = [head, ""]
    for heading in ("about", "source", "licence", "cite"):
        if heading in facts:
            text.append(f"- **{heading}**: {link(facts[heading])}")
    for heading in ("terms", "by hand"):
        if heading in facts:
            words = facts[heading].replace('load("', '`load("')
            words = words.replace('")', '")`')
            text.append(f"- **{heading}**: {link(words)}")
    files = []
    for part, own in card.parts.items():
        for file in own:
            size = f", {file.size:,} bytes" if file.size else ""
            remark = f" ({file.remark})" if file.remark else ""
            files.append(
                f"- `{file.path}`, {part}{size}{remark}: `{file.checked_by}`"
            )
    more = fold("Files and checksums", "\n".join(files)).data if files else ""
    return Markdown("\n".join([*text, "", more]))


# %% [markdown]
# ## The paper's four
#
# ### Scene

# %% tags=["remove-input"]
show("scene")

# %% [markdown]
# ### MNIST

# %% tags=["remove-input"]
show("mnist")

# %% [markdown]
# ### XRMB

# %% tags=["remove-input"]
show("xrmb")

# %% [markdown]
# ### CelebA

# %% tags=["remove-input"]
show("celeba")

# %% [markdown]
# ## Speech in place of XRMB
#
# ### MOCHA-TIMIT

# %% tags=["remove-input"]
show("mocha")

# %% [markdown]
# ## Several views and several labels
#
# ### Bird song

# %% tags=["remove-input"]
show("birds")

# %% [markdown]
# ## Embedded and real
#
# ### MNIST, 5,000 digits

# %% tags=["remove-input"]
show("mnist5k")

# %% [markdown]
# ### Yeast genes

# %% tags=["remove-input"]
show("yeast")

# %% [markdown]
# ### Multiple features

# %% tags=["remove-input"]
show("mfeat")

# %% [markdown]
# ## Synthetic
#
# ### Drawn faces

# %% tags=["remove-input"]
show("faces")

# %% tags=["remove-input"]
assert sorted(shown) == sorted(CARDS)
Markdown(f"""All {len(CARDS)} cards are on this page. Pictures of CelebA may not be
redistributed; its counts in this book are aggregate numbers.""")
