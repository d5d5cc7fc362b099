// Draws each figure of class "movable" with plotly and gives it a slider that keys move too.
// The figure's data stand in the page as plotly's own JSON: see herocon_lite/repro/plots/interactive.py.
(() => {
  const colours = () =>
    document.documentElement.dataset.theme === "dark"
      ? { ink: "#e8e8e8", grid: "#4a4f55" }
      : { ink: "#222222", grid: "#dfe3e7" };

  const themed = () => {
    const { ink, grid } = colours();
    const axis = { "gridcolor": grid, "linecolor": grid, "zerolinecolor": grid };
    const named = (letter) =>
      Object.fromEntries(Object.entries(axis).map(([k, v]) => [`${letter}axis.${k}`, v]));
    return { "font.color": ink, ...named("x"), ...named("y") };
  };

  async function draw(place) {
    const figure = JSON.parse(place.querySelector("script").textContent);
    const [slider] = figure.layout.sliders;
    delete figure.layout.sliders;
    const plot = document.createElement("div");
    const label = document.createElement("label");
    const range = document.createElement("input");
    const told = document.createElement("output");
    Object.assign(range, { type: "range", min: 0, max: figure.frames.length - 1, step: 1 });
    range.value = slider.active;
    label.append(slider.currentvalue.prefix, range, told);
    place.append(label, plot);
    await Plotly.newPlot(plot, figure.data, figure.layout, { displayModeBar: false, responsive: true });
    Plotly.relayout(plot, themed());
    const show = () => {
      const frame = figure.frames[range.value];
      told.textContent = frame.name;
      range.setAttribute("aria-valuetext", frame.name);
      Plotly.restyle(plot, { x: frame.data.map((d) => d.x), y: frame.data.map((d) => d.y) });
    };
    range.addEventListener("input", show);
    show();
    new MutationObserver(() => Plotly.relayout(plot, themed())).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
  }

  const start = () => document.querySelectorAll(".movable").forEach(draw);
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();
})();
